package codexcli

import (
	"bytes"

	"meterbridge/harnesses/walk"
)

// The short way: Codex writes the members of a line in one order, so what a
// line is stands in its first bytes. Lines of which the parser wants little
// (nine tenths of a log) are left there; a line that looks at all unusual takes
// the long way, through open.

// head takes the front of a line apart; rest begins at the payload. ok is
// false when the line is not written as Codex writes it.
func head(line []byte) (e envelope, rest []byte, ok bool) {
	rest, ok = bytes.CutPrefix(line, []byte(`{"timestamp":"`))
	if !ok {
		return e, nil, false
	}
	stamp, rest, ok := cutText(rest)
	if !ok {
		return e, nil, false
	}
	if after, found := bytes.CutPrefix(rest, []byte(`,"ordinal":`)); found {
		n := 0
		for n < len(after) && after[n] >= '0' && after[n] <= '9' {
			n++
		}
		rest = after[n:]
	}
	if rest, ok = bytes.CutPrefix(rest, []byte(`,"type":"`)); !ok {
		return e, nil, false
	}
	if e.typ, rest, ok = cutText(rest); !ok {
		return e, nil, false
	}
	rest, ok = bytes.CutPrefix(rest, []byte(`,"payload":`))
	e.ms = millis(stamp)
	return e, rest, ok && e.ms != 0
}

// cutText cuts at the end of a text without escapes.
func cutText(b []byte) (t, rest []byte, ok bool) {
	i := bytes.IndexByte(b[:min(len(b), 64)], '"')
	if i < 0 || bytes.IndexByte(b[:i], '\\') >= 0 {
		return nil, nil, false
	}
	return b[:i], b[i+1:], true
}

// subtype is the payload's type, where it comes first.
func subtype(payload []byte) []byte {
	rest, ok := bytes.CutPrefix(payload, []byte(`{"type":"`))
	if !ok {
		return nil
	}
	t, _, _ := cutText(rest)
	return t
}

// whole reports whether a line that begins as Codex writes it has the end of a
// record and no second record in it. A torn write that a later one was appended
// to has: the texts inside a record hold no plain quotes.
func whole(line []byte) bool {
	if !bytes.HasSuffix(line, []byte("}}")) {
		return false
	}
	for rest := line[1:]; ; {
		i := bytes.IndexByte(rest, '{')
		if i < 0 {
			return true
		}
		if rest = rest[i+1:]; bytes.HasPrefix(rest, []byte(`"timestamp":`)) {
			return false
		}
	}
}

// quick reads a line the short way; false says that it is still to be read.
func (r *rollout) quick(line []byte) bool {
	if r.m.Copy || r.m.Named {
		return false
	}
	e, rest, ok := head(line)
	if !ok {
		return false
	}
	var sub []byte
	l := unread
	switch string(e.typ) {
	case "event_msg":
		if sub = subtype(rest); sub == nil {
			return false
		}
		l = eventKind(sub)
	case "response_item":
		if sub = subtype(rest); sub == nil {
			return false
		}
		l = itemKind(sub)
	case "token_usage_record":
		l = usageRecord
	case "session_meta", "turn_context", "compacted":
		return false
	}
	return r.quickly(l, e, line, rest)
}

func (r *rollout) quickly(l kind, e envelope, line, rest []byte) bool {
	var act func([]byte) bool
	switch l {
	case tokenCount:
		return r.quickCount(e, rest)
	case toolCall:
		return r.quickCall(e, rest)
	case usageRecord:
		return r.quickRecord(e, rest)
	case itemCompleted:
		return r.quickItem(e, rest)
	case unread, answer:
	case message:
		act = r.quickMessage
	case toolOutput:
		act = r.quickOutput
	case agentMessage:
		act = r.quickReply
	default:
		return false
	}
	if !whole(line) {
		return false
	}
	before, beforeLast := r.ms, r.m.Last
	r.ms, r.m.Last = e.ms, e.ms
	if act != nil && !act(rest) {
		r.ms, r.m.Last = before, beforeLast
		return false
	}
	if l == answer {
		r.m.Answer = true
	}
	if l != unread {
		r.settleMute(l)
	}
	return true
}

// The next four read a line in one pass; nothing is done before it has proved
// to be whole.

func (r *rollout) quickCount(e envelope, rest []byte) bool {
	c := walk.Over(rest)
	n, ok := readCount(&c)
	if ok = ok && closes(&c); ok {
		r.enter(e, tokenCount)
		r.count(n)
	}
	return ok
}

func (r *rollout) quickRecord(e envelope, rest []byte) bool {
	c := walk.Over(rest)
	n, ok := readRecord(&c)
	if ok = ok && closes(&c); ok {
		r.enter(e, usageRecord)
		r.recorded(n)
	}
	return ok
}

func (r *rollout) quickCall(e envelope, rest []byte) bool {
	c := walk.Over(rest)
	a, ok := readAsked(&c)
	if ok = ok && closes(&c); ok {
		r.enter(e, toolCall)
		r.ask(a)
	}
	return ok
}

func (r *rollout) quickItem(e envelope, rest []byte) bool {
	c := walk.Over(rest)
	n, ok := readCompleted(&c)
	payload := rest[:c.Pos()]
	if ok = ok && closes(&c); ok {
		r.enter(e, itemCompleted)
		if n.found {
			r.item(n.item, payload)
		}
	}
	return ok
}

// enter makes a line the current one.
func (r *rollout) enter(e envelope, l kind) {
	r.ms, r.m.Last = e.ms, e.ms
	r.settleMute(l)
}

// closes reads what follows a payload up to the line's end.
func closes(c *walk.Cursor) bool {
	for first := false; c.Member(&first); {
		switch string(c.Key()) {
		case "timestamp", "type", "payload":
			return false // a member for the second time
		}
		c.Skip()
	}
	return c.End()
}

// quickMessage leaves a message of the model's history: a user's once prompts
// are known to be marked, the agent's after noting where its text lies.
func (r *rollout) quickMessage(payload []byte) bool {
	c := walk.Over(payload)
	if !c.Object() {
		return false
	}
	for first := true; c.Member(&first); {
		switch string(c.Key()) {
		case "role":
			role, _ := c.Text()
			switch string(role) {
			case "user":
				return r.m.Spoken
			case "assistant":
				if r.m.Held != nil {
					return false
				}
				r.m.Answer = true
				r.noteReply(payload, fromMessage)
			}
			return true
		case "content":
			return false
		default:
			c.Skip()
		}
	}
	return false
}

// quickReply notes where the agent's text lies.
func (r *rollout) quickReply(payload []byte) bool {
	if r.m.Held != nil {
		return false
	}
	r.m.Answer = true
	r.noteReply(payload, fromEvent)
	return true
}

// quickOutput reads a result up to its text, and the exit code at its ends.
func (r *rollout) quickOutput(payload []byte) bool {
	c := walk.Over(payload)
	if !c.Object() {
		return false
	}
	var callID []byte
	for first := true; c.Member(&first); {
		switch string(c.Key()) {
		case "call_id":
			callID, _ = c.Text()
		case "output":
			if len(callID) == 0 || c.Peek() != '"' {
				return false
			}
			r.result(callID, textOK(payload[c.Pos()+1:]))
			return true
		default:
			c.Skip()
		}
	}
	return false
}
