package pipeline

import (
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// mostRates bounds how many callers and tools are remembered.
const mostRates = 4096

// rates count how often each caller calls each tool.
type rates struct {
	perMinute, burst int
	now              func() time.Time
	mu               sync.Mutex
	of               map[rateKey]*rateEntry
}

type rateKey struct{ who, tool string }

type rateEntry struct {
	limiter *rate.Limiter
	used    time.Time
}

// take counts a call. When it is one too many, it says how long to wait.
func (r *rates) take(who, tool string) (wait time.Duration, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	now, key := r.now(), rateKey{who, tool}
	e := r.of[key]
	if e == nil {
		r.makeRoom()
		e = &rateEntry{limiter: rate.NewLimiter(rate.Limit(float64(r.perMinute)/60), r.burst)}
		r.of[key] = e
	}
	e.used = now
	turn := e.limiter.ReserveN(now, 1)
	if wait = turn.DelayFrom(now); wait > 0 {
		turn.CancelAt(now)
		return wait, false
	}
	return 0, true
}

// makeRoom forgets the one that was quiet the longest.
func (r *rates) makeRoom() {
	if len(r.of) < mostRates {
		return
	}
	var oldest rateKey
	for key, e := range r.of {
		if oldest == (rateKey{}) || e.used.Before(r.of[oldest].used) {
			oldest = key
		}
	}
	delete(r.of, oldest)
}
