package policy

import (
	"container/list"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// maxRates bounds how many senders' rates are remembered; the one that was quiet
// the longest is forgotten first.
const maxRates = 4096

// Rate is how many calls a minute there may be, and how many of them at once.
type Rate struct{ PerMinute, Burst int }

// DefaultRate is that of one agent's calls of one tool.
func DefaultRate() Rate { return Rate{PerMinute: 60, Burst: 20} }

// Rates count calls by sender and target. It may be used by several goroutines.
type Rates struct {
	rate Rate
	now  func() time.Time
	mu   sync.Mutex
	of   map[[2]string]*list.Element
	// used has the entries, the one used last in front.
	used *list.List
}

type rateEntry struct {
	key     [2]string
	limiter *rate.Limiter
}

// NewRates returns a count of calls; a nil clock is time.Now.
func NewRates(r Rate, now func() time.Time) *Rates {
	if now == nil {
		now = time.Now
	}
	return &Rates{rate: r, now: now, of: map[[2]string]*list.Element{}, used: list.New()}
}

// Take counts a call. When it is one too many it says how long to wait.
func (r *Rates) Take(sender, target string) (wait time.Duration, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.now()
	turn := r.limiter([2]string{sender, target}).ReserveN(now, 1)
	if wait = turn.DelayFrom(now); wait > 0 {
		turn.CancelAt(now)
		return wait, false
	}
	return 0, true
}

func (r *Rates) limiter(key [2]string) *rate.Limiter {
	if at := r.of[key]; at != nil {
		r.used.MoveToFront(at)
		return at.Value.(*rateEntry).limiter
	}
	if len(r.of) >= maxRates {
		last := r.used.Back()
		delete(r.of, last.Value.(*rateEntry).key)
		r.used.Remove(last)
	}
	limiter := rate.NewLimiter(rate.Limit(float64(r.rate.PerMinute)/60), r.rate.Burst)
	r.of[key] = r.used.PushFront(&rateEntry{key, limiter})
	return limiter
}
