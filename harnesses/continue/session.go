package continuecli

import (
	"cmp"
	"encoding/json"
	"io/fs"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/cespare/xxhash/v2"

	"meterbridge"
	"meterbridge/harnesses"
	"meterbridge/harnesses/facts"
	"meterbridge/harnesses/instant"
	"meterbridge/harnesses/jsonvalue"
	"meterbridge/harnesses/totals"
)

// session reads the document of one session.
type session struct {
	facts.Writer
	opt     harnesses.Options
	counter totals.Counter
	waits   bool
}

func newSession(o harnesses.Options) *session {
	return &session{Writer: facts.Writer{Harness: id, Store: store, Trace: o.Trace}, opt: o, counter: facts.Memory[totals.Counter](o.State)}
}

// State implements harnesses.RememberingParser.
func (s *session) State() []byte { return facts.State(s.counter) }

// Waits implements harnesses.RememberingParser.
func (s *session) Waits() bool { return s.waits }

// Document implements harnesses.DocumentParser.
func (s *session) Document(content []byte, out *meterbridge.Batch) {
	s.Out = out
	at := meterbridge.Place{Line: 1, Hash: xxhash.Sum64(content)}
	o, ok := jsonvalue.Parse(content)
	if !ok {
		s.Problem(at, "malformed-json", "a session is not a JSON object")
		return
	}
	name := facts.Name(cmp.Or(o["sessionId"].Text(), strings.TrimSuffix(path.Base(s.opt.Rel), ".json")))
	project, changed := o["workspaceDirectory"].Text(), s.changed()
	s.told(o, name, project, changed)
	like := meterbridge.Request{NativeID: name, Session: name, Project: project, Model: o["chatModelTitle"].Text(), Place: at}
	spent, wrong := usage(o["usage"].Object())
	cost, reason := jsonvalue.USD(o.At("usage", "totalCost"), false)
	s.Cost(at, reason)
	switch {
	case wrong:
		s.Wrong(like)
	case (spent.Total() > 0 || cost.OK) && s.grew(spent, cost):
		s.read(totals.Reading{End: changed, Tokens: spent, Cost: cost, Model: like.Model}, name, at)
	}
	for _, r := range s.counter.Requests(like) {
		s.Request(r)
	}
}

// read takes a reading. What there is at first sight belongs to the time at which
// the session began, the only one that the program writes down; only where its
// list leaves the session out, the file's last change stands for it.
func (s *session) read(r totals.Reading, name string, at meterbridge.Place) {
	if len(s.counter.Rows) == 0 {
		began, ok := s.began(name)
		if s.waits = !ok; s.waits {
			s.Problem(at, "missing-neighbour", "the list of sessions is missing, which tells when they began")
			return
		}
		if !began.IsZero() {
			r.Start, r.End = began, began
		}
	}
	s.counter.Read(r)
}

// grew reports whether a session holds more than was read of it. Where it does
// not, a later change of the file (a new title, a copy) is no time of its usage.
func (s *session) grew(now meterbridge.Tokens, cost meterbridge.NullPico) bool {
	if len(s.counter.Rows) == 0 || !totals.Covers(s.counter.High, now) {
		return true
	}
	before, err := meterbridge.ParseUSD(s.counter.Cost)
	return cost.OK && (err != nil || cost.Amount.Cmp(before) > 0)
}

// usage reads the totals. The classes are disjoint where a cache is told of at all.
func usage(o jsonvalue.Object) (meterbridge.Tokens, bool) {
	var c jsonvalue.Counts
	cache, output := o["promptTokensDetails"].Object(), o["completionTokensDetails"].Object()
	t := meterbridge.Tokens{
		Input: c.Of(o["promptTokens"]), Output: c.Of(o["completionTokens"]), Reasoning: c.Of(output["reasoningTokens"]),
		CacheRead: c.Of(cache["cachedTokens"]), CacheWrite5m: c.Of(cache["cacheWriteTokens"]),
	}
	return t, c.Wrong
}

// told tells of the session: its folder, its title and its last reply.
func (s *session) told(o jsonvalue.Object, name, project string, changed time.Time) {
	f := meterbridge.Session{ID: name, Project: project, LastReplyAt: changed}
	if title := o["title"].Text(); title != "Untitled Session" && title != "New Session" {
		f.Title, f.TitleRank = title, meterbridge.TitleFromModel
	}
	for _, v := range o["history"].Elements() {
		message := v.Object()["message"].Object()
		if text := message["content"].Spoken(); message["role"].Text() == "assistant" && strings.TrimSpace(text) != "" {
			f.LastReply = text
		}
	}
	if changed.IsZero() {
		f.LastReply = ""
	}
	s.Session(f)
}

// changed is when the file was last written; the zero time when it cannot be told.
func (s *session) changed() time.Time {
	if s.opt.Siblings == nil {
		return time.Time{}
	}
	info, err := fs.Stat(s.opt.Siblings, s.opt.Rel)
	if err != nil {
		return time.Time{}
	}
	return instant.Millis(info.ModTime().UnixMilli())
}

// began is when the list of sessions says that one began; ok is false when there
// is no list that can be read.
func (s *session) began(name string) (at time.Time, ok bool) {
	if s.opt.Siblings == nil {
		return at, false
	}
	content, err := fs.ReadFile(s.opt.Siblings, index)
	if err != nil || !json.Valid(content) {
		return at, false
	}
	for _, v := range jsonvalue.Value(content).Elements() {
		o := v.Object()
		if o["sessionId"].Text() != name {
			continue
		}
		if ms, err := strconv.ParseInt(o["dateCreated"].Text(), 10, 64); err == nil {
			at = instant.Millis(ms)
		}
	}
	return at, true
}
