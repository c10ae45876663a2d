package daemon

import (
	"context"
	"errors"
	"sync"
	"time"

	"meterbridge/bridge"
)

// lender has the open installation for those who ask it questions.
type lender interface {
	// lend opens it if need be and hands it to ask.
	lend(ctx context.Context, ask func(*Meter) error) error
	// refresh reads what is new. What began goes on when ctx ends before it.
	refresh(ctx context.Context) error
}

// kept is the installation of a process that has it open anyway.
type kept struct{ meter *Meter }

func (k kept) lend(_ context.Context, ask func(*Meter) error) error { return ask(k.meter) }

func (k kept) refresh(ctx context.Context) error {
	_, err := k.meter.Scan(ctx, nil)
	return err
}

// leaseIdle is how long a lease keeps the ledger after the last question.
const leaseIdle = 5 * time.Second

// lease opens the installation when it is asked something and closes it soon
// after, so that commands and other processes have the ledger in between.
type lease struct {
	open func(context.Context) (*Meter, error)
	idle time.Duration
	ctx  context.Context
	stop context.CancelFunc
	// opening is held while the installation is opened or closed.
	opening chan struct{}

	mu sync.Mutex
	// meter is nil while it is closed; users ask it something; timer closes it.
	meter *Meter
	users int
	timer *time.Timer
	// reading is the scan that runs, nil without one; scans counts those that began.
	reading *reading
	scans   int
	running sync.WaitGroup
}

// reading is one scan.
type reading struct {
	number int
	done   chan struct{}
	err    error
}

func newLease(open func(context.Context) (*Meter, error), idle time.Duration) *lease {
	l := &lease{open: open, idle: idle, opening: make(chan struct{}, 1)}
	l.ctx, l.stop = context.WithCancel(context.Background())
	return l
}

// lend implements lender.
func (l *lease) lend(ctx context.Context, ask func(*Meter) error) error {
	m, err := l.take(ctx)
	if err != nil {
		return err
	}
	defer l.give()
	return ask(m)
}

func (l *lease) take(ctx context.Context) (*Meter, error) {
	select {
	case l.opening <- struct{}{}:
		defer func() { <-l.opening }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if m := l.enter(nil); m != nil {
		return m, nil
	}
	if l.ctx.Err() != nil {
		return nil, &bridge.ToolError{Code: bridge.CodeUnavailable, Message: "meterbridge is stopping"}
	}
	m, err := l.open(ctx)
	if err != nil {
		return nil, unavailable(err)
	}
	return l.enter(m), nil
}

// enter counts a user of the open installation, which is m if it is not nil.
func (l *lease) enter(m *Meter) *Meter {
	l.mu.Lock()
	defer l.mu.Unlock()
	if m != nil {
		l.meter = m
	}
	if l.meter == nil {
		return nil
	}
	l.users++
	if l.timer != nil {
		l.timer.Stop()
	}
	return l.meter
}

// unavailable is why the ledger cannot be asked now.
func unavailable(err error) error {
	var fault *Fault
	if errors.As(err, &fault) {
		return &bridge.ToolError{Code: bridge.CodeUnavailable, Message: fault.Error() + "; " + fault.Hint}
	}
	return err
}

func (l *lease) give() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.users--; l.users == 0 {
		l.timer = time.AfterFunc(l.idle, l.closeIdle)
	}
}

// closeIdle closes what nobody uses.
func (l *lease) closeIdle() {
	l.opening <- struct{}{}
	defer func() { <-l.opening }()
	l.mu.Lock()
	m := l.meter
	if m == nil || l.users > 0 {
		l.mu.Unlock()
		return
	}
	l.meter = nil
	l.mu.Unlock()
	_ = m.Close() // the next question opens it anew, and says what is wrong
}

// refresh implements lender. A scan that began before the question may have
// passed what is new, so it does not count.
func (l *lease) refresh(ctx context.Context) error {
	l.mu.Lock()
	before := l.scans
	l.mu.Unlock()
	for {
		s := l.scan()
		select {
		case <-s.done:
			if s.number > before {
				return s.err
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// scan is the scan that runs, or one that begins now.
func (l *lease) scan() *reading {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.reading != nil {
		return l.reading
	}
	l.scans++
	s := &reading{number: l.scans, done: make(chan struct{})}
	l.reading = s
	l.running.Go(func() {
		s.err = l.lend(l.ctx, func(m *Meter) error {
			_, err := m.Scan(l.ctx, nil)
			return err
		})
		l.mu.Lock()
		l.reading = nil
		l.mu.Unlock()
		close(s.done)
	})
	return s
}

// close ends what runs and closes the installation.
func (l *lease) close() {
	l.stop()
	l.running.Wait()
	l.closeIdle()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.timer != nil {
		l.timer.Stop()
	}
}
