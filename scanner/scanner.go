// Package scanner finds the logs of coding agents, reads what is new in them and
// hands rows and checkpoints to a Sink in one transaction. It knows files,
// offsets and fingerprints; it knows no format (that is the harnesses' part)
// and no database (that is the Sink's). It must never import analytics or
// pricing. internal/daemon calls it; the command line shows its Progress.
package scanner

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"

	"meterbridge"
	"meterbridge/harnesses"
)

// ErrUnknownHarness is returned for an extra root of a harness that is not read.
var ErrUnknownHarness = errors.New("unknown harness")

// ErrRelativePath is returned for an extra root that is not absolute.
var ErrRelativePath = errors.New("path is not absolute")

// Sink is where rows and checkpoints go, together. Its methods are called one
// at a time.
type Sink interface {
	// Checkpoints returns every source that was ever committed, without State.
	Checkpoints(ctx context.Context) ([]meterbridge.Checkpoint, error)
	// State returns the parser's memory of one source; nil when it has none.
	State(ctx context.Context, source int64) ([]byte, error)
	// Commit stores the units in one transaction, in their order; no source occurs
	// twice in one call. A unit whose Checkpoint.Source is 0 belongs to the source
	// that lies at its harness, machine and path since an earlier commit of the
	// same scan, else to a new one; it is given the source's number.
	Commit(ctx context.Context, units []meterbridge.Unit) error
}

// Extra is a root that the user named beside those that a harness knows.
type Extra struct {
	// Harness is the id of the harness that reads it.
	Harness string
	// Path is an absolute folder or file.
	Path string
	// Machine names the machine whose copy it is; empty for this one.
	Machine string
}

// Options are a scanner's settings; the zero value reads nothing.
type Options struct {
	// Env is what harnesses may know of the machine.
	Env harnesses.Env
	// Harnesses are read in this order.
	Harnesses []harnesses.Harness
	// Extra are further roots.
	Extra []Extra
	// Workers is the number of files parsed at a time; 0 means one per core.
	Workers int
	// StoreText keeps titles, last replies and previews of prompts; without it
	// they are removed before the commit.
	StoreText bool
	// Progress is told how far a scan is; nil for nobody.
	Progress Progress
	// CommitRows is the number of rows after which a commit is made; 0 means 80,000.
	CommitRows int
	// MaxLine is the longest line and MaxDocument the largest document that is
	// read, in bytes; 0 means 64 MiB.
	MaxLine, MaxDocument int64
}

// Scanner reads the logs of one machine into one sink.
type Scanner struct {
	sink      Sink
	opt       Options
	harnesses []harnesses.Harness
	roots     [][]harnesses.Root // by harness
	giant     chan struct{}      // held by the one worker that has a giant line in memory

	// What follows is set by Live alone.

	// places: discovery tells which folders it walked.
	places bool
	// listings are what a walk may rely on; nil when it looks at everything.
	listings *listings
	// idle are workers for the next pass.
	idle chan *worker
	// stop ends a pass early: what is being read is read to its end and committed.
	stop <-chan struct{}
	// committed is told what the sink has taken.
	committed func([]meterbridge.Unit)
	// remembered is the state of a source, when it is at hand.
	remembered func(source int64) (state []byte, ok bool)
}

// New returns a scanner that writes to sink.
func New(sink Sink, o Options) (*Scanner, error) {
	s := &Scanner{sink: sink, opt: o.withDefaults(), harnesses: o.Harnesses, giant: make(chan struct{}, 1)}
	index := make(map[string]int, len(o.Harnesses))
	for i, h := range o.Harnesses {
		index[h.ID] = i
		s.roots = append(s.roots, cleanRoots(h.Roots(s.opt.Env)))
	}
	for _, e := range o.Extra {
		i, ok := index[e.Harness]
		switch {
		case !ok:
			return nil, fmt.Errorf("%w %q of root %s", ErrUnknownHarness, e.Harness, e.Path)
		case !filepath.IsAbs(e.Path):
			return nil, fmt.Errorf("root of %s: %w: %s", e.Harness, ErrRelativePath, e.Path)
		}
		s.roots[i] = append(s.roots[i], harnesses.Root{Path: filepath.Clean(e.Path), Machine: e.Machine})
	}
	return s, nil
}

func (o Options) withDefaults() Options {
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	if o.CommitRows <= 0 {
		o.CommitRows = 80_000
	}
	if o.MaxLine <= 0 {
		o.MaxLine = 64 << 20
	}
	if o.MaxDocument <= 0 {
		o.MaxDocument = 64 << 20
	}
	if o.Progress == nil {
		o.Progress = silent{}
	}
	if o.Env.Getenv == nil {
		o.Env.Getenv = func(string) string { return "" }
	}
	return o
}

func cleanRoots(roots []harnesses.Root) []harnesses.Root {
	out := make([]harnesses.Root, 0, len(roots))
	for _, r := range roots {
		if r.Path != "" {
			r.Path = filepath.Clean(r.Path)
			out = append(out, r)
		}
	}
	return out
}

// Scan looks at every root once and reads what is new into the sink. Unreadable
// input is counted and never stops it; the error is the sink's or ctx's. What
// was committed before an error stays good, and the result tells of it.
func (s *Scanner) Scan(ctx context.Context) (Result, error) {
	known, err := s.sink.Checkpoints(ctx)
	if err != nil {
		return Result{}, fmt.Errorf("read checkpoints: %w", err)
	}
	res := s.newResult()
	found, err := s.discover(ctx, len(known), &res)
	if err != nil {
		return res, err
	}
	p := s.plan(known, found, &res)
	if p.empty() {
		return res, nil
	}
	if err := s.loadStates(ctx, &p); err != nil {
		return res, err
	}
	return res, s.read(ctx, p, &res)
}

// loadStates fetches the parsers' memory of the sources that are resumed, and of
// those whose checkpoint is only amended.
func (s *Scanner) loadStates(ctx context.Context, p *plan) error {
	for _, t := range p.tasks {
		if t.mode == resume || t.kind.Totals && t.known != nil {
			if err := s.loadState(ctx, t.known.Source, &t.state); err != nil {
				return err
			}
		}
	}
	for _, notes := range [][]note{p.first, p.notes} {
		for i := range notes {
			c := &notes[i].unit.Checkpoint
			if err := s.loadState(ctx, c.Source, &c.State); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *Scanner) loadState(ctx context.Context, source int64, state *[]byte) error {
	if source == 0 {
		return nil
	}
	if s.remembered != nil {
		if b, ok := s.remembered(source); ok {
			*state = b
			return nil
		}
	}
	b, err := s.sink.State(ctx, source)
	if err != nil {
		return fmt.Errorf("read state of source %d: %w", source, err)
	}
	*state = b
	return nil
}
