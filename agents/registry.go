package agents

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"meterbridge"
)

// Options of a registry.
type Options struct {
	// Profiles are the launch profiles by harness.
	Profiles map[string]meterbridge.LaunchProfile
	Runner   Runner
	Store    Store
	History  History
	// Wire makes what a launch adds; nil adds nothing.
	Wire func(ctx context.Context, a meterbridge.Agent) (Wiring, error)
	// Tell hears what happens, in order. It must neither wait nor call the registry.
	Tell func(Event)
	// Forgotten hears of agents that are no more: removed, or never begun. It must not
	// call the registry. nil is for nobody.
	Forgotten func(id string)
	// Failed hears of what could not be kept; nil for nobody.
	Failed func(error)
	// Now is the clock; NewID and NewSession make ids of agents and of sessions.
	Now               func() time.Time
	NewID, NewSession func() string
}

// Registry knows the agents. Its methods may be called at once.
type Registry struct {
	o     Options
	saver saver

	mu sync.Mutex
	// of holds every agent by id, order the ids as they became known.
	of    map[string]*entry
	order []string
	links []meterbridge.Link
}

// entry is one agent with what is known of it now.
type entry struct {
	meterbridge.Agent
	bindings []meterbridge.Binding
	view     view
	// starting: a process is being started, or replaced under the same generation;
	// the end of an older one means nothing.
	starting bool
}

// New reads the agents that are kept. Run must run while the registry is used.
func New(ctx context.Context, o Options) (*Registry, error) {
	r := &Registry{o: o, of: map[string]*entry{}}
	r.saver.init(o.Failed)
	list, bindings, links, err := o.Store.Agents(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the agents: %w", err)
	}
	for _, a := range list {
		r.of[a.ID] = &entry{Agent: a}
		r.order = append(r.order, a.ID)
	}
	for _, b := range bindings {
		if e := r.of[b.Agent]; e != nil {
			e.bindings = append(e.bindings, b)
		}
	}
	r.links = links
	for _, e := range r.of {
		if err := r.recall(ctx, e); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// Run keeps what changes until ctx ends and everything is kept.
func (r *Registry) Run(ctx context.Context) { r.saver.run(ctx) }

// Flush returns when what changed before it is kept.
func (r *Registry) Flush(ctx context.Context) error { return r.saver.flush(ctx) }

// Info is an agent as it is now.
type Info struct {
	meterbridge.Agent
	Status meterbridge.Status
	// StatusAt is when it was established, Detail a question or an error.
	StatusAt time.Time
	Detail   string
	// Source and Confidence tell how the status is known.
	Source, Confidence string
	// TurnStartedAt is zero while it does not work; LastTurn is nil before the first end.
	TurnStartedAt time.Time
	LastTurn      *LastTurn
	// Bindings are the sessions that are bound now.
	Bindings []meterbridge.Binding
}

// LastTurn is the newest turn of events that ended; StartedAt is zero when it is
// not known.
type LastTurn struct {
	StartedAt, EndedAt time.Time
	// EndedAs is meterbridge.Finished or meterbridge.NeedsInput.
	EndedAs meterbridge.Status
}

func (e *entry) info() Info {
	i := Info{
		Agent: e.Agent, Status: e.view.status, StatusAt: e.view.at, Detail: e.view.detail, Source: e.view.source, Confidence: e.view.confidence,
		TurnStartedAt: e.view.turnStarted,
	}
	if e.view.lastTurn != nil {
		last := *e.view.lastTurn
		i.LastTurn = &last
	}
	for _, b := range e.bindings {
		if b.To.IsZero() {
			i.Bindings = append(i.Bindings, b)
		}
	}
	return i
}

// List are the agents of a workspace, of all for an empty one, in the order in
// which they became known.
func (r *Registry) List(workspace string) []Info {
	r.mu.Lock()
	defer r.mu.Unlock()
	list := []Info{}
	for _, id := range r.order {
		if e := r.of[id]; workspace == "" || e.Workspace == workspace {
			list = append(list, e.info())
		}
	}
	return list
}

// Get finds an agent by its id, its name, or a unique beginning of either.
func (r *Registry) Get(which string) (Info, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	e, err := r.find(which)
	if err != nil {
		return Info{}, err
	}
	return e.info(), nil
}

// find is Get under the lock.
func (r *Registry) find(which string) (*entry, error) {
	if e := r.of[which]; e != nil {
		return e, nil
	}
	var begins []*entry
	for _, id := range r.order {
		e := r.of[id]
		if e.Name == which {
			return e, nil
		}
		if which != "" && (strings.HasPrefix(e.ID, which) || strings.HasPrefix(e.Name, which)) {
			begins = append(begins, e)
		}
	}
	switch len(begins) {
	case 0:
		return nil, fmt.Errorf("%w: %q", ErrUnknown, which)
	case 1:
		return begins[0], nil
	}
	return nil, fmt.Errorf("%w: %q: %s", ErrAmbiguous, which, names(begins))
}

func names(list []*entry) string {
	var all []string
	for _, e := range list[:min(len(list), 10)] {
		all = append(all, e.Name)
	}
	return strings.Join(all, ", ")
}

// Rename gives an agent another name.
func (r *Registry) Rename(which, name string) (Info, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	e, err := r.find(which)
	if err != nil {
		return Info{}, err
	}
	if err := r.free(name, e); err != nil {
		return Info{}, err
	}
	e.Name = name
	r.save(e)
	r.changed(e)
	return e.info(), nil
}

// longestName bounds a name in characters.
const longestName = 64

// free refuses a name that is none, or that another agent answers to.
func (r *Registry) free(name string, but *entry) error {
	if name == "" || len([]rune(name)) > longestName || strings.ContainsFunc(name, func(c rune) bool { return c < ' ' || c == 0x7f }) || strings.TrimSpace(name) != name {
		return fmt.Errorf("%w: a name has 1 to %d characters on one line", ErrInvalid, longestName)
	}
	for _, e := range r.of {
		if e != but && (e.Name == name || e.ID == name) {
			return fmt.Errorf("%w: %q", ErrTaken, name)
		}
	}
	return nil
}

// freeName is the harness's id with the first number that is free.
func (r *Registry) freeName(harness string) string {
	for n := 1; ; n++ {
		if name := fmt.Sprintf("%s-%d", harness, n); r.free(name, nil) == nil {
			return name
		}
	}
}

// save has an agent kept as it is now. The lock is held.
func (r *Registry) save(e *entry) {
	a, bindings := e.Agent, slices.Clone(e.bindings)
	r.saver.add(func(ctx context.Context) error { return r.o.Store.SaveAgent(ctx, a, bindings) })
}

// insert adds an agent. The lock is held.
func (r *Registry) insert(e *entry) {
	r.of[e.ID] = e
	r.order = append(r.order, e.ID)
}

// Harnesses are the ids that can be started, in order.
func (r *Registry) Harnesses() []string {
	return slices.SortedFunc(maps.Keys(r.o.Profiles), cmp.Compare[string])
}

// Profile is the launch profile of a harness.
func (r *Registry) Profile(harness string) (meterbridge.LaunchProfile, bool) {
	p, ok := r.o.Profiles[harness]
	return p, ok
}
