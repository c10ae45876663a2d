package terminal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"meterbridge/agents/terminal/hold"
	"meterbridge/agents/terminal/process"
)

// Adoption is what a new daemon found of an earlier life.
type Adoption struct {
	// Adopted are the terminals that go on.
	Adopted []Listed
	// Swept are those whose processes were ended because nobody holds them any more.
	Swept []Swept
	// Left are processes of earlier terminals that left these on purpose. They may
	// serve others and are not ended.
	Left []Left
}

// Swept is a terminal of an earlier life that could not go on.
type Swept struct {
	ID         string
	Generation int
	// Ended are the processes that were ended; none when all had ended by themselves.
	Ended []int
}

// Adopt takes over the terminals that an earlier life has left with their holders,
// and ends what it left otherwise. An error names what could not be ended; the rest
// is done all the same.
func (r *Rack) Adopt(ctx context.Context) (Adoption, error) {
	var a Adoption
	var foreign []found
	for _, socket := range r.sockets() {
		held, err := hold.Dial(ctx, socket)
		if err != nil {
			if !errors.Is(err, os.ErrDeadlineExceeded) && !errors.Is(err, context.DeadlineExceeded) {
				_ = os.Remove(socket) // its holder is gone; what is left of it is swept
			}
			continue
		}
		listed, err := r.adopt(held)
		if err != nil {
			held.Leave()
			foreign = append(foreign, found{held, socket})
			continue
		}
		a.Adopted = append(a.Adopted, listed)
		r.inherited = without(r.inherited, listed.ID, listed.Generation)
	}
	refused, first := r.refuse(ctx, foreign)
	swept, second := r.sweep(ctx)
	a.Swept = append(refused, swept...)
	a.Left = r.LeftBehind()
	return a, errors.Join(first, second)
}

// found is a holder that an earlier life left.
type found struct {
	held   *hold.Held
	socket string
}

// sockets are those of the holders that an earlier life started.
func (r *Rack) sockets() []string {
	dir := r.opts.Terminal.Sockets
	if dir == "" {
		return nil
	}
	names, err := filepath.Glob(filepath.Join(dir, "*"+socketEnd))
	if err != nil {
		return nil
	}
	return names
}

// socketEnd ends the name of a holder's socket.
const socketEnd = ".sock"

// socketOf is a new socket for a holder of a terminal. Its name has at most 30 bytes:
// the path of a socket must be short.
func socketOf(dir, id string) string {
	name := strings.Map(func(c rune) rune {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_' {
			return c
		}
		return '_'
	}, id)
	return filepath.Join(dir, name[:min(len(name), 16)]+"."+nonce()[:8]+socketEnd)
}

// errForeign: what is held is not what the journal tells of.
var errForeign = errors.New("the journal knows no such terminal")

// adopt takes over a terminal when it is the one that the journal tells of.
func (r *Rack) adopt(held *hold.Held) (Listed, error) {
	s := held.State()
	i := slices.IndexFunc(r.inherited, func(e entry) bool { return e.ID == s.ID && e.Generation == s.Generation })
	if i < 0 {
		return Listed{}, errForeign
	}
	e := r.inherited[i]
	if e.Leader != nil && !e.Leader.Same(s.Leader) || e.Holder != nil && !e.Holder.Same(s.Holder) {
		return Listed{}, errForeign
	}
	var n note
	if err := json.Unmarshal(s.Note, &n); err != nil {
		return Listed{}, fmt.Errorf("%w: %w", errForeign, err)
	}
	t, err := r.place(s.ID)
	if err != nil {
		return Listed{}, err
	}
	r.journal.runs(s.ID, s.Generation, held)
	if err := t.adopt(held, n); err != nil {
		return Listed{}, err
	}
	return Listed{ID: s.ID, State: t.State()}, nil
}

// adopt goes on with a program that a holder has kept.
func (t *Terminal) adopt(held *hold.Held, n note) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.program != nil {
		return ErrRunning
	}
	s := held.State()
	p := newProgram(t, held, s.Generation, n)
	p.replay = s.Replay
	t.install(p, s.Cols, s.Rows)
	return nil
}

// refuse ends the holders that are not to be adopted, and their programs.
func (r *Rack) refuse(ctx context.Context, all []found) ([]Swept, error) {
	swept, errs := make([]Swept, len(all)), make([]error, len(all))
	var wg sync.WaitGroup
	for i, f := range all {
		s := f.held.State()
		swept[i] = Swept{ID: s.ID, Generation: s.Generation, Ended: []int{s.Leader.PID}}
		wg.Go(func() { errs[i] = r.dismiss(ctx, s, f.socket) })
	}
	wg.Wait()
	return swept, errors.Join(errs...)
}

// dismiss ends a holder and its program.
func (r *Rack) dismiss(ctx context.Context, s hold.State, socket string) error {
	var h process.Hunt
	if process.Alive(s.Leader) {
		h.Leader = s.Leader.PID
	}
	if process.Alive(s.Holder) {
		h.Alive = append(h.Alive, s.Holder)
	}
	h.Look()
	if !h.End(ctx, r.patience()) {
		return fmt.Errorf("end the processes of terminal %s: %d are left", s.ID, len(h.Alive))
	}
	if err := os.Remove(socket); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

func (r *Rack) patience() process.Patience { return New("", r.opts.Terminal).opts.patience() }

// sweep ends what the journal tells of and nobody holds any more.
func (r *Rack) sweep(ctx context.Context) ([]Swept, error) {
	left, err := LeftBehind()
	if err != nil && len(r.inherited) > 0 {
		return nil, fmt.Errorf("look for what an earlier life has left: %w", err)
	}
	swept, errs := make([]Swept, len(r.inherited)), make([]error, len(r.inherited))
	var wg sync.WaitGroup
	for i, e := range r.inherited {
		wg.Go(func() { swept[i], errs[i] = r.end(ctx, e, left) })
	}
	wg.Wait()
	for i, e := range r.inherited {
		if errs[i] == nil {
			r.journal.ends(e.ID, e.Generation)
		}
	}
	r.inherited = nil
	return swept, errors.Join(errs...)
}

// end ends the processes of one entry: the session of its leader and what descends
// from that, and its holder. Of one whose leader was not noted, all whose environment
// names it: it cannot have left anything on purpose so soon.
func (r *Rack) end(ctx context.Context, e entry, left []Left) (Swept, error) {
	var h process.Hunt
	for _, l := range left {
		if l.Terminal == e.ID && l.Generation == e.Generation && (e.Leader == nil || belongs(l, *e.Leader)) {
			h.Alive = append(h.Alive, l.process())
		}
	}
	if e.Leader != nil && (len(h.Alive) > 0 || process.Alive(*e.Leader)) {
		h.Leader = e.Leader.PID // its session lives, so the number is still its own
	}
	if e.Holder != nil && process.Alive(*e.Holder) {
		h.Alive = append(h.Alive, *e.Holder)
	}
	h.Look()
	s := Swept{ID: e.ID, Generation: e.Generation}
	for _, p := range h.Alive {
		s.Ended = append(s.Ended, p.PID)
	}
	if !h.End(ctx, r.patience()) {
		return s, fmt.Errorf("end the processes of terminal %s: %d are left", e.ID, len(h.Alive))
	}
	return s, nil
}

// belongs says that a process is a member of a leader's session. While one lives, the
// leader's number is no other's.
func belongs(l Left, leader process.Process) bool {
	p, ok := process.Of(l.PID)
	return ok && p.Same(l.process()) && p.Session == leader.PID
}

// LeftBehind are living processes that were started in a terminal, of this life or an
// earlier one, and belong to none that runs here now.
func (r *Rack) LeftBehind() []Left {
	all, err := process.List()
	if err != nil {
		return nil
	}
	ours := map[int]bool{}
	for _, l := range r.List() {
		for _, p := range process.Tree(all, l.PID, nil) {
			ours[p.PID] = true
		}
	}
	left, err := LeftBehind()
	if err != nil {
		return nil
	}
	return slices.DeleteFunc(left, func(l Left) bool { return ours[l.PID] })
}
