package droid

import (
	"io/fs"
	"path"
	"strings"
	"time"

	"github.com/cespare/xxhash/v2"

	"meterbridge"
	"meterbridge/harnesses"
	"meterbridge/harnesses/facts"
	"meterbridge/harnesses/jsonvalue"
	"meterbridge/harnesses/totals"
)

// settings reads the totals of a session.
type settings struct {
	facts.Writer
	opt     harnesses.Options
	session string
	counter totals.Counter
	waits   bool
}

func newSettings(o harnesses.Options) *settings {
	d := &settings{
		Writer: facts.Writer{Harness: id, Store: store, Trace: o.Trace}, opt: o,
		session: facts.Name(strings.TrimSuffix(path.Base(o.Rel), suffix)),
	}
	d.counter = facts.Memory[totals.Counter](o.State)
	return d
}

// State implements harnesses.RememberingParser.
func (d *settings) State() []byte {
	return facts.State(d.counter)
}

// Waits implements harnesses.RememberingParser.
func (d *settings) Waits() bool { return d.waits }

// Document implements harnesses.DocumentParser.
func (d *settings) Document(content []byte, out *meterbridge.Batch) {
	d.Out = out
	at := meterbridge.Place{Line: 1, Hash: xxhash.Sum64(content)}
	o, ok := jsonvalue.Parse(content)
	like := meterbridge.Request{NativeID: d.session, Session: d.session, Model: o["model"].Text(), Provider: o["providerLock"].Text(), Place: at}
	now, wrong := readUsage(o["tokenUsage"])
	switch {
	case !ok:
		d.Problem(at, "malformed-json", "settings are not a JSON object")
	case wrong:
		d.Wrong(like)
	case now.Total() > 0:
		d.read(now, &like, at)
	}
	for _, r := range d.counter.Requests(like) {
		d.Request(r)
	}
}

// read takes a reading, if the conversation beside the file tells its time, and
// its parent's file what it inherited.
func (d *settings) read(now meterbridge.Tokens, like *meterbridge.Request, at meterbridge.Place) {
	c, ok := d.conversation()
	if !ok {
		d.wait(at, "the conversation of the session is missing, which tells its time")
		return
	}
	like.Project = c.project
	if c.parent != "" && c.compacted && len(d.counter.Rows) == 0 {
		parent, ok := d.totalsOf(c.parent)
		if !ok {
			d.wait(at, "the session that this one continues is missing, whose totals it began with")
			return
		}
		if totals.Covers(now, parent) {
			d.counter.Seed(parent)
		}
	}
	d.counter.Read(totals.Reading{Start: c.first, End: c.last, Tokens: now, Model: like.Model})
}

// wait leaves the totals until a missing file is there. What was read before stays.
func (d *settings) wait(at meterbridge.Place, why string) {
	if len(d.counter.Rows) == 0 {
		d.waits = true
		d.Problem(at, "missing-neighbour", why)
	}
}

// readUsage reads totals. Input leaves out both cache classes, output holds the
// thinking.
func readUsage(v jsonvalue.Value) (meterbridge.Tokens, bool) {
	o := v.Object()
	var c jsonvalue.Counts
	return meterbridge.Tokens{
		Input: c.Of(o["inputTokens"]), Output: c.Of(o["outputTokens"]), Reasoning: c.Of(o["thinkingTokens"]),
		CacheRead: c.Of(o["cacheReadTokens"]), CacheWrite5m: c.Of(o["cacheCreationTokens"]),
	}, c.Wrong
}

// totalsOf reads the totals of another session, whose file lies in the same
// folder or in one beside it.
func (d *settings) totalsOf(session string) (meterbridge.Tokens, bool) {
	if d.opt.Siblings == nil || strings.ContainsAny(session, `/\*?[`) {
		return meterbridge.Tokens{}, false
	}
	places := []string{path.Join(path.Dir(d.opt.Rel), session+suffix)}
	if others, err := fs.Glob(d.opt.Siblings, "*/"+session+suffix); err == nil {
		places = append(places, others...)
	}
	for _, p := range places {
		content, err := fs.ReadFile(d.opt.Siblings, p)
		if err != nil {
			continue
		}
		if o, ok := jsonvalue.Parse(content); ok {
			now, wrong := readUsage(o["tokenUsage"])
			return now, !wrong
		}
	}
	return meterbridge.Tokens{}, false
}

// conversation is what the file beside the settings tells.
type conversation struct {
	project, parent string
	// compacted: a compaction made the session of its parent.
	compacted   bool
	first, last time.Time
}
