package codexcli

import "meterbridge"

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
	if len(payload) > maxReply {
		return
	}
	r.reply, r.replyFrom, r.replyAt = append(r.reply[:0], payload...), from, r.ms
}

// flushReply emits the newest text.
func (r *rollout) flushReply() {
	reply := replyText(r.reply, r.replyFrom)
	r.reply = r.reply[:0]
	if reply != "" {
		r.emit(meterbridge.Session{LastReply: reply, LastReplyAt: at(r.replyAt)})
	}
}

func replyText(payload []byte, from replySource) string {
	switch from {
	case fromMessage:
		return contents(member(payload, "content"), 0)
	case fromItem:
		return contents(member(member(payload, "item"), "content"), 0)
	case fromTurn:
		return text(member(payload, "last_agent_message"))
	}
	return text(member(payload, "message"))
}
