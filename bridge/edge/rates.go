package edge

import (
	"sync"
	"time"

	"golang.org/x/time/rate"

	"meterbridge/bridge"
)

// mostRates bounds how many callers' rates are remembered.
const mostRates = 1024

// rates count the messages of each caller.
type rates struct {
	limits Limits
	now    func() time.Time
	mu     sync.Mutex
	of     map[string]*callerRate
}

type callerRate struct {
	limiter *rate.Limiter
	used    time.Time
}

// take counts a message. When it is one too many, it says how long to wait.
func (r *rates) take(who bridge.Identity) (wait time.Duration, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.now()
	c := r.of[who.Agent]
	if c == nil {
		r.makeRoom()
		c = &callerRate{limiter: rate.NewLimiter(rate.Limit(float64(r.limits.PerMinute)/60), r.limits.Burst)}
		r.of[who.Agent] = c
	}
	c.used = now
	turn := c.limiter.ReserveN(now, 1)
	if wait = turn.DelayFrom(now); wait > 0 {
		turn.CancelAt(now)
		return wait, false
	}
	return 0, true
}

// makeRoom forgets the caller that was quiet the longest.
func (r *rates) makeRoom() {
	if len(r.of) < mostRates {
		return
	}
	var oldest string
	for name, c := range r.of {
		if oldest == "" || c.used.Before(r.of[oldest].used) {
			oldest = name
		}
	}
	delete(r.of, oldest)
}

// counts count what each caller has open.
type counts struct {
	mu sync.Mutex
	of map[string]int
}

// take counts one more, unless the caller has most of them.
func (c *counts) take(who bridge.Identity, most int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.of[who.Agent] >= most {
		return false
	}
	c.of[who.Agent]++
	return true
}

func (c *counts) leave(who bridge.Identity) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.of[who.Agent]--; c.of[who.Agent] <= 0 {
		delete(c.of, who.Agent)
	}
}
