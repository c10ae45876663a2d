package scanner

import (
	"context"
	"log/slog"
	"time"
)

const (
	// settleAfter is the least distance of two settlings.
	settleAfter = time.Second
	// overdue is how long settling may wait for a moment in which nothing is to be read.
	overdue = 5 * time.Second
	// idleAfter is how long nothing was committed when Idle is called.
	idleAfter = time.Minute
	// grace is how long a pass may go on after the end was asked for.
	grace = 10 * time.Second
	// firstRetry and lastRetry bound the wait after an error of the sink.
	firstRetry, lastRetry = 100 * time.Millisecond, 30 * time.Second
	// longestPause is the longest pause between two passes of quiet files.
	longestPause = 20 * time.Millisecond
)

// Run reads what is new and then watches until ctx ends. What is being read
// then is read to its end and committed. It is called once; its error is one
// that makes no sense to try again, or nil.
func (l *Live) Run(ctx context.Context) error {
	l.scanner.stop = ctx.Done()
	defer l.end()
	if err := l.load(ctx); err != nil || ctx.Err() != nil {
		return err
	}
	l.watches.open()
	defer l.watches.close()
	l.touched.addAll(time.Now())
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		timer.Reset(l.step(ctx))
		select {
		case <-ctx.Done():
			return l.last()
		case <-l.touched.wake:
			timer.Stop()
		case <-timer.C:
		}
	}
}

// end lets those go who still wait.
func (l *Live) end() {
	l.mu.Lock()
	l.stopped = true
	l.mu.Unlock()
	answer(l.waiters(), Result{}, ErrStopped)
}

// load reads the checkpoints, as often as it takes.
func (l *Live) load(ctx context.Context) error {
	for {
		list, err := l.scanner.sink.Checkpoints(ctx)
		if err == nil {
			for i := range list {
				l.known.take(list[i], false)
			}
			l.failed(nil)
			return nil
		}
		answer(l.waiters(), Result{}, err)
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(l.failed(err)):
		}
	}
}

// step does what is due and returns how long nothing will be.
func (l *Live) step(ctx context.Context) time.Duration {
	now := time.Now()
	waiters := l.waiters()
	if wait := l.notBefore.Sub(now); wait > 0 && len(waiters) == 0 {
		return wait
	}
	if len(waiters) > 0 || now.Sub(l.lastRescan) >= l.period() || l.watches.lost() {
		l.touched.addAll(now)
	}
	if !l.settled && now.Sub(l.lastSettle) > overdue {
		l.settle(ctx, now)
	}
	paths, all, next := l.touched.take(now)
	if !all && len(paths) == 0 {
		return l.rest(ctx, now, next)
	}
	res, err := l.pass(ctx, paths, all)
	answer(waiters, res, err)
	end := time.Now()
	l.notBefore = end.Add(min(end.Sub(now), longestPause))
	if err != nil {
		l.touched.again(paths, all)
		l.notBefore = end.Add(l.failed(err))
		return l.notBefore.Sub(end)
	}
	l.failed(nil)
	l.touched.done()
	return 0
}

// rest does what waits for a pause and returns how long it lasts.
func (l *Live) rest(ctx context.Context, now, next time.Time) time.Duration {
	wait := l.lastRescan.Add(l.period()).Sub(now)
	if !next.IsZero() {
		wait = min(wait, next.Sub(now))
	}
	if !l.settled {
		due := l.lastSettle.Add(settleAfter)
		if due.After(now) {
			return max(0, min(wait, due.Sub(now)))
		}
		l.settle(ctx, now)
	}
	if !l.quiet {
		due := l.lastCommit.Add(idleAfter)
		if due.After(now) {
			return max(0, min(wait, due.Sub(now)))
		}
		l.quiet = true
		l.report("keep the ledger in order", l.opt.Keeper.Idle(context.WithoutCancel(ctx)))
	}
	return max(0, wait)
}

// settle has the sums made beside the next passes, unless that is still under way.
func (l *Live) settle(ctx context.Context, now time.Time) {
	l.lastSettle = now
	if !l.settling.CompareAndSwap(false, true) {
		return
	}
	l.settled = true
	l.beside.Go(func() {
		defer l.settling.Store(false)
		l.report("sum up", l.opt.Keeper.Settle(context.WithoutCancel(ctx)))
	})
}

func (l *Live) report(what string, err error) {
	if err != nil {
		l.opt.Log.Warn("live scanner: a task between passes did not end well", slog.String("task", what), slog.Any("err", err))
	}
}

// last sums up before the end.
func (l *Live) last() error {
	l.beside.Wait()
	if l.settled {
		return nil
	}
	return l.opt.Keeper.Settle(context.Background())
}

// failed notes how a pass went and returns how long to wait after an error.
func (l *Live) failed(err error) time.Duration {
	l.mu.Lock()
	l.state.Err = err
	l.mu.Unlock()
	if err == nil {
		l.failures = 0
		return 0
	}
	wait := min(firstRetry<<min(l.failures, 10), lastRetry)
	l.failures++
	l.opt.Log.Warn("live scanner: the sink refused, it is tried again", slog.Duration("wait", wait), slog.Any("err", err))
	return wait
}
