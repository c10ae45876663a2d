package daemon

import (
	"sync"
	"time"

	"meterbridge/dashboard"
)

// scanLog remembers how scans went.
type scanLog struct {
	mu  sync.Mutex
	now dashboard.ScanState
}

func (l *scanLog) begin(at time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	at = at.UTC()
	l.now.Running, l.now.StartedAt, l.now.EndedAt, l.now.Error = true, &at, nil, nil
}

func (l *scanLog) end(at time.Time, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	at = at.UTC()
	l.now.Running, l.now.EndedAt = false, &at
	l.now.Scans++
	if err != nil {
		text := err.Error()
		l.now.Error = &text
		return
	}
	l.now.Complete = true
}

func (l *scanLog) state() dashboard.ScanState {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now
	now.Degraded = []string{}
	return now
}

// scanState tells how the reading of sources goes, live or by single scans.
func (m *Meter) scanState() dashboard.ScanState {
	if m.live == nil {
		return m.scans.state()
	}
	live := m.live.State()
	out := dashboard.ScanState{
		Running: live.Scanning, Complete: live.Ready, Scans: live.Rescans, Live: true, LagMs: live.Lag.Milliseconds(), Degraded: listed(live.Degraded),
	}
	if at := live.LastRescan.UTC(); !live.LastRescan.IsZero() {
		out.EndedAt = &at
		begun := at.Add(-live.RescanCost)
		out.StartedAt = &begun
	}
	if live.Err != nil {
		text := live.Err.Error()
		out.Error = &text
	}
	return out
}

// harnessScans are the states of a live scan by harness; empty without one.
func (m *Meter) harnessScans() map[string]*dashboard.HarnessScan {
	of := map[string]*dashboard.HarnessScan{}
	if m.live == nil {
		return of
	}
	for _, h := range m.live.State().Harnesses {
		of[h.Harness] = &dashboard.HarnessScan{ToDoBytes: h.ToDo, DoneBytes: h.Done, BytesRead: h.BytesRead, Problems: h.Problems}
	}
	return of
}
