package codexcli

import "meterbridge"

// mute is a request before which the model wrote nothing into the log. A
// compaction's is one: its answer, the summary, is only in the compacted line
// that follows at once.
type mute struct {
	Request meterbridge.Request `json:"request"`
	// Sent: it has been emitted, without a purpose.
	Sent bool `json:"sent,omitempty"`
}

// compactedWithin is how long after its request a compacted line comes, in ms.
const compactedWithin = 5000

// settleMute decides about the held request at the line that follows it.
// Counters in between say nothing.
func (r *rollout) settleMute(l kind) {
	if r.m.Mute == nil || l == tokenCount {
		return
	}
	q := &r.m.Mute.Request
	if l == compacted && !r.m.Copy && r.ms-q.EndedAt.UnixMilli() <= compactedWithin {
		q.Purpose = "compaction"
		r.m.Mute.Sent = false
	}
	r.flushMute()
	r.m.Mute = nil
}

func (r *rollout) flushMute() {
	if r.m.Mute == nil || r.m.Mute.Sent {
		return
	}
	r.m.Mute.Sent = true
	r.out.Requests = append(r.out.Requests, r.m.Mute.Request)
}
