package scanner

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"meterbridge"
)

// errStopped: the writer does not take any more.
var errStopped = errors.New("the writer stopped")

// message is a unit on its way to the writer.
type message struct {
	t    *task
	unit meterbridge.Unit
}

// pass is one pass over the sources of a plan.
type pass struct {
	scanner *Scanner
	res     *Result
	mu      sync.Mutex // guards res.Harnesses' counts
	units   chan message
	stopped chan struct{} // closed when the writer has ended
}

// read reads the sources of the plan in a pool and commits what they hold.
func (s *Scanner) read(ctx context.Context, p plan, res *Result) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	r := &pass{scanner: s, res: res, units: make(chan message, 2*s.opt.Workers), stopped: make(chan struct{})}
	s.announce(p.tasks)
	w := writer{pass: r, limit: s.opt.CommitRows, index: map[*task]int{}}
	go r.parse(ctx, p.tasks)
	err := w.begin(ctx, p)
	if err == nil {
		err = w.run(ctx)
	}
	close(r.stopped)
	if err != nil {
		cancel(err)
	}
	for range r.units { // the workers have ended when this is closed
	}
	if err == nil {
		err = context.Cause(ctx)
	}
	if err == nil {
		s.opt.Progress.Done()
	}
	return err
}

func (s *Scanner) announce(tasks []*task) {
	files, bytes := make([]int, len(s.harnesses)), make([]int64, len(s.harnesses))
	for _, t := range tasks {
		files[t.harness]++
		bytes[t.harness] += t.size
	}
	for i, n := range files {
		if n > 0 {
			s.opt.Progress.Start(s.harnesses[i].ID, n, bytes[i])
		}
	}
}

// parse runs the pool and closes the channel of units at its end.
func (r *pass) parse(ctx context.Context, tasks []*task) {
	defer close(r.units)
	queue := make(chan *task)
	var pool sync.WaitGroup
	for range min(r.scanner.opt.Workers, len(tasks)) {
		w := r.scanner.worker()
		w.send, w.count = r.send, r.count
		pool.Go(func() {
			defer r.scanner.rest(w)
			for t := range queue {
				if w.read(ctx, t) != nil {
					return
				}
			}
		})
	}
	r.deal(ctx, tasks, queue)
	close(queue)
	pool.Wait()
}

func (r *pass) deal(ctx context.Context, tasks []*task, queue chan<- *task) {
	for _, t := range tasks {
		select {
		case queue <- t:
		case <-r.scanner.stop:
			return
		case <-ctx.Done():
			return
		case <-r.stopped:
			return
		}
	}
}

func (r *pass) send(ctx context.Context, t *task, u meterbridge.Unit) error {
	select {
	case r.units <- message{t, u}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-r.stopped:
		return errStopped
	}
}

func (r *pass) count(harness int, c Counts) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.res.Harnesses[harness].add(c)
}

// writer gathers units and commits them. It is the only one that calls Commit.
type writer struct {
	*pass
	limit int
	group []meterbridge.Unit
	tasks []*task       // by unit of the group
	index map[*task]int // into group
	rows  int
}

// begin takes the notes of the plan; the first ones are committed at once.
func (w *writer) begin(ctx context.Context, p plan) error {
	for _, n := range p.first {
		w.take(message{&task{file: file{harness: n.harness}}, n.unit})
	}
	if err := w.flush(ctx); err != nil {
		return err
	}
	for _, n := range p.notes {
		w.take(message{&task{file: file{harness: n.harness}}, n.unit})
	}
	return nil
}

func (w *writer) run(ctx context.Context) error {
	for {
		select {
		case m, ok := <-w.units:
			if !ok {
				return w.flush(ctx)
			}
			w.take(m)
			if w.rows >= w.limit {
				if err := w.flush(ctx); err != nil {
					return err
				}
			}
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// take adds a unit to the group; a further unit of the same source joins the one
// before it.
func (w *writer) take(m message) {
	w.rows += m.unit.Batch.Len()
	if i, ok := w.index[m.t]; ok {
		u := &w.group[i]
		u.Batch = joined(u.Batch, m.unit.Batch)
		u.Checkpoint = m.unit.Checkpoint
		return
	}
	w.index[m.t] = len(w.group)
	w.group = append(w.group, m.unit)
	w.tasks = append(w.tasks, m.t)
}

func joined(a, b meterbridge.Batch) meterbridge.Batch {
	a.Requests = append(a.Requests, b.Requests...)
	a.Sessions = append(a.Sessions, b.Sessions...)
	a.Prompts = append(a.Prompts, b.Prompts...)
	a.ToolCalls = append(a.ToolCalls, b.ToolCalls...)
	a.Turns = append(a.Turns, b.Turns...)
	a.Limits = append(a.Limits, b.Limits...)
	a.Events = append(a.Events, b.Events...)
	a.Problems = append(a.Problems, b.Problems...)
	a.Traces = append(a.Traces, b.Traces...)
	return a
}

// flush commits the group.
func (w *writer) flush(ctx context.Context) error {
	if len(w.group) == 0 {
		return nil
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := w.scanner.sink.Commit(ctx, w.group); err != nil {
		return fmt.Errorf("commit %d sources: %w", len(w.group), err)
	}
	if w.scanner.committed != nil {
		w.scanner.committed(w.group)
	}
	w.res.Commits++
	w.res.Units += len(w.group)
	w.mu.Lock()
	for i := range w.group {
		w.res.Harnesses[w.tasks[i].harness].committed(&w.group[i])
	}
	w.mu.Unlock()
	w.group, w.tasks, w.rows = nil, nil, 0
	clear(w.index)
	return nil
}
