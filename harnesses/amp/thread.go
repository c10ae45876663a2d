package amp

import (
	"cmp"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/cespare/xxhash/v2"

	"meterbridge"
	"meterbridge/harnesses"
	"meterbridge/harnesses/facts"
	"meterbridge/harnesses/fileuri"
	"meterbridge/harnesses/instant"
	"meterbridge/harnesses/jsonvalue"
)

// document reads one thread.
type document struct {
	opt harnesses.Options
}

// Document implements harnesses.DocumentParser.
func (d *document) Document(content []byte, out *meterbridge.Batch) {
	w := facts.Writer{Harness: id, Store: store, Trace: d.opt.Trace, Out: out}
	root, ok := jsonvalue.Parse(content)
	if !ok {
		w.Problem(meterbridge.Place{Line: 1, Hash: xxhash.Sum64(content)}, "malformed-json", "a thread is not a JSON object")
		return
	}
	t := open(root, strings.TrimSuffix(path.Base(d.opt.Rel), ".json"))
	t.Writer = w
	t.read(root)
}

// thread is one conversation.
type thread struct {
	facts.Writer
	id, project string
	// created is when it began, last the end of its last trace: the times of what
	// has none of its own.
	created, last time.Time
	messages      []message
	// ledger: usage is told by the ledger, messages only complete it.
	ledger bool
}

func open(o jsonvalue.Object, named string) *thread {
	t := &thread{id: cmp.Or(o["id"].Text(), named), created: o["created"].Millis()}
	for _, tree := range o.At("env", "initial", "trees").Elements() {
		t.project = fileuri.Path(tree.Object()["uri"].Text())
		break
	}
	for _, v := range o.At("meta", "traces").Elements() {
		if end := v.Object()["endTime"].Time(); end.After(t.last) {
			t.last = end
		}
	}
	for i, v := range o["messages"].Elements() {
		t.messages = append(t.messages, readMessage(v, i))
	}
	return t
}

func (t *thread) read(o jsonvalue.Object) {
	session := meterbridge.Session{ID: t.id, Title: o["title"].Text(), TitleRank: meterbridge.TitleFromModel, Project: t.project}
	n := 0
	for _, v := range o.At("usageLedger", "events").Elements() {
		n++
		t.event(v.Object(), meterbridge.Place{Line: int64(n), Hash: xxhash.Sum64(v)})
	}
	t.ledger = n > 0
	now := t.created
	for i := range t.messages {
		m := &t.messages[i]
		if !m.at.IsZero() {
			now = m.at
		}
		switch m.role {
		case "user":
			t.user(m, now)
		case "assistant":
			t.assistant(m)
			if m.text != "" {
				session.LastReply, session.LastReplyAt = m.text, now
			}
		}
	}
	t.Session(session)
}

// user tells of a prompt. The log seldom has its time: it then is that of what
// came before it.
func (t *thread) user(m *message, now time.Time) {
	if m.text != "" && !now.IsZero() {
		t.Prompt(meterbridge.Prompt{
			NativeID: t.native(m.id), Session: t.id, Project: t.project, At: now, Preview: m.text, Place: m.place,
		})
	}
	for _, r := range m.results {
		t.Call(meterbridge.ToolCall{NativeID: t.native(r.call), Session: t.id, OK: r.ok})
	}
}

func (t *thread) native(what string) string { return t.id + ":" + what }

// assistant counts a message of the agent, unless the ledger tells of it.
func (t *thread) assistant(m *message) {
	request := t.native(m.id)
	switch {
	case !m.usage.there:
		request = ""
	case t.ledger:
		r := t.request(m)
		t.Drop(r, "told-by-ledger")
		request = ""
	case m.usage.wrong:
		t.Wrong(t.request(m))
	case m.usage.zero():
		t.Drop(t.request(m), "zero-usage")
	default:
		t.Request(t.request(m))
	}
	for _, c := range m.calls {
		t.Call(meterbridge.ToolCall{NativeID: t.native(c.id), Session: t.id, Request: request, Name: c.name, EndedAt: m.at})
	}
}

// request is the row of a message. A message without a time of its own ended
// with the last trace at the latest.
func (t *thread) request(m *message) meterbridge.Request {
	at := m.at
	if at.IsZero() {
		at = t.otherwise()
	}
	return meterbridge.Request{
		NativeID: t.native(m.id), Session: t.id, Project: t.project, Model: m.usage.model, EndedAt: at,
		Tokens: m.usage.tokens(), Tools: m.tools(), Aborted: m.cancelled, Rule: "single-record", Place: m.place,
	}
}

func (t *thread) otherwise() time.Time {
	if t.last.IsZero() {
		return t.created
	}
	return t.last
}

// event counts an event of the ledger. Its cache numbers lie in the message that
// the request made.
func (t *thread) event(o jsonvalue.Object, at meterbridge.Place) {
	var c jsonvalue.Counts
	r := meterbridge.Request{
		NativeID: t.native(cmp.Or(o["id"].Text(), "ledger#"+strconv.FormatInt(at.Line, 10))), Session: t.id, Project: t.project,
		Model: o["model"].Text(), EndedAt: o["timestamp"].Time(), Rule: "ledger", Place: at,
	}
	if r.EndedAt.IsZero() {
		r.EndedAt = instant.Millis(whole(o["timestamp"]))
	}
	r.Tokens.Input, r.Tokens.Output = c.Of(o.At("tokens", "input")), c.Of(o.At("tokens", "output"))
	if r.EndedAt.IsZero() {
		r.EndedAt = t.otherwise()
	}
	if m := t.made(o["toMessageId"]); m != nil {
		m.told = true
		r.Tools, r.Aborted = m.tools(), m.cancelled
		c.Wrong = c.Wrong || m.usage.wrong
		r.Tokens = completed(r.Tokens, m.usage)
	}
	switch {
	case c.Wrong:
		t.Wrong(r)
	case r.Tokens == meterbridge.Tokens{} || r.Tokens.Total() == 0:
		t.Drop(r, "zero-usage")
	default:
		t.Request(r)
	}
}

func whole(v jsonvalue.Value) int64 {
	n, _ := v.Int()
	return n
}

// made is the message with an id that no other event has told of; nil without one.
func (t *thread) made(id jsonvalue.Value) *message {
	if id.Null() {
		return nil
	}
	for i := range t.messages {
		if m := &t.messages[i]; m.id == plain(id) && m.usage.there && !m.told {
			return m
		}
	}
	return nil
}

// completed adds to what the ledger says the cache numbers of the message.
func completed(k meterbridge.Tokens, u usage) meterbridge.Tokens {
	m := u.tokens()
	k.CacheRead, k.CacheWrite5m = m.CacheRead, m.CacheWrite5m
	if k.Input == u.input { // both leave the cache out: the message also knows what is no write
		k.Input = m.Input
	}
	return k
}
