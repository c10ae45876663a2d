package totals

import (
	"github.com/cespare/xxhash/v2"

	"meterbridge"
	"meterbridge/harnesses"
	"meterbridge/harnesses/facts"
	"meterbridge/harnesses/jsonvalue"
)

// Found is what a document says of its session now.
type Found struct {
	// Like is the pattern of its rows: NativeID, Session, Project, Provider.
	Like    meterbridge.Request
	Reading Reading
	// Wrong: a number is none, so that nothing is known.
	Wrong bool
}

// Document reads a document with the totals of one session.
type Document struct {
	facts.Writer
	opt     harnesses.Options
	counter Counter
	read    func(w *facts.Writer, o jsonvalue.Object) Found
}

// NewDocument returns a parser that asks read what a document says; read also
// tells what else is in it.
func NewDocument(harness, store string, o harnesses.Options, read func(w *facts.Writer, o jsonvalue.Object) Found) *Document {
	d := &Document{Writer: facts.Writer{Harness: harness, Store: store, Trace: o.Trace}, opt: o, read: read}
	d.counter = facts.Memory[Counter](o.State)
	return d
}

// State implements harnesses.RememberingParser.
func (d *Document) State() []byte {
	return facts.State(d.counter)
}

// Waits implements harnesses.RememberingParser.
func (d *Document) Waits() bool { return false }

// Document implements harnesses.DocumentParser.
func (d *Document) Document(content []byte, out *meterbridge.Batch) {
	d.Out = out
	at := meterbridge.Place{Line: 1, Hash: xxhash.Sum64(content)}
	o, ok := jsonvalue.Parse(content)
	if !ok {
		d.Problem(at, "malformed-json", "the totals of a session are not a JSON object")
		return
	}
	f := d.read(&d.Writer, o)
	f.Like.Place = at
	switch {
	case f.Wrong:
		d.Wrong(f.Like)
	case f.Reading.Tokens.Total() > 0 || f.Reading.Cost.OK:
		d.counter.Read(f.Reading)
	}
	for _, r := range d.counter.Requests(f.Like) {
		d.Request(r)
	}
}
