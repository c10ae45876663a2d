package agents

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"meterbridge"
)

// Start says what is to be started.
type Start struct {
	// Harness is an id with a launch profile. Argv is what meterbridge.ShellCommand
	// runs, and further arguments of any other one's program.
	Harness string
	Argv    []string
	// Name is empty for one that is made; Dir is absolute; Workspace is empty for the
	// default one.
	Name, Dir, Workspace string
	// Resume is the session to go on with, empty for a new one; Model is empty for
	// the harness's choice.
	Resume, Model    string
	Dangerous, Trust bool
	// Cols and Rows are the size; 0 is the terminal's own choice.
	Cols, Rows int
}

// Start starts a new agent.
func (r *Registry) Start(ctx context.Context, s Start) (Info, error) {
	e, err := r.admit(s)
	if err != nil {
		return Info{}, err
	}
	return r.launch(ctx, e, s.Resume, s)
}

// admit makes the agent of a start, whose process does not run yet.
func (r *Registry) admit(s Start) (*entry, error) {
	p, ok := r.o.Profiles[s.Harness]
	if !ok {
		return nil, fmt.Errorf("%w: start %q", ErrCannot, s.Harness)
	}
	if len(p.Program) == 0 && len(s.Argv) == 0 {
		return nil, fmt.Errorf("%w: %s needs a command", ErrInvalid, s.Harness)
	}
	if info, err := os.Stat(s.Dir); err != nil || !info.IsDir() {
		return nil, fmt.Errorf("%w: %q is no folder", ErrInvalid, s.Dir)
	}
	if s.Workspace == "" {
		s.Workspace = meterbridge.DefaultWorkspace
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if s.Name == "" {
		s.Name = r.freeName(s.Harness)
	}
	if err := r.free(s.Name, nil); err != nil {
		return nil, err
	}
	e := &entry{starting: true, Agent: meterbridge.Agent{
		ID: r.o.NewID(), Name: s.Name, Harness: s.Harness, Kind: p.Kind, Origin: meterbridge.Started, Workspace: s.Workspace, Dir: s.Dir,
		Argv: slices.Clone(s.Argv), Model: s.Model, Dangerous: s.Dangerous, Trust: s.Trust, CreatedAt: r.o.Now(),
	}}
	e.view.reset(e.CreatedAt)
	r.insert(e)
	return e, nil
}

// Restart starts the process of an agent again, as its next generation. It goes on
// with its newest session when its harness can.
func (r *Registry) Restart(ctx context.Context, which string, cols, rows int) (Info, error) {
	r.mu.Lock()
	e, err := r.find(which)
	if err == nil && (e.starting || e.Running()) {
		err = fmt.Errorf("%w: %s", ErrRunning, e.Name)
	}
	if err == nil && e.Origin != meterbridge.Started {
		err = fmt.Errorf("%w: %s was started by hand", ErrCannot, e.Name)
	}
	if err != nil {
		r.mu.Unlock()
		return Info{}, err
	}
	e.starting = true
	session := ""
	if p := r.o.Profiles[e.Harness]; p.Resume != nil {
		session = e.newest()
	}
	r.mu.Unlock()
	return r.launch(ctx, e, session, Start{Cols: cols, Rows: rows})
}

// newest is the session that was bound last; empty without one.
func (e *entry) newest() string {
	for _, b := range slices.Backward(e.bindings) {
		if b.To.IsZero() {
			return b.Session
		}
	}
	return ""
}

// launch runs the next process of an agent, which goes on with a session or begins one.
func (r *Registry) launch(ctx context.Context, e *entry, resume string, s Start) (Info, error) {
	r.mu.Lock()
	a := e.Agent
	a.Generation++
	r.mu.Unlock()
	made, pid, err := r.run(ctx, a, resume, s.Cols, s.Rows)
	r.mu.Lock()
	defer r.mu.Unlock()
	e.starting = false
	if err != nil {
		r.abandon(e)
		return Info{}, fmt.Errorf("start %s: %w", a.Name, err)
	}
	now := r.o.Now()
	e.Generation, e.PID, e.StartedAt, e.SeenAt = a.Generation, pid, now, now
	e.ExitedAt, e.ExitCode = zeroTime(), meterbridge.Count{}
	if made.Session != "" {
		from := now
		if resume == "" {
			from = zeroTime()
		}
		r.bind(e, made.Session, meterbridge.BoundGiven, from)
	}
	r.begin(e, now)
	r.save(e)
	r.changed(e)
	return e.info(), nil
}

// abandon forgets an agent that never ran.
func (r *Registry) abandon(e *entry) {
	if e.Generation == 0 {
		r.forget(e)
	}
}

// run carries out one launch.
func (r *Registry) run(ctx context.Context, a meterbridge.Agent, resume string, cols, rows int) (Plan, int, error) {
	p := r.o.Profiles[a.Harness]
	var w Wiring
	if r.o.Wire != nil {
		var err error
		if w, err = r.o.Wire(ctx, a); err != nil {
			return Plan{}, 0, err
		}
	}
	session := resume
	if session == "" {
		session = r.o.NewSession()
	}
	made, err := plan(&p, &a, session, resume != "", w)
	if err != nil {
		return made, 0, err
	}
	if _, err := exec.LookPath(made.Argv[0]); err != nil {
		return made, 0, fmt.Errorf("%w: %s", ErrNoProgram, made.Argv[0])
	}
	if err := writeFiles(made.Files); err != nil {
		return made, 0, err
	}
	pid, err := r.o.Runner.Start(ctx, a.ID, Process{
		Generation: a.Generation, Argv: made.Argv, Shell: p.Shell, Dir: a.Dir, Env: made.Env, Cols: cols, Rows: rows,
	})
	return made, pid, err
}

// writeFiles makes the files of a launch, for their owner alone.
func writeFiles(files []meterbridge.LaunchFile) error {
	for _, f := range files {
		if err := os.MkdirAll(filepath.Dir(f.Path), 0o700); err != nil {
			return fmt.Errorf("make the launch's files: %w", err)
		}
		if err := os.WriteFile(f.Path, f.Content, 0o600); err != nil {
			return fmt.Errorf("make the launch's files: %w", err)
		}
	}
	return nil
}

// Fresh replaces the process of an agent by one with a new session, under the same
// generation: the session that it was to resume is not there.
func (r *Registry) Fresh(ctx context.Context, id string, generation int) error {
	r.mu.Lock()
	e := r.of[id]
	if e == nil || e.starting || e.Generation != generation {
		r.mu.Unlock()
		return nil
	}
	e.starting = true
	a := e.Agent
	r.mu.Unlock()
	stopped := r.o.Runner.Stop(ctx, id)
	made, pid, err := r.run(ctx, a, "", 0, 0)
	r.mu.Lock()
	defer r.mu.Unlock()
	e.starting = false
	if err = errors.Join(stopped, err); err != nil {
		r.exited(e, r.o.Now(), meterbridge.Count{})
		return fmt.Errorf("start %s anew: %w", a.Name, err)
	}
	e.PID, e.ExitedAt, e.ExitCode = pid, zeroTime(), meterbridge.Count{}
	for i := range e.bindings {
		if b := &e.bindings[i]; b.Generation == generation && b.To.IsZero() {
			b.To = e.StartedAt // it was never the agent's
		}
	}
	if made.Session != "" {
		r.bind(e, made.Session, meterbridge.BoundGiven, zeroTime())
	}
	r.save(e)
	r.changed(e)
	return nil
}
