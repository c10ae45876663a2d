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
	return l.now
}

// scanState is how the reading of sources goes: that of the live scanner where
// one runs, else that of the scans that were asked for.
func (m *Meter) scanState() dashboard.ScanState {
	if m.live == nil {
		return m.scans.state()
	}
	live := m.live.State()
	s := dashboard.ScanState{Running: live.Scanning, Complete: live.Ready, Scans: live.Rescans}
	if !live.LastRescan.IsZero() {
		end := live.LastRescan.UTC()
		begin := end.Add(-live.RescanCost)
		s.StartedAt, s.EndedAt = &begin, &end
	}
	if live.Err != nil {
		text := live.Err.Error()
		s.Error = &text
	}
	return s
}
