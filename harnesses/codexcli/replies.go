package codexcli

import (
	"meterbridge"
	"meterbridge/harnesses/walk"
)

// replySource is the kind of payload that a reply lies in.
type replySource int

const (
	fromEvent replySource = iota
	fromMessage
	fromItem
	fromTurn
)

// maxReply bounds the payload that is kept, in bytes.
const maxReply = 8 << 20

// noteReply keeps the payload with the agent's newest text; it is taken apart
// only when it proves to be the last.
func (r *rollout) noteReply(payload []byte, from replySource) {
	// A message without text must not take the place of one that has some.
	if len(payload) > maxReply || replyText(payload, from, 1) == "" {
		return
	}
	r.reply, r.replyFrom, r.replyAt = append(r.reply[:0], payload...), from, r.ms
}

// flushReply emits the newest text.
func (r *rollout) flushReply() {
	reply := replyText(r.reply, r.replyFrom, 0)
	r.reply = r.reply[:0]
	if reply != "" {
		r.emit(meterbridge.Session{LastReply: reply, LastReplyAt: at(r.replyAt)})
	}
}

// replyText is the text of a payload, at most limit characters of it where
// limit is above 0.
func replyText(payload []byte, from replySource, limit int) string {
	switch from {
	case fromMessage:
		return contents(member(payload, "content"), limit)
	case fromItem:
		return contents(member(member(payload, "item"), "content"), limit)
	case fromTurn:
		return walk.Unquote(quoted(member(payload, "last_agent_message")), limit)
	}
	return walk.Unquote(quoted(member(payload, "message")), limit)
}
