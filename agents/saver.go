package agents

import (
	"context"
	"sync"
)

// saver keeps changes in their order, beside those who make them: the ledger may be
// busy, and the status of an agent must not wait for it.
type saver struct {
	failed func(error)
	mu     sync.Mutex
	jobs   []func(context.Context) error
	// wake has room for one signal that there are jobs.
	wake chan struct{}
}

func (s *saver) init(failed func(error)) {
	s.failed, s.wake = failed, make(chan struct{}, 1)
	if s.failed == nil {
		s.failed = func(error) {}
	}
}

func (s *saver) add(job func(context.Context) error) {
	s.mu.Lock()
	s.jobs = append(s.jobs, job)
	s.mu.Unlock()
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

func (s *saver) take() []func(context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	jobs := s.jobs
	s.jobs = nil
	return jobs
}

// run does the jobs until ctx ends, and then the rest.
func (s *saver) run(ctx context.Context) {
	for {
		for _, job := range s.take() {
			if err := job(context.WithoutCancel(ctx)); err != nil {
				s.failed(err)
			}
		}
		select {
		case <-s.wake:
		case <-ctx.Done():
			if s.done() {
				return
			}
		}
	}
}

func (s *saver) done() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.jobs) == 0
}

// flush returns when the jobs that were there are done.
func (s *saver) flush(ctx context.Context) error {
	done := make(chan struct{})
	s.add(func(context.Context) error { close(done); return nil })
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
