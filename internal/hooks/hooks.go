// Package hooks is where the hooks of agents report to. A Desk takes their payloads
// over HTTP, has their harness map them to facts, and gives those to the tracker of
// the agent, whose statuses it publishes. It imports the domain, agents and
// harnesses, and no harness by name; internal/daemon wires it. Below it, forward is
// the small program that a command hook runs, and userfile puts hooks into a user's
// own settings.
package hooks

import (
	"context"
	"log/slog"
	"strconv"
	"sync"
	"time"

	"meterbridge"
	"meterbridge/agents"
	"meterbridge/agents/status"
	"meterbridge/harnesses"
	"meterbridge/internal/hooks/forward"
)

// Publisher takes what becomes known of agents.
type Publisher interface {
	Publish(id string, generation int, p agents.Publication)
	Exited(id string, generation int, at time.Time, code meterbridge.Count)
}

// Registry knows the agents.
type Registry interface {
	Bind(id, session string, source meterbridge.BindingSource, from time.Time) error
	// Hooked is the agent of a session that nobody started here, made when it is new.
	Hooked(harness, session, dir, model string) (agents.Info, error)
	Get(which string) (agents.Info, error)
}

// Spawn is the process of an agent that a token stands for.
type Spawn struct {
	Agent      string
	Generation int
}

// Options of a desk.
type Options struct {
	Harnesses []harnesses.Harness
	Publisher Publisher
	Registry  Registry
	// Spawn is the process of a token of hooks.
	Spawn func(token string) (Spawn, bool)
	// MachineToken is the token of hooks of agents that nobody started here.
	MachineToken string
	// Listen hears each event, in order; it may call everything but must not wait long.
	Listen func(status.Event)
	Now    func() time.Time
	Log    *slog.Logger
}

// Desk takes in what agents tell. Run must run while it is used.
type Desk struct {
	o  Options
	of map[string]harnesses.Harness

	mu       sync.Mutex
	trackers map[string]*desked
	closed   bool
	// told are events that wait to be published, in order.
	told []status.Event
	wake chan struct{}
}

// desked is an agent at the desk.
type desked struct {
	*status.Tracker
	harness string
	hooked  bool
}

// New makes a desk.
func New(o Options) *Desk {
	if o.Now == nil {
		o.Now = time.Now
	}
	d := &Desk{o: o, of: map[string]harnesses.Harness{}, trackers: map[string]*desked{}, wake: make(chan struct{}, 1)}
	for _, h := range o.Harnesses {
		d.of[h.ID] = h
	}
	return d
}

// TakeSpool takes what hooks told while no daemon ran. Of agents that were started
// here and run on it is taken in order; of those that nobody started here what each
// session told last, as all before it is over.
func (d *Desk) TakeSpool(path string) error {
	list, err := forward.Take(path)
	type key struct{ harness, session string }
	var order []key
	last := map[key][]meterbridge.StatusFact{}
	for _, s := range list {
		h, ok := d.hooksOf(s.Harness)
		if !ok {
			continue
		}
		if s.Agent != "" {
			d.missed(s, h)
			continue
		}
		for _, f := range h.Facts(s.Payload) {
			if f.Kind == meterbridge.FactActivity || f.Kind == meterbridge.FactResumed || f.Session == "" {
				continue
			}
			k := key{s.Harness, f.Session}
			if last[k] == nil {
				order = append(order, k)
			}
			last[k] = []meterbridge.StatusFact{f}
		}
	}
	for _, k := range order {
		d.byHand(k.harness, last[k])
	}
	return err
}

// missed takes what an agent's process told while no daemon ran.
func (d *Desk) missed(s forward.Spooled, h *harnesses.Hooks) {
	generation, err := strconv.Atoi(s.Generation)
	a, second := d.o.Registry.Get(s.Agent)
	if err != nil || second != nil || a.Generation != generation || !a.Running() {
		return
	}
	if t := d.began(a); t != nil {
		for _, f := range h.Facts(s.Payload) {
			t.Fact(generation, f)
		}
	}
}

// Run publishes what is told until ctx ends, and the rest then.
func (d *Desk) Run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			d.close()
			d.publish()
			return
		case <-d.wake:
			d.publish()
		}
	}
}

func (d *Desk) close() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.closed = true
	for _, t := range d.trackers {
		t.Close()
	}
}

// tell is called by trackers under their locks: it only keeps the event.
func (d *Desk) tell(e status.Event) {
	d.mu.Lock()
	d.told = append(d.told, e)
	d.mu.Unlock()
	select {
	case d.wake <- struct{}{}:
	default:
	}
}

func (d *Desk) publish() {
	for {
		d.mu.Lock()
		told := d.told
		d.told = nil
		d.mu.Unlock()
		if len(told) == 0 {
			return
		}
		for _, e := range told {
			d.pass(e)
		}
	}
}

// pass publishes one event.
func (d *Desk) pass(e status.Event) {
	switch e.Kind {
	case status.StatusChanged, status.TurnBegan:
		c := e.Change
		if c.Status != meterbridge.Exited { // that is the terminal's to tell
			d.o.Publisher.Publish(e.Agent, e.Generation, agents.Publication{
				Status: c.Status, At: e.At, Detail: c.Detail, Source: string(c.Source), Confidence: string(c.Confidence),
				Turn: c.Turn, Automatic: c.Automatic,
			})
		}
	case status.SessionBound:
		if err := d.o.Registry.Bind(e.Agent, e.Session, meterbridge.BoundByHook, e.At); err != nil && d.o.Log != nil {
			d.o.Log.Warn("session not bound", slog.String("agent", e.Agent), slog.Any("error", err))
		}
	}
	if d.o.Listen != nil {
		d.o.Listen(e)
	}
}
