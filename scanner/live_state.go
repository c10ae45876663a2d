package scanner

import (
	"maps"
	"slices"
	"time"
)

// LiveState is how a live scanner is doing.
type LiveState struct {
	// Ready: the first scan is done. Scanning: a scan of all roots runs.
	Ready, Scanning bool
	// Harnesses is what is known and was done, by harness, since the start.
	Harnesses []HarnessState
	// Commits and Rows count what was handed to the sink since the start.
	Commits, Rows int64
	// Rescans counts the walks of all roots since the start.
	Rescans int64
	// LastCommit and LastRescan are zero before the first one.
	LastCommit, LastRescan time.Time
	// Lag is the age of the oldest change that was seen and is not committed.
	Lag time.Duration
	// Period is how often all roots are walked, RescanCost what the last walk took.
	Period, RescanCost time.Duration
	// Watched is the number of folders watched, Unwatched those that should be and
	// are not: their changes are found by rescans.
	Watched, Unwatched int
	// Limits are the machine's.
	Limits Limits
	// Overflows counts how often notices were lost, each time followed by a rescan.
	Overflows int64
	// Degraded are the reasons why changes may be seen late; empty when all is well.
	Degraded []string
	// Err is the sink's last error while it is being tried again; nil when all is well.
	Err error
}

// HarnessState is what is known and was done of one harness.
type HarnessState struct {
	Harness string
	// Files is the number of sources that are there, of Roots found.
	Files int
	Roots []RootResult
	// Opened and BytesRead count since the start.
	Opened, BytesRead int64
	// Problems counts parse problems since the start, by reason.
	Problems map[string]int64
	// The bytes of the scan that runs, and those of them that it has read; 0 when
	// none does.
	ToDo, Done int64
}

// Limits are what the machine allows a user to watch; 0 where it does not say.
type Limits struct{ MaxWatches, MaxInstances, MaxQueued int }

func (s *LiveState) of(harness string) *HarnessState {
	i := slices.IndexFunc(s.Harnesses, func(h HarnessState) bool { return h.Harness == harness })
	if i < 0 {
		s.Harnesses = append(s.Harnesses, HarnessState{Harness: harness, Problems: map[string]int64{}})
		i = len(s.Harnesses) - 1
	}
	return &s.Harnesses[i]
}

func (s *LiveState) problem(harness, reason string) { s.of(harness).Problems[reason]++ }

// State tells how the scanner is doing; it may be called at any time.
func (l *Live) State() LiveState {
	announced, added := l.progress.amounts()
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.state
	s.Harnesses = slices.Clone(s.Harnesses)
	for i := range s.Harnesses {
		h := &s.Harnesses[i]
		h.Problems, h.Roots = maps.Clone(h.Problems), slices.Clone(h.Roots)
		h.ToDo, h.Done = announced[h.Harness].bytes, added[h.Harness].bytes
	}
	s.Degraded = slices.Clone(s.Degraded)
	s.Lag = l.touched.lag(time.Now())
	return s
}

// did adds the work of a pass to the state.
func (l *Live) did(res *Result, all bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := range res.Harnesses {
		r := &res.Harnesses[i]
		h := l.state.of(r.Harness)
		h.Opened += int64(r.Opened)
		h.BytesRead += r.BytesRead
		r.Files = l.known.there[i]
		if h.Files = r.Files; all {
			h.Roots = r.Roots
		}
	}
}
