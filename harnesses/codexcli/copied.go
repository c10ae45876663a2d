package codexcli

// A legacy fork, and a legacy sub-agent that inherits its parent's context,
// begins with a copy of the parent's lines, written in one go with new times.
// The copy begins with the parent's session_meta. Where it ends is told by
// what later lines say of themselves, and where they say nothing by the pause
// before them.

const (
	// pause before a line that begins a turn ends a copy, in ms.
	pause = 200
	// longPause before any line ends a copy: no writing of a block halts so long.
	longPause = 1000
)

// owner is whose work a line is.
type owner int

const (
	nobodys owner = iota
	threads
	parents
)

// endsCopy reports whether the line is the first after a copied block.
func (r *rollout) endsCopy(l kind, payload []byte, gap int64) bool {
	switch r.whose(l, payload) {
	case threads:
		return true
	case parents:
		r.m.Jump = false
		return false
	}
	if gap > longPause {
		return true
	}
	r.m.Jump = r.m.Jump || gap >= pause
	if r.m.Jump && begins(l, payload) {
		return true
	}
	if l != unread && l != message {
		r.m.Jump = false
	}
	return false
}

// begins reports whether a line can be the first of a thread's own work.
func begins(l kind, payload []byte) bool {
	switch l {
	case taskStarted, userMessage, turnContext, threadSettings:
		return true
	case message:
		return text(member(payload, "role")) == "user"
	}
	return false
}

// whose tells whose work a line is by the ids in it.
func (r *rollout) whose(l kind, payload []byte) owner {
	switch l {
	case sessionMeta:
		return r.byThread(member(payload, "id"))
	case usageRecord, itemCompleted, threadSettings:
		return r.byThread(member(payload, "thread_id"))
	case taskStarted:
		if o := r.byTurn(member(payload, "turn_id")); o != nobodys {
			return o
		}
		return r.bySecond(member(payload, "started_at"))
	case taskComplete, turnAborted, turnContext:
		return r.byTurn(member(payload, "turn_id"))
	case message, answer, toolCall, toolOutput:
		return r.byTurn(member(member(payload, "internal_chat_message_metadata_passthrough"), "turn_id"))
	}
	return nobodys
}

func (r *rollout) byThread(raw []byte) owner {
	switch text(raw) {
	case "":
		return nobodys
	case r.m.Thread:
		return threads
	}
	return parents
}

// byTurn compares the times inside the ids of turn and thread (version 7
// UUIDs): a copied turn is older than the thread. Ids whose time is not that
// of the log are not what they seem and tell nothing.
func (r *rollout) byTurn(raw []byte) owner {
	ms := idMillis(text(raw))
	switch {
	case ms == 0 || r.m.Born == 0 || ms > r.ms+idSlack:
		return nobodys
	case ms < r.m.Born:
		return parents
	}
	return threads
}

// bySecond compares the second in which a turn began with the thread's own.
func (r *rollout) bySecond(raw []byte) owner {
	at, ok := number(raw)
	made := r.m.Made / 1000
	switch {
	case !ok || at == made || made == 0:
		return nobodys
	case at < made:
		return parents
	case at > r.ms/1000+idSlack/1000:
		return nobodys
	}
	return threads
}
