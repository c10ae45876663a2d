package agents

import (
	"fmt"
	"slices"
	"time"

	"meterbridge"
)

// Bind says that a session is an agent's from a moment on, from its beginning for a
// zero one. It is no other agent's from then on. A surer source replaces a weaker.
func (r *Registry) Bind(id, session string, source meterbridge.BindingSource, from time.Time) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	e := r.of[id]
	if e == nil {
		return fmt.Errorf("%w: %q", ErrUnknown, id)
	}
	if r.bind(e, session, source, from) {
		r.save(e)
		r.changed(e)
	}
	return nil
}

// bind is Bind under the lock; false when it was bound so already.
func (r *Registry) bind(e *entry, session string, source meterbridge.BindingSource, from time.Time) bool {
	if i := e.bound(session); i >= 0 {
		b := &e.bindings[i]
		if weight(source) >= weight(b.Source) && b.Generation == e.Generation {
			return false
		}
		if weight(source) < weight(b.Source) {
			b.Source = source
		}
		b.Generation = e.Generation
		return true
	}
	r.release(e, session, from)
	e.bindings = append(e.bindings, meterbridge.Binding{
		Agent: e.ID, Harness: e.Harness, Session: session, Source: source, Generation: e.Generation, From: from,
	})
	return true
}

// weight orders sources, the surest first.
func weight(s meterbridge.BindingSource) int {
	return slices.Index([]meterbridge.BindingSource{meterbridge.BoundGiven, meterbridge.BoundByHook, meterbridge.BoundInferred}, s)
}

// bound is the place of the session's open binding, -1 without one.
func (e *entry) bound(session string) int {
	return slices.IndexFunc(e.bindings, func(b meterbridge.Binding) bool { return b.Session == session && b.To.IsZero() })
}

// release takes a session from the agent that has it.
func (r *Registry) release(to *entry, session string, from time.Time) {
	at := from
	if at.IsZero() {
		at = r.o.Now()
	}
	for _, id := range r.order {
		e := r.of[id]
		if e == to || e.Harness != to.Harness {
			continue
		}
		if i := e.bound(session); i >= 0 {
			e.bindings[i].To = at
			r.save(e)
		}
	}
}

// BoundTo is the agent that has a session now.
func (r *Registry) BoundTo(harness, session string) (Info, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, id := range slices.Backward(r.order) {
		if e := r.of[id]; e.Harness == harness && e.bound(session) >= 0 {
			return e.info(), true
		}
	}
	return Info{}, false
}

// Hooked is the agent of a session that a hook told of and nobody started here: the
// one that has it, or a new one. dir and model are empty when not told.
func (r *Registry) Hooked(harness, session, dir, model string) (Info, error) {
	p, ok := r.o.Profiles[harness]
	if !ok {
		p.Kind = meterbridge.AIAgent
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.o.Now()
	for _, id := range slices.Backward(r.order) {
		e := r.of[id]
		if e.Harness != harness || e.bound(session) < 0 {
			continue
		}
		if e.Running() || e.Origin != meterbridge.Hooked {
			return e.info(), nil
		}
		e.Generation++
		e.StartedAt, e.SeenAt, e.ExitedAt = now, now, zeroTime()
		r.begin(e, now)
		r.save(e)
		r.changed(e)
		return e.info(), nil
	}
	e := &entry{Agent: meterbridge.Agent{
		ID: r.o.NewID(), Name: r.freeName(harness), Harness: harness, Kind: p.Kind, Origin: meterbridge.Hooked,
		Workspace: meterbridge.DefaultWorkspace, Dir: dir, Model: model, Generation: 1, CreatedAt: now, StartedAt: now, SeenAt: now,
	}}
	r.insert(e)
	r.bind(e, session, meterbridge.BoundByHook, zeroTime())
	r.begin(e, now)
	r.save(e)
	r.changed(e)
	return e.info(), nil
}

// Unbound are the running agents of a harness that no session is bound to since
// their newest start.
func (r *Registry) Unbound(harness string) []Info {
	r.mu.Lock()
	defer r.mu.Unlock()
	var list []Info
	for _, id := range r.order {
		e := r.of[id]
		if e.Harness == harness && e.Kind == meterbridge.AIAgent && e.Origin == meterbridge.Started && e.Running() && !e.boundNow() {
			list = append(list, e.info())
		}
	}
	return list
}

// boundNow reports whether a session was bound to the newest process.
func (e *entry) boundNow() bool {
	return slices.ContainsFunc(e.bindings, func(b meterbridge.Binding) bool { return b.To.IsZero() && b.Generation == e.Generation })
}
