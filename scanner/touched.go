package scanner

import (
	"sync"
	"time"
)

// busyChanges is how many changes within Busy make a file a busy one.
const busyChanges = 6

// touched are the paths that something happened to and that were not looked at
// since. Events come in while a pass runs, so it has a lock of its own.
type touched struct {
	busy time.Duration

	mu    sync.Mutex
	since map[string]time.Time // by path: the oldest change not looked at
	heat  map[string]*heat
	// everything: all roots must be walked, since then.
	everything time.Time
	// looking are those that the running pass looks at: the oldest of them.
	looking time.Time
	wake    chan struct{}
}

// heat tells how busy a file is.
type heat struct {
	last   time.Time // the begin of the last pass that looked at it
	window time.Time
	count  int
	busy   bool
}

func newTouched(busy time.Duration) *touched {
	return &touched{busy: busy, since: map[string]time.Time{}, heat: map[string]*heat{}, wake: make(chan struct{}, 1)}
}

// add notes that something happened to a path.
func (t *touched) add(path string, now time.Time) {
	t.mu.Lock()
	if _, ok := t.since[path]; !ok {
		t.since[path] = now
	}
	if h := t.heat[path]; h != nil {
		h.change(now, t.busy)
	}
	t.mu.Unlock()
	t.ring()
}

// addAll notes that anything may have happened.
func (t *touched) addAll(now time.Time) {
	t.mu.Lock()
	if t.everything.IsZero() {
		t.everything = now
	}
	t.mu.Unlock()
	t.ring()
}

func (t *touched) ring() {
	select {
	case t.wake <- struct{}{}:
	default:
	}
}

func (h *heat) change(now time.Time, busy time.Duration) {
	if now.Sub(h.window) >= busy {
		h.busy = h.busy && h.count > busyChanges
		h.window, h.count = now, 0
	}
	if h.count++; h.count > busyChanges {
		h.busy = true
	}
}

// due is when a file may be looked at again: a quiet one at once, a busy one
// when the time of a commit has passed since the last look, rounded up to a
// third of it, so that many busy files share their commits.
func (h *heat) due(busy time.Duration) time.Time {
	if h == nil || !h.busy {
		return time.Time{}
	}
	grid := max(1, busy/3)
	return h.last.Add(busy + grid - 1).Truncate(grid)
}

// take hands over what is due. Without anything, next is when there will be, and
// zero when nothing is waiting. all says that everything is to be looked at.
func (t *touched) take(now time.Time) (paths []string, all bool, next time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.everything.IsZero() {
		t.looking = t.everything
		for path, since := range t.since {
			t.oldest(since)
			paths = append(paths, path)
		}
		t.took(paths, now)
		t.everything = time.Time{}
		return paths, true, next
	}
	for path, since := range t.since {
		if due := t.heat[path].due(t.busy); due.After(now) {
			if next.IsZero() || due.Before(next) {
				next = due
			}
			continue
		}
		t.oldest(since)
		paths = append(paths, path)
	}
	t.took(paths, now)
	return paths, false, next
}

func (t *touched) oldest(since time.Time) {
	if t.looking.IsZero() || since.Before(t.looking) {
		t.looking = since
	}
}

func (t *touched) took(paths []string, now time.Time) {
	for _, path := range paths {
		delete(t.since, path)
		h := t.heat[path]
		if h == nil {
			h = &heat{window: now}
			t.heat[path] = h
		}
		h.last = now
	}
}

// done says that the pass has committed what it looked at.
func (t *touched) done() {
	t.mu.Lock()
	t.looking = time.Time{}
	t.mu.Unlock()
}

// again puts back what a pass could not commit.
func (t *touched) again(paths []string, all bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, path := range paths {
		if since, ok := t.since[path]; !ok || t.looking.Before(since) {
			t.since[path] = t.looking
		}
	}
	if all {
		t.everything = t.looking
	}
	t.looking = time.Time{}
}

// cool forgets files that nothing happened to for a while.
func (t *touched) cool(now time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for path, h := range t.heat {
		if now.Sub(h.last) > 10*t.busy && now.Sub(h.window) > 10*t.busy {
			delete(t.heat, path)
		}
	}
}

// lag is the age of the oldest change that is not committed.
func (t *touched) lag(now time.Time) time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	oldest := t.looking
	for _, since := range t.since {
		if oldest.IsZero() || since.Before(oldest) {
			oldest = since
		}
	}
	if !t.everything.IsZero() && (oldest.IsZero() || t.everything.Before(oldest)) {
		oldest = t.everything
	}
	if oldest.IsZero() {
		return 0
	}
	return now.Sub(oldest)
}
