package terminal

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"syscall"
	"time"

	"meterbridge/agents/terminal/screen"
)

// Errors of a rack.
var (
	// ErrUnknown: no terminal has that id.
	ErrUnknown = errors.New("no such terminal")
	// ErrClosed: the rack is being closed; nothing starts any more.
	ErrClosed = errors.New("the terminals are being closed")
)

// Watch is told what happens in the terminals of a rack; each of its functions may
// be nil. Event and Keys must not call the terminal.
type Watch struct {
	// Event is what a program tells its terminal: titles, marks, notifications.
	Event func(id string, generation int, e screen.Event)
	// Keys is what a person typed in a viewer.
	Keys func(id string, generation int, keys []byte)
	// Ended is the end of a program; it may call the rack.
	Ended func(id string, s State)
}

// RackOptions of a rack; the zero value is valid.
type RackOptions struct {
	// Terminal are the options of each terminal. Its functions are ignored.
	Terminal Options
	// Journal is the file that tells a later life what was started; "" for none.
	Journal string
	Watch   Watch
	// Record keeps what callers did who are no persons.
	Record func(Use)
}

// Rack keeps the terminals of a daemon, by the id of the agent that each belongs to.
type Rack struct {
	opts  RackOptions
	rates rates

	mu     sync.Mutex
	of     map[string]*Terminal
	closed bool

	journal *journal
	// inherited is what an earlier life has left open, until Adopt.
	inherited []entry
}

// NewRack makes a rack without terminals. With a journal, Adopt is to be called
// before anything is started.
func NewRack(o RackOptions) (*Rack, error) {
	r := &Rack{opts: o, of: map[string]*Terminal{}}
	if o.Journal == "" {
		return r, nil
	}
	var err error
	r.journal, r.inherited, err = openJournal(o.Journal)
	return r, err
}

// Start runs a program in the terminal of an id, which is made when it is not there.
func (r *Rack) Start(ctx context.Context, id string, spec Spec) (State, error) {
	if id == "" {
		return State{}, fmt.Errorf("%w: a terminal needs an id", ErrInvalid)
	}
	t, err := r.place(id)
	if err != nil {
		return State{}, err
	}
	if err := t.Start(ctx, spec); err != nil {
		return State{}, err
	}
	return t.State(), nil
}

func (r *Rack) place(id string) (*Terminal, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil, ErrClosed
	}
	t := r.of[id]
	if t == nil {
		t = New(id, r.options(id))
		r.of[id] = t
	}
	return t, nil
}

// options are those of one terminal, whose events carry its id.
func (r *Rack) options(id string) Options {
	o, w := r.opts.Terminal, r.opts.Watch
	o.Event, o.Keys, o.Ended, o.journal = nil, nil, nil, r.journal
	if w.Event != nil {
		o.Event = func(generation int, e screen.Event) { w.Event(id, generation, e) }
	}
	if w.Keys != nil {
		o.Keys = func(generation int, keys []byte) { w.Keys(id, generation, keys) }
	}
	if w.Ended != nil {
		o.Ended = func(s State) { w.Ended(id, s) }
	}
	return o
}

// Terminal is the one of an id; ErrUnknown.
func (r *Rack) Terminal(id string) (*Terminal, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	t := r.of[id]
	if t == nil {
		return nil, fmt.Errorf("%w: %q", ErrUnknown, id)
	}
	return t, nil
}

// Listed is a terminal of a rack.
type Listed struct {
	ID string
	State
}

// List is every terminal that was started and not removed, by id.
func (r *Rack) List() []Listed {
	r.mu.Lock()
	var all []*Terminal
	for _, t := range r.of {
		all = append(all, t)
	}
	r.mu.Unlock()
	list := make([]Listed, len(all))
	for i, t := range all {
		list[i] = Listed{ID: t.ID(), State: t.State()}
	}
	slices.SortFunc(list, func(a, b Listed) int { return cmp.Compare(a.ID, b.ID) })
	return list
}

// Screen is the text of the last n ≤ 500 logical lines; 0 means all of them.
func (r *Rack) Screen(ctx context.Context, id string, n int) (string, error) {
	t, err := r.Terminal(id)
	if err != nil {
		return "", err
	}
	if n == 0 {
		n = MostLines
	}
	if n < 1 || n > MostLines {
		return "", fmt.Errorf("%w: %d lines, allowed are 1 to %d", ErrInvalid, n, MostLines)
	}
	return t.Text(ctx, n)
}

// MostLines is how many lines of a screen are given at once.
const MostLines = 500

// Signal sends a signal to what runs in the foreground of a terminal. SIGINT is
// what Interrupt does: ^C, and an end by force after 1.5 s.
func (r *Rack) Signal(ctx context.Context, id string, sig syscall.Signal) error {
	t, err := r.Terminal(id)
	if err != nil {
		return err
	}
	if sig == syscall.SIGINT {
		return t.Interrupt(ctx)
	}
	return t.Signal(sig)
}

// Stop ends the program of a terminal and its whole process tree; the terminal
// stays, for the next generation. One whose program has ended is no error.
func (r *Rack) Stop(ctx context.Context, id string) error {
	t, err := r.Terminal(id)
	if err != nil {
		return err
	}
	return t.Stop(ctx)
}

// Remove forgets a terminal whose program has ended.
func (r *Rack) Remove(id string) error {
	t, err := r.Terminal(id)
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if t.State().Phase == Running {
		return fmt.Errorf("remove terminal %s: %w", id, ErrRunning)
	}
	delete(r.of, id)
	return nil
}

// closeLimit is how long the programs of all terminals have to end.
const closeLimit = 10 * time.Second

// Close ends every program, all at once, and takes no new ones. It returns when
// nothing of them is left, or after 10 s with an error that names what is.
func (r *Rack) Close(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, closeLimit)
	defer cancel()
	r.mu.Lock()
	r.closed = true
	var all []*Terminal
	for _, t := range r.of {
		all = append(all, t)
	}
	r.mu.Unlock()
	errs := make([]error, len(all))
	var wg sync.WaitGroup
	for i, t := range all {
		wg.Go(func() { errs[i] = t.Stop(ctx) })
	}
	wg.Wait()
	return errors.Join(errors.Join(errs...), r.journal.close())
}
