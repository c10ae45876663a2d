package agents

import (
	"context"
	"fmt"
	"time"

	"meterbridge"
)

func zeroTime() time.Time { return time.Time{} }

// Stop ends the process of an agent and its descendants.
func (r *Registry) Stop(ctx context.Context, which string) (Info, error) {
	r.mu.Lock()
	e, err := r.find(which)
	if err == nil && !e.Running() {
		err = fmt.Errorf("%w: %s", ErrNotRunning, e.Name)
	}
	if err == nil && e.Origin != meterbridge.Started {
		err = fmt.Errorf("%w: %s was started by hand; end it in its own terminal", ErrCannot, e.Name)
	}
	if err != nil {
		r.mu.Unlock()
		return Info{}, err
	}
	id, generation := e.ID, e.Generation
	r.mu.Unlock()
	if err := r.o.Runner.Stop(ctx, id); err != nil {
		return Info{}, err
	}
	r.Exited(id, generation, r.o.Now(), meterbridge.Count{})
	return r.Get(id)
}

// Exited says that a process of an agent ended; code is null where a signal ended
// it. That of an older one is dropped.
func (r *Registry) Exited(id string, generation int, at time.Time, code meterbridge.Count) {
	r.mu.Lock()
	defer r.mu.Unlock()
	e := r.of[id]
	if e == nil || e.starting || e.Generation != generation {
		return
	}
	if !e.Running() {
		if code.OK && !e.ExitCode.OK { // it was stopped, and the code comes behind
			e.ExitCode = code
			r.save(e)
		}
		return
	}
	r.exited(e, at, code)
}

// exited ends an agent's process in the books. The lock is held.
func (r *Registry) exited(e *entry, at time.Time, code meterbridge.Count) {
	e.ExitedAt, e.ExitCode, e.SeenAt = at, code, at
	r.publish(e, Publication{Status: meterbridge.Exited, At: at, Source: string(meterbridge.FromProcess), Confidence: string(meterbridge.Exact)})
	r.save(e)
	r.changed(e)
}

// Seen notes a sign of life of an agent.
func (r *Registry) Seen(id string, at time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if e := r.of[id]; e != nil && e.Running() && at.After(e.SeenAt) {
		e.SeenAt = at
		r.save(e)
	}
}

// Recover ends, at their last sign of life, the agents whose processes were lost
// with an earlier daemon. lives tells of one that Meterbridge started whether its
// process still runs.
func (r *Registry) Recover(lives func(id string, generation int) bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, id := range r.order {
		e := r.of[id]
		if !e.Running() || e.Origin == meterbridge.Started && lives(e.ID, e.Generation) {
			continue
		}
		at := e.SeenAt
		for _, t := range []time.Time{e.StartedAt, e.view.at} {
			if t.After(at) {
				at = t
			}
		}
		r.exited(e, at, meterbridge.Count{})
	}
}
