package status

import (
	"time"

	"meterbridge"
)

// look holds what the transcript shows against the state. Only what is newer than
// the state says anything.
func (m *Machine) look(s Signal) (Publication, bool) {
	v := s.View
	if !m.deferred.at.IsZero() && v.TurnAt.After(m.deferred.at) {
		m.deferred = deferral{}
	}
	switch m.status {
	case meterbridge.Working, meterbridge.NeedsInput:
		return m.lookOpen(v, s.At)
	case meterbridge.Finished, meterbridge.Idle:
		return m.lookEnded(v)
	}
	if m.spawned {
		return m.lookEnded(v)
	}
	return Publication{}, false
}

func (m *Machine) lookOpen(v meterbridge.TranscriptView, now time.Time) (Publication, bool) {
	if !v.At.After(m.since) {
		return Publication{}, false
	}
	switch v.Phase {
	case meterbridge.PhaseEnded:
		if v.Queued > 0 && now.Sub(v.At) < QueuedSettle {
			return Publication{}, false
		}
		return m.end(fromTranscript(meterbridge.Finished, v.At), now)
	case meterbridge.PhaseInterrupted:
		return m.publish(fromTranscript(meterbridge.Idle, v.At))
	case meterbridge.PhaseFailed:
		p := fromTranscript(meterbridge.Finished, v.At)
		p.Error, p.Detail = v.Error, v.ErrorText
		return m.publish(p)
	case meterbridge.PhaseAnswered:
		if now.Sub(v.At) >= Answered {
			return m.end(fromTranscript(meterbridge.Finished, now), now)
		}
	}
	if m.status == meterbridge.NeedsInput && v.AssistantAt.After(m.since) {
		return m.publish(fromTranscript(meterbridge.Working, v.AssistantAt))
	}
	return Publication{}, false
}

// lookEnded finds a turn of which no hook told.
func (m *Machine) lookEnded(v meterbridge.TranscriptView) (Publication, bool) {
	if v.TurnAt.After(m.since) && (v.Phase == meterbridge.PhaseBusy || v.Phase == meterbridge.PhaseAnswered) {
		return m.publish(fromTranscript(meterbridge.Working, v.TurnAt))
	}
	return Publication{}, false
}

func fromTranscript(s meterbridge.Status, at time.Time) Publication {
	return Publication{Status: s, At: at, Origin: ByTranscript}
}
