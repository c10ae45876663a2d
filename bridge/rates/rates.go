// Package rates counts how often something is done by each of many: a caller's
// messages, a caller's calls of a tool. It imports nothing of the project; edge
// and pipeline ask it.
package rates

import (
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// Rates allow each key so many uses a minute, and so many at once. Keys that were
// quiet the longest are forgotten, so that strangers cannot fill the memory.
type Rates[K comparable] struct {
	perMinute, burst, most int
	now                    func() time.Time
	mu                     sync.Mutex
	of                     map[K]*entry
}

type entry struct {
	limiter *rate.Limiter
	used    time.Time
}

// New returns rates that remember at most most keys.
func New[K comparable](perMinute, burst, most int, now func() time.Time) *Rates[K] {
	return &Rates[K]{perMinute: perMinute, burst: burst, most: most, now: now, of: map[K]*entry{}}
}

// Take counts a use. When it is one too many, it says how long to wait.
func (r *Rates[K]) Take(key K) (wait time.Duration, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.now()
	e := r.of[key]
	if e == nil {
		r.makeRoom()
		e = &entry{limiter: rate.NewLimiter(rate.Limit(float64(r.perMinute)/60), r.burst)}
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

// makeRoom forgets the key that was quiet the longest.
func (r *Rates[K]) makeRoom() {
	if len(r.of) < r.most {
		return
	}
	var oldest K
	var found *entry
	for key, e := range r.of {
		if found == nil || e.used.Before(found.used) {
			oldest, found = key, e
		}
	}
	delete(r.of, oldest)
}
