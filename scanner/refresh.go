package scanner

import (
	"context"
	"maps"
	"sync"
)

// refresh is somebody who waits until everything on disk is committed.
type refresh struct {
	done chan struct{}
	res  Result
	err  error
}

// Refresh returns when everything that is on disk at the time of the call is
// committed. It waits for a scan that runs, and p, which may be nil, is told of
// that one's progress too; those who wait at the same time share one scan. The
// result is of the scan that answered. After an error of the sink, which is
// returned, the scanner goes on trying by itself.
func (l *Live) Refresh(ctx context.Context, p Progress) (Result, error) {
	r := &refresh{done: make(chan struct{})}
	l.mu.Lock()
	if l.stopped {
		l.mu.Unlock()
		return Result{}, ErrStopped
	}
	l.waiting = append(l.waiting, r)
	l.mu.Unlock()
	leave := l.progress.join(p)
	defer leave()
	l.touched.ring()
	select {
	case <-r.done:
		if p != nil && r.err == nil {
			p.Done()
		}
		return r.res, r.err
	case <-ctx.Done():
		return Result{}, ctx.Err()
	}
}

// waiters hands over those who wait now.
func (l *Live) waiters() []*refresh {
	l.mu.Lock()
	defer l.mu.Unlock()
	list := l.waiting
	l.waiting = nil
	return list
}

func answer(list []*refresh, res Result, err error) {
	for _, r := range list {
		r.res, r.err = res, err
		close(r.done)
	}
}

// audience passes progress on to whoever listens; those who come late are told
// first what was said of the scan that runs.
type audience struct {
	always Progress

	mu        sync.Mutex
	next      int
	listeners map[int]Progress
	announced map[string]amount // by harness, of the scan that runs
	added     map[string]amount
}

type amount struct {
	files int
	bytes int64
}

func newAudience(always Progress) *audience {
	return &audience{always: always, listeners: map[int]Progress{}, announced: map[string]amount{}, added: map[string]amount{}}
}

func (a *audience) join(p Progress) (leave func()) {
	if p == nil {
		return func() {}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	for h, n := range a.announced {
		p.Start(h, n.files, n.bytes)
		if m := a.added[h]; m != (amount{}) {
			p.Add(h, m.files, m.bytes)
		}
	}
	a.next++
	id := a.next
	a.listeners[id] = p
	return func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		delete(a.listeners, id)
	}
}

// Start implements Progress.
func (a *audience) Start(harness string, files int, bytes int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.announced[harness] = amount{files, bytes}
	a.always.Start(harness, files, bytes)
	for _, p := range a.listeners {
		p.Start(harness, files, bytes)
	}
}

// Add implements Progress.
func (a *audience) Add(harness string, files int, bytes int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	n := a.added[harness]
	a.added[harness] = amount{n.files + files, n.bytes + bytes}
	a.always.Add(harness, files, bytes)
	for _, p := range a.listeners {
		p.Add(harness, files, bytes)
	}
}

// Done implements Progress; listeners are told when their own wait is over.
func (a *audience) Done() {
	a.clear()
	a.always.Done()
}

// clear forgets the scan that ran.
func (a *audience) clear() {
	a.mu.Lock()
	defer a.mu.Unlock()
	clear(a.announced)
	clear(a.added)
}

// amounts are what was announced and done of the scan that runs, by harness.
func (a *audience) amounts() (announced, added map[string]amount) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return maps.Clone(a.announced), maps.Clone(a.added)
}
