package scanner

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"meterbridge"
	"meterbridge/harnesses"
)

// ErrNoSource is the error of a path that belongs to no root of its harness, or
// is no log of it.
var ErrNoSource = errors.New("not a source of the harness")

// Source names one log.
type Source struct {
	Harness, Path string
}

// Traced is what one source holds, read again from its start.
type Traced struct {
	Source
	// Batch holds everything that is found in it, with Traces.
	Batch meterbridge.Batch
	// Err says why it was not read: fs.ErrNotExist, ErrNoSource, ... Problems of
	// reading are in Batch.Problems.
	Err error
}

// Trace reads sources again from their start, with a trace of every record with
// usage, in the order given; nothing is committed. The error is ctx's or each's;
// a source that cannot be read has its own.
func (s *Scanner) Trace(ctx context.Context, sources []Source, each func(Traced) error) error {
	w := s.newWorker()
	w.trace = true
	w.count = func(int, Counts) {}
	for _, src := range sources {
		t, err := s.traceOne(ctx, w, src)
		if err != nil {
			return err
		}
		if err := each(t); err != nil {
			return err
		}
	}
	return nil
}

func (s *Scanner) traceOne(ctx context.Context, w *worker, src Source) (Traced, error) {
	out := Traced{Source: src}
	t, err := s.locate(src)
	if err != nil {
		out.Err = err
		return out, nil
	}
	if err := s.recall(ctx, t); err != nil {
		return out, err
	}
	w.send = func(_ context.Context, _ *task, u meterbridge.Unit) error {
		out.Batch = joined(out.Batch, u.Batch)
		return nil
	}
	r := &reading{worker: w, t: t, h: &s.harnesses[t.harness]}
	if err := r.open(ctx); err != nil {
		return out, fmt.Errorf("trace %s: %w", src.Path, err)
	}
	return out, nil
}

// recall hands over what the parser of a source with running totals remembers:
// without it the source tells of one reading only.
func (s *Scanner) recall(ctx context.Context, t *task) error {
	if !t.kind.Totals {
		return nil
	}
	known, err := s.sink.Checkpoints(ctx)
	if err != nil {
		return fmt.Errorf("read checkpoints: %w", err)
	}
	for i := range known {
		if k := &known[i]; k.Path == t.path && k.Harness == s.harnesses[t.harness].ID {
			return s.loadState(ctx, k.Source, &t.state)
		}
	}
	return nil
}

// locate makes a task of a source's path.
func (s *Scanner) locate(src Source) (*task, error) {
	info, err := os.Stat(src.Path)
	if err != nil {
		return nil, fmt.Errorf("trace %s log: %w", src.Harness, err)
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("trace %s log %s: %w", src.Harness, src.Path, fs.ErrInvalid)
	}
	for i := range s.harnesses {
		if s.harnesses[i].ID != src.Harness {
			continue
		}
		for _, root := range s.roots[i] {
			if rel, kind, ok := claimBelow(&s.harnesses[i], root.Path, src.Path); ok {
				return &task{file: file{harness: i, path: src.Path, rel: rel, machine: root.Machine, kind: kind, stat: statOf(info)}}, nil
			}
		}
	}
	return nil, fmt.Errorf("%s log %s: %w", src.Harness, src.Path, ErrNoSource)
}

func claimBelow(h *harnesses.Harness, root, path string) (string, harnesses.Kind, bool) {
	rel := filepath.Base(path)
	if path != root {
		below, err := filepath.Rel(root, path)
		if err != nil || below == ".." || strings.HasPrefix(below, ".."+string(filepath.Separator)) {
			return "", harnesses.Kind{}, false
		}
		rel = filepath.ToSlash(below)
	}
	kind, ok := h.Claim(rel)
	return rel, kind, ok
}
