package status

import (
	"slices"
	"strings"
	"time"

	"meterbridge"
)

const (
	// mostSubagents are tracked, with names of longestName characters; of as many
	// that ended it is remembered that they are known.
	mostSubagents = 64
	longestName   = 48
)

// subagents are those that run, in order, and those that did.
type subagents struct {
	live  []meterbridge.RunningSubagent
	known []string
}

func (s *subagents) none() bool { return len(s.live) == 0 }

func (s *subagents) list() []meterbridge.RunningSubagent { return slices.Clone(s.live) }

// replace makes the set the given one and returns when the newest was started
// that was never seen before; zero without one.
func (s *subagents) replace(set []meterbridge.RunningSubagent, now time.Time) (started time.Time) {
	old := s.live
	s.live = nil
	for _, a := range set {
		if a.ID == "" || len(s.live) >= mostSubagents || slices.ContainsFunc(s.live, named(a.ID)) {
			continue
		}
		a.Name = shortName(a.Name)
		if i := slices.IndexFunc(old, named(a.ID)); i >= 0 {
			a = merged(old[i], a)
		}
		if a.Since.IsZero() {
			a.Since = now
		}
		s.live = append(s.live, a)
		if !slices.Contains(s.known, a.ID) {
			s.remember(a.ID)
			if a.Since.After(started) {
				started = a.Since
			}
		}
	}
	return started
}

func named(id string) func(meterbridge.RunningSubagent) bool {
	return func(a meterbridge.RunningSubagent) bool { return a.ID == id }
}

// merged is a sub-agent that is told of again: only a missing name is filled in.
func merged(old, again meterbridge.RunningSubagent) meterbridge.RunningSubagent {
	if old.Name == "" {
		old.Name = again.Name
	}
	return old
}

func (s *subagents) remember(id string) {
	if len(s.known) >= 4*mostSubagents {
		s.known = slices.Delete(s.known, 0, 1)
	}
	s.known = append(s.known, id)
}

// shortName is a name on one line.
func shortName(name string) string {
	name = strings.Join(strings.Fields(name), " ")
	if r := []rune(name); len(r) > longestName {
		return string(r[:longestName])
	}
	return name
}

// WithSubagent is the set of running sub-agents with one more.
func (m *Machine) WithSubagent(a meterbridge.RunningSubagent) []meterbridge.RunningSubagent {
	return append(m.subagents.list(), a)
}

// WithoutSubagent is the set of running sub-agents without that of the id; false
// when it is not in it.
func (m *Machine) WithoutSubagent(id string) ([]meterbridge.RunningSubagent, bool) {
	set := slices.DeleteFunc(m.subagents.list(), named(id))
	return set, len(set) < len(m.subagents.live)
}

// running takes the whole set of sub-agents that run.
func (m *Machine) running(s Signal) (Publication, bool) {
	started := m.subagents.replace(s.Running, s.At)
	if !m.deferred.at.IsZero() {
		switch {
		case !m.subagents.none():
			m.deferred.from = time.Time{}
		case m.deferred.from.IsZero():
			m.deferred.from = s.At
		}
	}
	ended := m.status == meterbridge.Finished || m.status == meterbridge.Idle
	if ended && started.After(m.since) {
		return m.publish(Publication{Status: meterbridge.Working, At: started, Origin: ByHook})
	}
	return Publication{}, false
}

// settle ends a turn whose sub-agents are gone, or have taken too long.
func (m *Machine) settle(s Signal) (Publication, bool) {
	due := m.Due()
	if due.IsZero() || s.At.Before(due) {
		return Publication{}, false
	}
	m.subagents.live = nil
	return m.publish(Publication{Status: meterbridge.Finished, At: s.At, Origin: ByHook, Detail: m.deferred.detail})
}
