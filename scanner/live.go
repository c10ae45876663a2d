package scanner

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"meterbridge"
)

// ErrStopped is returned by Refresh when Run has ended or ends before the
// answer is there.
var ErrStopped = errors.New("the scanner has stopped")

// Keeper is told of the passes of a live scanner, one at a time and, but for
// Settle, never during a commit. The ledger is one.
type Keeper interface {
	// BeginPass is called before a pass commits: what the sink holds was seen earlier.
	BeginPass(ctx context.Context) error
	// EndPass is called after it.
	EndPass(ctx context.Context) error
	// Settle is called at most once a second after commits; passes go on meanwhile.
	Settle(ctx context.Context) error
	// Idle is called once when nothing was committed for a minute.
	Idle(ctx context.Context) error
}

// LiveOptions are the settings of a live scanner; the zero value is valid.
type LiveOptions struct {
	// Keeper is told of the passes; nil for nobody.
	Keeper Keeper
	// Committed is told after each commit what was in it. It must not block, and
	// must not call the scanner.
	Committed func(Committed)
	// Rescan is how often all roots are walked although nothing was heard of; 0 is
	// 10 s. It is longer where that would cost more than half a percent of a core.
	Rescan time.Duration
	// Busy is the least distance of two commits of a file that changes all the
	// time, more than six times within it; 0 is 75 ms. Other files are committed
	// at once.
	Busy time.Duration
	// Active is how long after its last change a folder is watched; 0 is 14 days.
	Active time.Duration
	// MaxWatches bounds the folders watched; 0 is half of what the machine allows.
	MaxWatches int
	// Log is told of what went wrong and of what is missing; nil for nobody.
	Log *slog.Logger

	// open opens the source of events; nil is the system's.
	open func() (*notices, error)
}

// Committed is what one commit changed.
type Committed struct {
	At time.Time
	// Rows are the facts handed to the sink, Requests those of model requests.
	Rows, Requests int
	// Sessions are the ids of the sessions that facts belong to, by harness.
	Sessions map[string][]string
}

// Live keeps a sink up to date with the logs: it reads what is new, then
// watches their folders. The machine's notices are a hint and never the truth:
// all roots are walked again and again.
type Live struct {
	scanner  *Scanner
	opt      LiveOptions
	known    *known
	touched  *touched
	progress *audience
	watches  *watches

	// places are the folders as last walked. Run alone writes them; the mutex is
	// for those who read beside it.
	placesMu   sync.RWMutex
	places     map[string][]place // by path, of each harness that reads it
	companions map[string]string  // a database's side file → the database

	// listings are what the last rescans found in folders.
	listings listings
	// round counts rescans.
	round int
	// settled: nothing was committed since the sums were made; quiet: nor since Idle.
	settled, quiet bool
	// settling: Settle has not returned; beside is done when it has.
	settling   atomic.Bool
	beside     sync.WaitGroup
	lastCommit time.Time
	lastSettle time.Time
	lastRescan time.Time
	rescanCost time.Duration
	// notBefore is when the next pass may begin, after failures in a row.
	notBefore time.Time
	failures  int

	mu      sync.Mutex
	waiting []*refresh
	stopped bool
	state   LiveState
}

// NewLive returns a live scanner; Run makes it work.
func NewLive(sink Sink, o Options, l LiveOptions) (*Live, error) {
	s, err := New(sink, o)
	if err != nil {
		return nil, err
	}
	l = l.withDefaults()
	live := &Live{
		scanner: s, opt: l, touched: newTouched(l.Busy), progress: newAudience(s.opt.Progress),
		places: map[string][]place{}, companions: map[string]string{}, settled: true, quiet: true,
	}
	live.known, live.watches = s.newKnown(), newWatches(live)
	s.opt.Progress = live.progress
	s.places, s.idle = true, make(chan *worker, s.opt.Workers)
	s.committed, s.remembered = live.take, live.known.state
	return live, nil
}

func (o LiveOptions) withDefaults() LiveOptions {
	if o.Keeper == nil {
		o.Keeper = nobody{}
	}
	if o.Committed == nil {
		o.Committed = func(Committed) {}
	}
	if o.Rescan <= 0 {
		o.Rescan = 10 * time.Second
	}
	if o.Busy <= 0 {
		o.Busy = 75 * time.Millisecond
	}
	if o.Active <= 0 {
		o.Active = 14 * 24 * time.Hour
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.open == nil {
		o.open = openNotifier
	}
	return o
}

// nobody keeps nothing.
type nobody struct{}

func (nobody) BeginPass(context.Context) error { return nil }
func (nobody) EndPass(context.Context) error   { return nil }
func (nobody) Settle(context.Context) error    { return nil }
func (nobody) Idle(context.Context) error      { return nil }

// take remembers what the sink has taken and tells of it.
func (l *Live) take(units []meterbridge.Unit) {
	c := Committed{At: time.Now(), Sessions: sessionsOf(units)}
	for i := range units {
		u := &units[i]
		l.known.take(u.Checkpoint, true)
		c.Rows += u.Batch.Len()
		c.Requests += len(u.Batch.Requests)
	}
	l.settled, l.quiet, l.lastCommit = false, false, c.At
	l.mu.Lock()
	l.state.Commits++
	l.state.Rows += int64(c.Rows)
	l.state.LastCommit = c.At
	for i := range units {
		for _, p := range units[i].Batch.Problems {
			l.state.problem(units[i].Checkpoint.Harness, p.Reason)
		}
	}
	l.mu.Unlock()
	l.opt.Committed(c)
}

// sessionsOf are the sessions that the units tell something of.
func sessionsOf(units []meterbridge.Unit) map[string][]string {
	out := map[string][]string{}
	seen := map[[2]string]bool{}
	add := func(harness, session string) {
		if key := [2]string{harness, session}; session != "" && !seen[key] {
			seen[key] = true
			out[harness] = append(out[harness], session)
		}
	}
	for i := range units {
		h, b := units[i].Checkpoint.Harness, &units[i].Batch
		for j := range b.Requests {
			add(h, b.Requests[j].Session)
		}
		for j := range b.Sessions {
			add(h, b.Sessions[j].ID)
		}
		for j := range b.Prompts {
			add(h, b.Prompts[j].Session)
		}
		for j := range b.ToolCalls {
			add(h, b.ToolCalls[j].Session)
		}
		for j := range b.Turns {
			add(h, b.Turns[j].Session)
		}
		for j := range b.Limits {
			add(h, b.Limits[j].Session)
		}
		for j := range b.Events {
			add(h, b.Events[j].Session)
		}
	}
	return out
}
