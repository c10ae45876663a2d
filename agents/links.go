package agents

import (
	"context"
	"fmt"
	"slices"

	"meterbridge"
)

// Link lets the agent from work with the agent or terminal to. What is linked
// already stays so.
func (r *Registry) Link(from, to string) (meterbridge.Link, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	a, b, err := r.pair(from, to)
	if err != nil {
		return meterbridge.Link{}, err
	}
	switch {
	case a == b:
		return meterbridge.Link{}, fmt.Errorf("%w: an agent needs no link to itself", ErrInvalid)
	case a.Workspace != b.Workspace:
		return meterbridge.Link{}, fmt.Errorf("%w: %s is of the workspace %s and %s of %s; links hold within one", ErrInvalid, a.Name, a.Workspace, b.Name, b.Workspace)
	case a.Kind != meterbridge.AIAgent:
		return meterbridge.Link{}, fmt.Errorf("%w: %s is a terminal, which works with nobody; turn the two around", ErrInvalid, a.Name)
	}
	if i := r.link(a.ID, b.ID); i >= 0 {
		return r.links[i], nil
	}
	l := meterbridge.Link{From: a.ID, To: b.ID, CreatedAt: r.o.Now()}
	r.links = append(r.links, l)
	r.saveLinks(a.ID)
	r.changed(a)
	return l, nil
}

// Unlink removes a link; ErrUnknown when there is none.
func (r *Registry) Unlink(from, to string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	a, b, err := r.pair(from, to)
	if err != nil {
		return err
	}
	i := r.link(a.ID, b.ID)
	if i < 0 {
		return fmt.Errorf("%w: %s is not linked to %s", ErrUnknown, a.Name, b.Name)
	}
	r.links = slices.Delete(r.links, i, i+1)
	r.saveLinks(a.ID)
	r.changed(a)
	return nil
}

// saveLinks has the links from an agent kept as they are now. The lock is held.
func (r *Registry) saveLinks(from string) {
	var links []meterbridge.Link
	for _, l := range r.links {
		if l.From == from {
			links = append(links, l)
		}
	}
	r.saver.add(func(ctx context.Context) error { return r.o.Store.SaveLinks(ctx, from, links) })
}

func (r *Registry) pair(from, to string) (a, b *entry, err error) {
	if a, err = r.find(from); err == nil {
		b, err = r.find(to)
	}
	return a, b, err
}

func (r *Registry) link(from, to string) int {
	return slices.IndexFunc(r.links, func(l meterbridge.Link) bool { return l.From == from && l.To == to })
}

// Links are all links, the oldest first.
func (r *Registry) Links() []meterbridge.Link {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.links)
}

// Linked reports whether the agent from may work with the agent or terminal to,
// both given by id.
func (r *Registry) Linked(from, to string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.link(from, to) >= 0
}
