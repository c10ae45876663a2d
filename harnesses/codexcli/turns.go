package codexcli

import (
	"strconv"

	"meterbridge"
	"meterbridge/harnesses/walk"
)

// turn handles the marks of a turn's beginning and end.
func (r *rollout) turn(l kind, payload []byte) {
	turnID := text(member(payload, "turn_id"))
	switch l {
	case taskStarted:
		r.beginTurn(turnID)
	case taskComplete:
		r.releaseHeld()
		if len(quoted(member(payload, "last_agent_message"))) > 0 {
			r.noteReply(payload, fromTurn)
		}
		r.endTurn(turnID, r.completed(payload), payload)
	case turnAborted:
		r.event("interrupted", text(member(payload, "reason")))
		r.m.Cut = true
		r.endTurn(turnID, "interrupted", payload)
	}
}

// beginTurn begins afresh: what an interrupted request had called belongs to
// none that follows.
func (r *rollout) beginTurn(turnID string) {
	r.afresh()
	r.m.Began, r.m.Failed = r.ms, false
	if r.m.Turns++; turnID == "" {
		turnID = "t" + strconv.FormatInt(r.m.Turns, 10)
	}
	r.m.Turn = turnID
	r.emitTurn(turnID, r.ms, 0, "")
}

// afresh forgets what was called for no request.
func (r *rollout) afresh() {
	r.forgetCalls()
	r.m.Cut, r.m.Answer, r.m.Tools, r.m.Searches = false, false, nil, 0
}

// afterCut begins afresh at a turn that no task_started marks, as in older logs.
func (r *rollout) afterCut() {
	if r.m.Cut {
		r.afresh()
	}
}

// completed is the outcome of a turn that was not stopped.
func (r *rollout) completed(payload []byte) string {
	err := member(payload, "error")
	if null(err) {
		return "finished"
	}
	if !r.m.Failed {
		r.event("error", errorWord(err))
	}
	return "failed"
}

func (r *rollout) endTurn(turnID, outcome string, payload []byte) {
	var started int64
	if ms, ok := number(member(payload, "duration_ms")); ok && ms >= 0 && ms < r.ms && turnID != r.m.Turn {
		started = r.ms - ms
	}
	if turnID == "" {
		turnID, started = r.m.Turn, 0
	}
	r.m.Turn, r.m.Failed = "", false
	if turnID != "" {
		r.emitTurn(turnID, started, r.ms, outcome)
	}
}

func (r *rollout) emitTurn(turnID string, started, ended int64, outcome string) {
	r.out.Turns = append(r.out.Turns, meterbridge.Turn{
		Harness: id, NativeID: r.m.Thread + "/" + turnID, Session: r.m.Thread,
		StartedAt: at(started), EndedAt: at(ended), Outcome: outcome,
	})
}

// errorWord is the short name of an error, with the HTTP status where there is one.
func errorWord(payload []byte) string {
	info := member(payload, "codex_error_info")
	if word := text(info); word != "" {
		return word
	}
	c := walk.Over(info)
	if !c.Object() {
		return ""
	}
	first := true
	if !c.Member(&first) {
		return ""
	}
	word := walk.Unquote(c.Key(), 0)
	if n, ok := number(member(c.Raw(), "http_status_code")); ok {
		return word + " " + strconv.FormatInt(n, 10)
	}
	return word
}
