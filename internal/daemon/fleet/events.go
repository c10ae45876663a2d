package fleet

import (
	"context"
	"sync"

	"meterbridge/agents"
	"meterbridge/agents/status"
)

// Listener hears what happens to agents, in order. It must neither wait nor call
// the fleet.
type Listener func(agents.Event)

// events passes on what the registry tells.
type events struct {
	mu        sync.Mutex
	listeners []Listener
	watchers  map[*watcher]bool
	closed    bool
}

// watcher is one that reads at its own pace.
type watcher struct {
	events chan agents.Event
	// missed are the agents of events that had no room.
	missed map[string]agents.Event
}

// watcherRoom is how far a watcher may be behind.
const watcherRoom = 256

func (e *events) tell(event agents.Event) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, l := range e.listeners {
		l(event)
	}
	for w := range e.watchers {
		w.push(event)
	}
}

// push hands an event over. For one that has no room the watcher is told later that
// its agent changed.
func (w *watcher) push(event agents.Event) {
	for id, missed := range w.missed {
		select {
		case w.events <- missed:
			delete(w.missed, id)
		default:
		}
	}
	if len(w.missed) == 0 {
		select {
		case w.events <- event:
			return
		default:
		}
	}
	event.Kind = agents.EventChanged
	w.missed[event.Agent.ID] = event
}

// statusListeners hear what trackers tell: more than the registry keeps.
type statusListeners struct {
	mu   sync.Mutex
	list []func(status.Event)
}

func (l *statusListeners) tell(e status.Event) {
	l.mu.Lock()
	list := l.list
	l.mu.Unlock()
	for _, hear := range list {
		hear(e)
	}
}

// ListenStatus adds a listener to what trackers tell, in order: prompts that were
// taken and replies too. It may call everything but must not wait long.
func (f *Fleet) ListenStatus(hear func(status.Event)) {
	f.statuses.mu.Lock()
	defer f.statuses.mu.Unlock()
	f.statuses.list = append(f.statuses.list, hear)
}

// Listen adds a listener for as long as the fleet lives.
func (f *Fleet) Listen(l Listener) {
	f.events.mu.Lock()
	defer f.events.mu.Unlock()
	f.events.listeners = append(f.events.listeners, l)
}

// Watch tells what happens until ctx ends; then the channel is closed.
func (f *Fleet) Watch(ctx context.Context) <-chan agents.Event {
	w := &watcher{events: make(chan agents.Event, watcherRoom), missed: map[string]agents.Event{}}
	e := &f.events
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		close(w.events)
		return w.events
	}
	if e.watchers == nil {
		e.watchers = map[*watcher]bool{}
	}
	e.watchers[w] = true
	context.AfterFunc(ctx, func() { e.leave(w) })
	return w.events
}

func (e *events) leave(w *watcher) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.watchers[w] {
		delete(e.watchers, w)
		close(w.events)
	}
}

func (e *events) close() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.closed = true
	for w := range e.watchers {
		delete(e.watchers, w)
		close(w.events)
	}
}
