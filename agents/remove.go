package agents

import (
	"context"
	"fmt"
	"slices"

	"meterbridge"
)

// Remove forgets an agent that does not run: its name, its bindings to sessions, its
// history and its links. What its sessions spent stays in the ledger, as theirs.
func (r *Registry) Remove(which string) (Info, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	e, err := r.find(which)
	if err != nil {
		return Info{}, err
	}
	if e.starting || e.Running() {
		return Info{}, fmt.Errorf("%w: %s", ErrRunning, e.Name)
	}
	r.forget(e)
	r.links = slices.DeleteFunc(r.links, func(l meterbridge.Link) bool { return l.From == e.ID || l.To == e.ID })
	r.saver.add(func(ctx context.Context) error { return r.o.Store.RemoveAgent(ctx, e.ID) })
	r.changed(e)
	return e.info(), nil
}

// forget takes an agent out of the books. The lock is held.
func (r *Registry) forget(e *entry) {
	delete(r.of, e.ID)
	r.order = slices.DeleteFunc(r.order, func(id string) bool { return id == e.ID })
	if r.o.Forgotten != nil {
		r.o.Forgotten(e.ID)
	}
}
