package analytics

import (
	"context"
	"fmt"
	"os"
	"time"
)

// A ledger that is open for days is committed to many times a second. Begin and
// end of a scan would then cost more than its rows, so passes share a scan for a
// while, and what a scan does at its end is done later, once.

// passSpan is how long passes belong to one scan. Within it a request and its
// copy are told apart as within one scan: by what their sessions say of each other.
const passSpan = 10 * time.Second

// idleWAL is the size of a write-ahead log that is worth a checkpoint when
// nothing else is to be done.
const idleWAL = 1 << 20

// BeginPass begins a pass over what has changed. Unlike BeginScan it may join
// the scan of the passes before it.
func (l *Ledger) BeginPass(ctx context.Context) error {
	l.write.Lock()
	defer l.write.Unlock()
	l.passing = true
	if l.scan.open && !l.scan.backfill && l.opts.Now().Sub(l.scan.startedAt) < passSpan {
		if l.mem.loaded {
			l.knowIDs() // a second pass so soon: more will come
		}
		return nil
	}
	return l.beginScan(ctx)
}

// EndPass ends a pass; only a large one is settled at once.
func (l *Ledger) EndPass(ctx context.Context) error {
	l.write.Lock()
	l.passing = false
	large := l.scan.backfill || l.stats.Written-l.scan.before >= checkpointRows
	l.write.Unlock()
	if !large {
		return nil
	}
	return l.EndScan(ctx)
}

// Settle brings the rollup up to date; reports do it too, when they come first.
// It may be called while passes are committed.
func (l *Ledger) Settle(ctx context.Context) error { return l.freshen(ctx) }

// Idle does what can wait until nothing else is to be done: it puts requests in
// time order when too many are not, and empties a large write-ahead log.
func (l *Ledger) Idle(ctx context.Context) error {
	l.rolling.Lock()
	defer l.rolling.Unlock()
	l.write.Lock()
	defer l.write.Unlock()
	l.scan = scanState{}
	if err := l.compact(ctx); err != nil {
		return fmt.Errorf("put the ledger in time order: %w", err)
	}
	if err := l.rollUp(ctx); err != nil {
		return err
	}
	info, err := os.Stat(l.path + ".wal")
	if err != nil || info.Size() < idleWAL {
		return nil //nolint:nilerr // without a log there is nothing to empty
	}
	if _, err := l.w.ExecContext(ctx, "CHECKPOINT"); err != nil {
		return fmt.Errorf("write the ledger's file: %w", err)
	}
	return nil
}
