package terminal

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// Caller is who uses a terminal. The zero value is a person, who has no limits and
// whose uses are not recorded.
type Caller struct {
	// ID is the card instance, extension or agent that calls.
	ID string
	// Link is the link that allows it.
	Link string
}

func (c Caller) person() bool { return c.ID == "" }

// RateError says that a caller asks too often.
type RateError struct {
	// Verb is what it does too often; PerMinute how often it may.
	Verb      Verb
	PerMinute int
	// Wait is when the next one is allowed.
	Wait time.Duration
}

func (e *RateError) Error() string {
	return fmt.Sprintf("more than %d of %s a minute: wait %v", e.PerMinute, e.Verb, e.Wait.Round(time.Millisecond))
}

// ErrInvalid says that what was asked for is outside its bounds.
var ErrInvalid = errors.New("invalid parameter")

// Verb is a way to use a terminal.
type Verb string

// The ways that are counted and recorded.
const (
	VerbRun   Verb = "run"
	VerbWrite Verb = "write"
)

const (
	runsPerMinute   = 30
	writesPerMinute = 60
	// mostCallers bounds how many callers' rates are remembered.
	mostCallers = 1024
)

func perMinute(v Verb) int {
	if v == VerbRun {
		return runsPerMinute
	}
	return writesPerMinute
}

// rates count the uses of each caller. Who was quiet the longest is forgotten
// first.
type rates struct {
	mu sync.Mutex
	of map[rateKey]*callerRate
}

type rateKey struct {
	caller string
	verb   Verb
}

type callerRate struct {
	limiter *rate.Limiter
	used    time.Time
}

// take counts a use, or says how long to wait for it.
func (r *rates) take(c Caller, v Verb, now time.Time) error {
	if c.person() {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	l := r.limiter(rateKey{c.ID, v})
	l.used = now
	turn := l.limiter.ReserveN(now, 1)
	if wait := turn.DelayFrom(now); wait > 0 {
		turn.CancelAt(now)
		return &RateError{Verb: v, PerMinute: perMinute(v), Wait: wait}
	}
	return nil
}

func (r *rates) limiter(key rateKey) *callerRate {
	if l := r.of[key]; l != nil {
		return l
	}
	if r.of == nil {
		r.of = map[rateKey]*callerRate{}
	}
	if len(r.of) >= mostCallers {
		r.forget()
	}
	n := perMinute(key.verb)
	l := &callerRate{limiter: rate.NewLimiter(rate.Every(time.Minute/time.Duration(n)), n)}
	r.of[key] = l
	return l
}

func (r *rates) forget() {
	var oldest rateKey
	var at time.Time
	for key, l := range r.of {
		if at.IsZero() || l.used.Before(at) {
			oldest, at = key, l.used
		}
	}
	delete(r.of, oldest)
}
