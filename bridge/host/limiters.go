package host

import (
	"sync"
	"time"

	"golang.org/x/time/rate"

	"meterbridge/bridge"
)

// limiters count what an extension asks, by method.
type limiters struct {
	now func() time.Time
	mu  sync.Mutex
	of  map[string]*rate.Limiter
}

// take counts one use of a method that may be used so often a minute. The fault
// says how long to wait.
func (l *limiters) take(name string, perMinute float64, burst int) *fault {
	l.mu.Lock()
	defer l.mu.Unlock()
	limiter := l.of[name]
	if limiter == nil {
		limiter = rate.NewLimiter(rate.Limit(perMinute/60), burst)
		l.of[name] = limiter
	}
	now := l.now()
	turn := limiter.ReserveN(now, 1)
	wait := turn.DelayFrom(now)
	if wait <= 0 {
		return nil
	}
	turn.CancelAt(now)
	return tooOften(wait)
}

func tooOften(wait time.Duration) *fault {
	ms := wait.Milliseconds() + 1
	f := faulty(bridge.CodeRateLimited, "too often; wait %d ms", ms)
	f.data = map[string]any{"retryAfterMs": ms}
	return f
}
