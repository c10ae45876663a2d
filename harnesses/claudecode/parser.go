package claudecode

import (
	"bytes"
	"time"

	"meterbridge"
	"meterbridge/harnesses"
)

// parser reads one transcript. Its memory between lines is bounded: what must
// outlive a checkpoint is in state, what waits for Flush in open and sessions.
type parser struct {
	trace, dropText bool
	// fileSession and fileAgent are what the path says.
	fileSession, fileAgent string

	state    state
	open     openRequest
	sessions sessions
	names    names

	// Of the line that is being read.
	row row
	at  meterbridge.Place
	out *meterbridge.Batch
	who identity
	// when is the row's time, or that of the last row that had one; zero when
	// the file has none so far.
	when time.Time
	// timed: when is the row's own.
	timed bool
}

func newParser(o harnesses.Options) *parser {
	p := &parser{trace: o.Trace, dropText: o.DropText, state: decodeState(o.State)}
	p.fileSession, p.fileAgent = pathNames(o.Rel)
	return p
}

const byteOrderMark = "\xef\xbb\xbf"

// Line reads one line of the transcript.
func (p *parser) Line(line []byte, at meterbridge.Place, out *meterbridge.Batch) {
	if at.Line <= 1 {
		line = bytes.TrimPrefix(line, []byte(byteOrderMark))
	}
	line = trim(line)
	if len(line) == 0 || bulky(line) {
		return
	}
	p.at, p.out = at, out
	if p.row.read(line) == nil || p.row.reread(line) {
		p.take()
	} else {
		p.problem("malformed-json", "the line is not valid JSON")
	}
	p.out = nil
}

// take makes facts of the row.
func (p *parser) take() {
	r := &p.row
	p.clock(r.timestamp)
	p.identify()
	p.settle()
	switch string(r.kind) {
	case "assistant":
		p.assistant()
	case "user":
		p.user()
	case "system":
		p.system()
	case "attachment":
		p.describe()
	case "api-request":
		if p.timed {
			p.state.sent(r.id, p.when)
		}
	default:
		p.bookkeeping()
	}
	if p.trace {
		p.decoys()
	}
}

// clock sets the time of the row: its own, else that of the last row that had
// one. A time before 1970 is that of a clock that was not set.
func (p *parser) clock(stamp []byte) {
	p.when, p.timed = parseTime(stamp)
	if p.timed && p.when.UnixMilli() <= 0 {
		p.when, p.timed = time.Time{}, false
	}
	switch {
	case p.timed:
		p.state.Last = p.when.UnixMilli()
	case p.state.Last != 0:
		p.when = time.UnixMilli(p.state.Last).UTC()
	}
}

// Flush emits the open request and what was learnt about sessions.
func (p *parser) Flush(out *meterbridge.Batch) {
	p.closeRequest(out)
	p.sessions.flush(out)
}

// State is what the next lines need.
func (p *parser) State() []byte {
	s := p.state
	if p.dropText {
		s.Summary = ""
		if s.Command != nil {
			waits := *s.Command
			waits.Preview, s.Command = "", &waits
		}
	}
	return s.encode()
}

func (p *parser) problem(reason, detail string) {
	p.out.Problems = append(p.out.Problems, meterbridge.Problem{Reason: reason, Detail: detail, Place: p.at})
}

// bulky reports whether the line is one of those that hold no facts and may be
// megabytes long: what was sent to the provider, and copies of files. Their type
// stands first in every known build; where it does not, they are walked and
// ignored.
func bulky(line []byte) bool {
	const start = `{"type":"`
	if len(line) <= len(start) || string(line[:len(start)]) != start {
		return false
	}
	kind, _, _ := bytes.Cut(line[len(start):min(len(line), 40)], []byte(`",`))
	switch string(kind) {
	case "api-request-shape", "api-request-blob", "file-history-snapshot", "file-history-delta":
		return len(kind) < min(len(line), 40)-len(start)
	}
	return false
}

// trim takes off white space and the NUL bytes that a crash leaves in a file.
func trim(line []byte) []byte {
	for len(line) > 0 && blank(line[0]) {
		line = line[1:]
	}
	for len(line) > 0 && blank(line[len(line)-1]) {
		line = line[:len(line)-1]
	}
	return line
}

func blank(b byte) bool {
	return b == ' ' || b == '\t' || b == '\r' || b == '\n' || b == 0
}
