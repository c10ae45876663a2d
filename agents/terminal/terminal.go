// Package terminal runs shells and other programs in terminals of their own, shows
// their screens, and runs single commands in a live shell. A Terminal outlives its
// viewers and its program: a program that is started again in it is the next
// generation, and what an older one still says is dropped.
//
// It may import its own screen and vt packages and the PTY library, never a
// database, HTTP or the registry of agents. internal/daemon gives Terminals to the
// registry and to the bridge through small interfaces that those declare.
package terminal

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"meterbridge/agents/terminal/process"
	"meterbridge/agents/terminal/screen"
)

// Errors that callers tell apart.
var (
	// ErrExited: no program runs in the terminal.
	ErrExited = errors.New("no program runs in the terminal")
	// ErrRunning: a program runs already.
	ErrRunning = errors.New("a program runs in the terminal")
)

// Options of a terminal; the zero value is valid.
type Options struct {
	// Folder is where the start-up files of shells are written, each in a folder
	// of its own; "" is the system's temporary folder.
	Folder string
	// Holder is the command line of the program that holds terminals, so that they
	// outlive this process; none: this process holds them itself.
	Holder []string
	// Sockets is the folder of the holders' sockets.
	Sockets string
	// Umask is that of the programs in holders: a daemon may keep its own files closed
	// to others, and its user's shells are to make files as ever. nil is the daemon's.
	Umask *int
	// Keeps are arguments by which a process is known that left its terminal to serve
	// others; it is never ended.
	Keeps []string
	// Hangup and Terminate are how long a program has to end after SIGHUP and
	// after SIGTERM; 0 means 2 s and 3 s.
	Hangup, Terminate time.Duration
	// Screen bounds the history of the screen. Its functions are ignored.
	Screen screen.Options
	// Event, when set, is called for what the program tells its terminal. It must
	// not call the terminal.
	Event func(generation int, e screen.Event)
	// Keys, when set, is called for what a person typed in a viewer. It must not
	// call the terminal.
	Keys func(generation int, keys []byte)
	// Ended, when set, is called when a program has ended, in no order with other
	// calls. It may call the terminal.
	Ended func(State)

	journal *journal
}

func (o Options) patience() process.Patience {
	return process.Patience{Hangup: o.Hangup, Terminate: o.Terminate}
}

// Phase is what a terminal's program does.
type Phase string

// The phases.
const (
	Empty   Phase = "empty"
	Running Phase = "running"
	Exited  Phase = "exited"
)

// State of a terminal.
type State struct {
	Phase Phase
	// Generation counts the programs started in the terminal, from 1.
	Generation int
	// PID is the program's process id; it leads a session and a group of its own.
	PID int
	// Code is the exit code, or -1 when a signal ended the program; Signal names it.
	Code       int
	Signal     string
	Cols, Rows int
}

// Terminal is one screen and at most one program. Its methods may be called from
// any goroutine.
type Terminal struct {
	id   string
	opts Options

	mu      sync.Mutex
	state   State
	program *program
	screen  *screen.Screen
	subs    map[*Subscription]bool
	viewers map[*Viewer]bool
	// replaying says that the screen is fed with what was seen before.
	replaying bool
	// keyAt is when a person last typed.
	keyAt time.Time
	// left are what the last program left behind in its session when it ended.
	left []process.Process
	// changed is closed at the next change, when somebody waits for one.
	changed chan struct{}

	marks   marks
	capture *capture
	turns   turns
}

// New makes a terminal without a program. The id becomes METERBRIDGE_AGENT in the
// environment of its programs.
func New(id string, opts Options) *Terminal {
	if opts.Hangup == 0 {
		opts.Hangup = 2 * time.Second
	}
	if opts.Terminate == 0 {
		opts.Terminate = 3 * time.Second
	}
	return &Terminal{
		id: id, opts: opts, state: State{Phase: Empty},
		subs: map[*Subscription]bool{}, viewers: map[*Viewer]bool{},
	}
}

// ID is the terminal's id.
func (t *Terminal) ID() string { return t.id }

// State is what the program does now.
func (t *Terminal) State() State {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.state
}

// Start runs a program, as the next generation, on a fresh screen.
func (t *Terminal) Start(ctx context.Context, spec Spec) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.program != nil {
		return ErrRunning
	}
	spec.complete()
	generation, err := t.next(spec)
	if err != nil {
		return err
	}
	p, err := launch(ctx, t, spec, generation)
	if err != nil {
		return err
	}
	t.install(p, spec.Cols, spec.Rows)
	return nil
}

// install makes a program the terminal's.
func (t *Terminal) install(p *program, cols, rows int) {
	t.program = p
	t.state = State{Phase: Running, Generation: p.generation, PID: p.line.Leader().PID, Cols: cols, Rows: rows}
	t.marks, t.keyAt = marks{nonce: p.nonce}, time.Time{}
	t.screen = t.newScreen(p)
	t.notify()
	p.run()
}

// next is the generation of the next program: what the caller knows of earlier ones
// counts too, and a program that is started anew at once may keep its number.
func (t *Terminal) next(spec Spec) (int, error) {
	if spec.Generation == 0 {
		return t.state.Generation + 1, nil
	}
	if spec.Generation < t.state.Generation {
		return 0, fmt.Errorf("%w: generation %d comes behind %d", ErrInvalid, spec.Generation, t.state.Generation)
	}
	return spec.Generation, nil
}

func (t *Terminal) newScreen(p *program) *screen.Screen {
	opts := t.opts.Screen
	opts.Event = func(e screen.Event) {
		if e.Kind == screen.Mark {
			t.marks.take(e.Text)
		}
		if t.opts.Event != nil && !t.replaying {
			t.opts.Event(p.generation, e)
		}
	}
	opts.Reply = func(b []byte) {
		// A person's terminal answers by itself.
		if len(t.viewers) == 0 && !t.replaying {
			p.reply(b)
		}
	}
	return screen.New(t.state.Cols, t.state.Rows, opts)
}

// deliver takes output of a program; that of an older one is dropped. What is
// replayed was answered and told of by an earlier daemon.
func (t *Terminal) deliver(p *program, b []byte, replayed bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.program != p {
		return
	}
	t.replaying = replayed
	_, _ = t.screen.Write(b) // it never fails
	if t.capture != nil {
		t.capture.write(b)
	}
	for s := range t.subs {
		s.push(b)
	}
	t.notify()
}

// exited takes the end of a generation, after the last of its output. left are the
// members of its session that still live.
func (t *Terminal) exited(p *program, left []process.Process) {
	t.mu.Lock()
	if t.program == p {
		t.program, t.left = nil, left
		t.state.Phase, t.state.Code, t.state.Signal = Exited, p.code, p.signal
		t.notify()
	}
	t.mu.Unlock()
}

// notify wakes whoever waits for a change.
func (t *Terminal) notify() {
	if t.changed != nil {
		close(t.changed)
		t.changed = nil
	}
}

// await waits until ready, which is called under the lock, says so: after each
// change and, for what happens without output, at each tick.
func (t *Terminal) await(ctx context.Context, tick time.Duration, ready func() bool) error {
	ticker := time.NewTicker(tick)
	defer ticker.Stop()
	for {
		t.mu.Lock()
		if ready() {
			t.mu.Unlock()
			return nil
		}
		if t.changed == nil {
			t.changed = make(chan struct{})
		}
		changed := t.changed
		t.mu.Unlock()
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-changed:
		case <-ticker.C:
		}
	}
}

// Wait returns when no program runs any more.
func (t *Terminal) Wait(ctx context.Context) (State, error) {
	err := t.await(ctx, time.Minute, func() bool { return t.program == nil })
	return t.State(), err
}

// Write sends input to the program, as its user's typing.
func (t *Terminal) Write(ctx context.Context, b []byte) error {
	p, err := t.running()
	if err != nil {
		return err
	}
	return p.write(ctx, b)
}

func (t *Terminal) running() (*program, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.program == nil {
		return nil, ErrExited
	}
	return t.program, nil
}

// Resize changes the size of the terminal.
func (t *Terminal) Resize(cols, rows int) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.resize(cols, rows)
}

func (t *Terminal) resize(cols, rows int) error {
	if t.program == nil {
		return ErrExited
	}
	t.screen.Resize(cols, rows)
	t.state.Cols, t.state.Rows = t.screen.Size()
	return t.program.line.Resize(t.state.Cols, t.state.Rows)
}

// synchronizedLimit is how long a reader waits for the end of an update of the
// screen that the program has announced.
const synchronizedLimit = 150 * time.Millisecond

// Text is the last n ≤ 500 logical lines of the screen.
func (t *Terminal) Text(ctx context.Context, n int) (string, error) {
	var text string
	err := t.look(ctx, func(s *screen.Screen) { text = s.Text(n) })
	return text, err
}

// Last is the last n ≤ 500 logical lines of the screen as the newest program left it,
// also after its end; ErrExited before the first.
func (t *Terminal) Last(n int) (string, State, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.screen == nil {
		return "", t.state, ErrExited
	}
	return t.screen.Text(n), t.state, nil
}

// Snapshot is the screen as a person would see it.
func (t *Terminal) Snapshot(ctx context.Context) (screen.Snapshot, error) {
	var snap screen.Snapshot
	err := t.look(ctx, func(s *screen.Screen) { snap = s.Snapshot() })
	return snap, err
}

// look hands a settled screen to see.
func (t *Terminal) look(ctx context.Context, see func(*screen.Screen)) error {
	limited, cancel := context.WithTimeout(ctx, synchronizedLimit)
	defer cancel()
	// An update that takes too long is shown as it is.
	_ = t.await(limited, time.Minute, func() bool {
		return t.program == nil || !t.screen.Modes().Synchronized
	})
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.program == nil {
		return ErrExited
	}
	see(t.screen)
	return ctx.Err()
}
