package status

import (
	"time"

	"meterbridge"
)

// Machine is the state of one agent. The zero value is an agent of which nothing
// was published yet.
type Machine struct {
	// status is empty before the first publication.
	status meterbridge.Status
	detail string
	// since is when the status was established; after a spawn, when that was.
	since time.Time
	// pending is when a guess was made that nothing confirmed; zero for none.
	pending time.Time
	// dismissed is when a person dismissed a question; zero once it is over.
	dismissed time.Time
	spawned   bool
	dead      bool
	subagents subagents
	deferred  deferral
}

// deferral is the end of a parent's own turn while sub-agents run.
type deferral struct {
	at     time.Time
	detail string
	// from is when the last sub-agent ended; zero while one runs.
	from time.Time
}

// Status is the published one; Idle before the first.
func (m *Machine) Status() meterbridge.Status {
	if m.status == "" {
		return meterbridge.Idle
	}
	return m.status
}

// Detail is the text of the question, or of the error, of the status.
func (m *Machine) Detail() string { return m.detail }

// Since is when the status was established.
func (m *Machine) Since() time.Time { return m.since }

// Guess is when a guess was made that nothing confirmed yet; zero for none.
func (m *Machine) Guess() time.Time { return m.pending }

// Subagents are those that run.
func (m *Machine) Subagents() []meterbridge.RunningSubagent { return m.subagents.list() }

// Deferred is when the agent's own turn ended while sub-agents ran; zero when it
// did not.
func (m *Machine) Deferred() time.Time { return m.deferred.at }

// Due is when Settle has something to do; zero for never.
func (m *Machine) Due() time.Time {
	if m.deferred.at.IsZero() {
		return time.Time{}
	}
	latest := m.deferred.at.Add(SubagentWait)
	if m.deferred.from.IsZero() {
		return latest
	}
	if due := m.deferred.from.Add(SubagentSettle); due.Before(latest) {
		return due
	}
	return latest
}

// Restore takes up a process that was followed before, as it was left.
func (m *Machine) Restore(s meterbridge.Status, since time.Time, detail string) {
	*m = Machine{status: s, since: since, detail: detail, spawned: true}
}

// Step takes a signal and says what is to be published; false for nothing.
func (m *Machine) Step(s Signal) (Publication, bool) {
	if s.Kind == Spawn {
		return m.spawn(s)
	}
	if m.dead {
		return Publication{}, false
	}
	switch s.Kind {
	case Exit:
		m.dead = true
	case Work:
		return m.work(s)
	case Resume:
		return m.resume(s)
	case Ask:
		return m.ask(s)
	case Finish:
		return m.finish(s)
	case Halt:
		return m.halt(s)
	case Press:
		return m.press(s)
	case Silence:
		return m.silence(s)
	case Look:
		return m.look(s)
	case Subagents:
		return m.running(s)
	case Settle:
		return m.settle(s)
	}
	return Publication{}, false
}

// publish establishes a status.
func (m *Machine) publish(p Publication) (Publication, bool) {
	m.status, m.detail, m.since = p.Status, p.Detail, p.At
	m.pending, m.dismissed = time.Time{}, time.Time{}
	if p.Status == meterbridge.Finished || p.Status == meterbridge.Idle {
		m.deferred = deferral{}
	}
	return p, true
}

func (m *Machine) spawn(s Signal) (Publication, bool) {
	m.dead, m.spawned = false, true
	m.subagents, m.deferred = subagents{}, deferral{}
	m.pending, m.dismissed = time.Time{}, time.Time{}
	m.since = s.At
	if m.status == "" || m.status == meterbridge.Idle {
		return Publication{}, false
	}
	return m.publish(Publication{Status: meterbridge.Idle, At: s.At, Origin: ByReset})
}

// inGrace reports whether a person has just dismissed a question.
func (m *Machine) inGrace(at time.Time) bool {
	return m.status == meterbridge.Idle && !m.dismissed.IsZero() && at.Sub(m.dismissed) < Grace
}

func (m *Machine) work(s Signal) (Publication, bool) {
	if m.inGrace(s.At) {
		return Publication{}, false
	}
	m.deferred = deferral{}
	if m.status == meterbridge.Working {
		m.pending, m.since = time.Time{}, s.At
		return Publication{}, false
	}
	return m.publish(Publication{Status: meterbridge.Working, At: s.At, Origin: ByHook})
}

func (m *Machine) resume(s Signal) (Publication, bool) {
	switch m.status {
	case meterbridge.NeedsInput:
		return m.publish(Publication{Status: meterbridge.Working, At: s.At, Origin: ByHook})
	case meterbridge.Working:
		m.pending = time.Time{}
	}
	return Publication{}, false
}

func (m *Machine) ask(s Signal) (Publication, bool) {
	if m.status != meterbridge.NeedsInput {
		return m.publish(Publication{Status: meterbridge.NeedsInput, At: s.At, Origin: ByHook, Detail: s.Detail})
	}
	if s.Detail == "" || s.Detail == m.detail {
		return Publication{}, false
	}
	m.detail = s.Detail
	return Publication{Status: meterbridge.NeedsInput, At: s.At, Origin: ByHook, Quiet: true, Detail: s.Detail}, true
}

func (m *Machine) finish(s Signal) (Publication, bool) {
	arrived := s.Arrived
	if arrived.IsZero() {
		arrived = s.At
	}
	if m.status == meterbridge.Finished || m.since.After(arrived) || m.inGrace(arrived) {
		return Publication{}, false
	}
	return m.end(Publication{Status: meterbridge.Finished, At: arrived, Origin: ByHook, Error: s.Error, Detail: s.Detail}, s.At)
}

// end publishes the end of a turn, or holds it back while sub-agents run.
func (m *Machine) end(p Publication, now time.Time) (Publication, bool) {
	open := m.status == meterbridge.Working || m.status == meterbridge.NeedsInput
	if p.Error != "" || !open || m.subagents.none() {
		return m.publish(p)
	}
	m.pending = time.Time{}
	if m.deferred.at.IsZero() {
		m.deferred.at = now
	}
	if p.Detail != "" {
		m.deferred.detail = p.Detail
	}
	return Publication{}, false
}

// halt is the end of a turn by a person, as the harness tells it.
func (m *Machine) halt(s Signal) (Publication, bool) {
	if m.status != meterbridge.Working && m.status != meterbridge.NeedsInput || m.since.After(s.At) {
		return Publication{}, false
	}
	return m.publish(Publication{Status: meterbridge.Idle, At: s.At, Origin: ByHook})
}

func (m *Machine) press(s Signal) (Publication, bool) {
	if s.Key == KeyDismiss {
		return m.dismiss(s)
	}
	if s.Key != KeyEnter && s.Key != KeyAnswer {
		return Publication{}, false
	}
	switch m.status {
	case meterbridge.NeedsInput:
		p, told := m.publish(Publication{Status: meterbridge.Working, At: s.At, Origin: ByUser})
		m.pending = s.At
		return p, told
	case meterbridge.Working:
		if !m.pending.IsZero() {
			m.pending = s.At
		}
		if s.Key == KeyEnter {
			m.deferred = deferral{}
		}
	case meterbridge.Idle:
		m.dismissed = time.Time{}
	}
	return Publication{}, false
}

func (m *Machine) dismiss(s Signal) (Publication, bool) {
	switch m.status {
	case meterbridge.NeedsInput:
		p, told := m.publish(Publication{Status: meterbridge.Idle, At: s.At, Origin: ByUser})
		m.dismissed = s.At
		return p, told
	case meterbridge.Working:
		m.pending = s.At
	}
	return Publication{}, false
}

func (m *Machine) silence(s Signal) (Publication, bool) {
	if m.pending.IsZero() {
		return Publication{}, false
	}
	return m.publish(Publication{Status: meterbridge.Idle, At: s.At, Origin: ByUser})
}
