package fleet

import (
	"context"

	"meterbridge/agents"
	"meterbridge/agents/terminal"
)

// runner runs agents in the terminals of a rack.
type runner struct{ rack *terminal.Rack }

// Start implements agents.Runner.
func (r runner) Start(ctx context.Context, id string, p agents.Process) (int, error) {
	s, err := r.rack.Start(ctx, id, terminal.Spec{
		Argv: p.Argv, Shell: terminal.Shell(p.Shell), Dir: p.Dir, Env: p.Env, Generation: p.Generation, Cols: p.Cols, Rows: p.Rows,
	})
	return s.PID, err
}

// Stop implements agents.Runner.
func (r runner) Stop(ctx context.Context, id string) error { return r.rack.Stop(ctx, id) }

// Write implements agents.Runner.
func (r runner) Write(ctx context.Context, id string, b []byte) error {
	t, err := r.rack.Terminal(id)
	if err != nil {
		return err
	}
	return t.Write(ctx, b)
}

// Screen implements agents.Runner.
func (r runner) Screen(ctx context.Context, id string, n int) (string, error) {
	return r.rack.Screen(ctx, id, n)
}
