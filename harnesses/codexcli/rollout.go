package codexcli

import (
	"bytes"
	"encoding/json"

	"meterbridge"
	"meterbridge/harnesses"
	"meterbridge/harnesses/walk"
)

// rollout reads the lines of one rollout.
type rollout struct {
	opt harnesses.Options
	m   memory

	// The line being read.
	out   *meterbridge.Batch
	place meterbridge.Place
	ms    int64

	// reply is the payload with the newest text of the agent, not yet emitted.
	reply     []byte
	replyFrom replySource
	replyAt   int64
	// rates are the rate limits that were read last.
	rates []byte
	// words are texts by their raw form.
	words map[string]string
}

func newRollout(opt harnesses.Options) *rollout {
	r := &rollout{opt: opt, m: remember(opt.State)}
	if r.m.Thread == "" {
		r.m.Thread, r.m.Named = threadOfName(opt.Path), true
	}
	return r
}

// Line implements harnesses.LineParser.
func (r *rollout) Line(line []byte, at meterbridge.Place, out *meterbridge.Batch) {
	r.out, r.place = out, at
	if at.Offset == 0 {
		line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
	}
	if line = bytes.TrimSpace(line); len(line) == 0 || r.quick(line) {
		r.out = nil
		return
	}
	e, ok := open(line)
	if !ok {
		e, ok = r.mend(line)
	}
	if ok {
		r.read(e)
	}
	r.out = nil
}

// mend handles a line that the cursor refused. Only what encoding/json refuses
// too is malformed, and of that a whole record at its end is saved.
func (r *rollout) mend(line []byte) (envelope, bool) {
	if json.Valid(line) {
		e, ok := decode(line)
		if !ok {
			r.problem("wrong-type", "a line is no JSON object")
		}
		return e, ok
	}
	r.problem("malformed-json", "a line is not valid JSON")
	if rest := glued(line); rest != nil {
		return open(rest)
	}
	return envelope{}, false
}

// Flush implements harnesses.LineParser.
func (r *rollout) Flush(out *meterbridge.Batch) {
	r.out = out
	r.flushMute()
	r.flushCalls()
	r.flushReply()
	r.out = nil
}

// State implements harnesses.LineParser.
func (r *rollout) State() []byte {
	m := r.m
	if r.opt.DropText && m.Held != nil {
		waits := *m.Held
		waits.Preview, m.Held = "", &waits
	}
	return m.bytes()
}

// read handles one line: first whether it is a copy, then what it says.
func (r *rollout) read(e envelope) {
	before := r.m.Last
	r.ms = e.ms
	if r.ms == 0 {
		r.ms = before
	}
	if r.ms == 0 {
		r.ms = r.made()
	}
	r.m.Last = r.ms
	if e.payload == nil {
		r.bare(e)
		return
	}
	l := label(e)
	if r.m.Copy && r.endsCopy(l, e.payload, e.ms-before) {
		r.m.Copy = false
	}
	if l == unread {
		return
	}
	r.settleMute(l)
	if r.m.Copy {
		r.copied(l, e.payload)
		return
	}
	r.own(l, e.payload)
}

// made is when the thread was made as far as its head or its id tells: the time of
// lines before any that has one. No request is lost for its clock.
func (r *rollout) made() int64 {
	if r.m.Made > 0 {
		return r.m.Made
	}
	return idMillis(r.m.Thread)
}

// own handles a line of the thread's own.
func (r *rollout) own(l kind, payload []byte) {
	switch l {
	case sessionMeta:
		r.sessionMeta(payload)
	case turnContext:
		r.turnContext(payload)
	case threadSettings:
		r.threadSettings(payload)
	case usageRecord:
		r.usageRecord(payload)
	case tokenCount:
		r.tokenCount(payload)
	case compacted:
		r.event("compaction", "")
	case taskStarted, taskComplete, turnAborted:
		r.turn(l, payload)
	case userMessage:
		r.userMessage(payload)
	case agentMessage:
		r.m.Answer = true
		r.releaseHeld()
		r.noteReply(payload, fromEvent)
	case itemCompleted:
		r.itemCompleted(payload)
	case rolledBack:
		r.event("rewind", string(member(payload, "num_turns")))
	case failure:
		r.m.Failed = true
		r.event("error", errorWord(payload))
	case message:
		r.message(payload)
	case toolCall:
		r.toolCall(payload)
	case toolOutput:
		r.toolOutput(payload)
	case toolEnd:
		r.toolEnd(payload)
	case answer:
		r.m.Answer = true
	}
}

// copied handles a line of a copied parent: nothing in it was done or spent by
// this thread, but it leaves the running total, the model and the tier that the
// thread goes on with.
func (r *rollout) copied(l kind, payload []byte) {
	switch l {
	case sessionMeta:
		r.parentMeta(payload)
	case turnContext:
		r.turnContext(payload)
	case threadSettings:
		r.threadSettings(payload)
	case tokenCount:
		r.copiedCount(payload)
	case usageRecord:
		r.copiedRecord(payload)
	}
}

// bare handles a line without an envelope: files from before 0.44, which hold
// no usage. Only the first one says anything: the thread's id.
func (r *rollout) bare(e envelope) {
	if e.typ != nil || len(e.id) == 0 || !r.m.Named {
		return
	}
	r.m.Thread, r.m.Named = walk.Unquote(e.id, 0), false
	r.m.Branch = text(member(e.git, "branch"))
	r.emit(meterbridge.Session{Branch: r.m.Branch})
}

func (r *rollout) emit(s meterbridge.Session) {
	s.Harness, s.ID = id, r.m.Thread
	r.out.Sessions = append(r.out.Sessions, s)
}

func (r *rollout) event(what, detail string) {
	r.out.Events = append(r.out.Events, meterbridge.Event{
		Harness: id, Session: r.m.Thread, At: at(r.ms), Kind: what, Detail: detail, Place: r.place,
	})
}

func (r *rollout) problem(reason, detail string) {
	r.out.Problems = append(r.out.Problems, meterbridge.Problem{Reason: reason, Detail: detail, Place: r.place})
}
