package fleet

import (
	"context"
	"path/filepath"
	"time"

	"meterbridge"
	"meterbridge/agents"
)

// Committed is told that sessions of a harness have new requests: one that began in
// an agent's folder, and that only this agent can have begun, is taken for its own.
func (f *Fleet) Committed(harness string) {
	if len(f.agents.Unbound(harness)) == 0 || f.ctx.Err() != nil {
		return
	}
	f.chores.Go(func() {
		if err := f.infer(f.ctx, harness); err != nil && f.ctx.Err() == nil {
			f.failed(err)
		}
	})
}

// clockSlack is how far the clock of a log may be before ours.
const clockSlack = 2 * time.Second

func (f *Fleet) infer(ctx context.Context, harness string) error {
	waiting := f.agents.Unbound(harness)
	if len(waiting) == 0 {
		return nil
	}
	since := waiting[0].StartedAt
	for _, a := range waiting {
		if a.StartedAt.Before(since) {
			since = a.StartedAt
		}
	}
	begun, err := f.o.Ledger.Begun(ctx, harness, since.Add(-clockSlack))
	if err != nil {
		return err
	}
	for _, s := range begun {
		if _, taken := f.agents.BoundTo(harness, s.Session); taken {
			continue
		}
		a, only := couldBe(waiting, s.Project, s.LastAt)
		if !only {
			continue
		}
		from := a.StartedAt
		if s.FirstAt.After(from.Add(-clockSlack)) {
			from = time.Time{}
		}
		if err := f.agents.Bind(a.ID, s.Session, meterbridge.BoundInferred, from); err != nil {
			return err
		}
		waiting = f.agents.Unbound(harness)
	}
	return nil
}

// couldBe is the agent that works in a folder and ran at a moment; false when there
// is none, or more than one. A log that tells no folder fits every agent.
func couldBe(waiting []agents.Info, project string, at time.Time) (found agents.Info, only bool) {
	for _, a := range waiting {
		if project != "" && !sameFolder(project, a.Dir) || at.Before(a.StartedAt.Add(-clockSlack)) {
			continue
		}
		if only {
			return agents.Info{}, false
		}
		found, only = a, true
	}
	return found, only
}

func sameFolder(a, b string) bool {
	if filepath.Clean(a) == filepath.Clean(b) {
		return true
	}
	x, errX := filepath.EvalSymlinks(a)
	y, errY := filepath.EvalSymlinks(b)
	return errX == nil && errY == nil && x == y
}
