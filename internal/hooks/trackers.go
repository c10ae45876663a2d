package hooks

import (
	"meterbridge"
	"meterbridge/agents"
	"meterbridge/agents/status"
	"meterbridge/harnesses"
)

// Heard takes what the registry tells of an agent: its processes begin and end.
// The registry may hold its lock.
func (d *Desk) Heard(e agents.Event) {
	a := e.Agent
	switch {
	case a.Running():
		d.began(a)
	case a.Generation > 0:
		if t := d.tracker(a.ID); t != nil {
			t.Exit(a.Generation)
		}
	}
}

// began follows the newest process of an agent; it is idempotent.
func (d *Desk) began(a agents.Info) *desked {
	d.mu.Lock()
	t := d.trackers[a.ID]
	if t == nil && !d.closed {
		t = &desked{harness: a.Harness, hooked: a.Origin == meterbridge.Hooked}
		t.Tracker = status.New(status.Options{Agent: a.ID, Source: d.source(a), Tell: d.tell, Now: d.o.Now})
		d.trackers[a.ID] = t
	}
	d.mu.Unlock()
	if t == nil || t.Info().Generation >= a.Generation {
		return t
	}
	if a.Status == "" || a.Status == meterbridge.Idle {
		t.Spawn(a.Generation, session(a))
		return t
	}
	// It was followed by an earlier life of the daemon.
	t.Adopt(a.Generation, session(a), status.Change{
		Publication: status.Publication{Status: a.Status, At: a.StatusAt, Detail: a.Detail},
		Source:      meterbridge.FactSource(a.Source), Confidence: meterbridge.Confidence(a.Confidence),
	})
	return t
}

// session is the one that was bound to the newest process.
func session(a agents.Info) string {
	id := ""
	for _, b := range a.Bindings {
		if b.Generation == a.Generation {
			id = b.Session
		}
	}
	return id
}

func (d *Desk) tracker(id string) *desked {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.trackers[id]
}

// source is what a harness offers.
func (d *Desk) source(a agents.Info) status.Source {
	h := d.of[a.Harness].Hooks
	switch {
	case a.Kind == meterbridge.ShellAgent && a.Harness == meterbridge.ShellCommand:
		return status.Source{Output: status.AnyOutput}
	case a.Kind == meterbridge.ShellAgent:
		return status.Source{}
	case h == nil:
		return status.Source{Output: status.MuchOutput}
	}
	s := status.Source{Title: h.Title, Line: h.Line, HoldStop: h.HoldStop}
	if h.Transcript != nil {
		s.Transcript = func() status.TranscriptReader { return h.Transcript() }
	}
	if h.Layer == nil && h.Title == nil {
		s.Output = status.MuchOutput
	}
	return s
}

// Info is what is known of an agent; false for one that is not followed.
func (d *Desk) Info(agent string) (status.Info, bool) {
	t := d.tracker(agent)
	if t == nil {
		return status.Info{}, false
	}
	return t.Info(), true
}

// Typed takes what a person typed into an agent's terminal.
func (d *Desk) Typed(agent string, keys []byte) {
	if t := d.tracker(agent); t != nil {
		t.Typed(keys)
	}
}

// Interrupted says that the host pressed the key that stops a turn.
func (d *Desk) Interrupted(agent string) {
	if t := d.tracker(agent); t != nil {
		t.Interrupted()
	}
}

// Title takes the title of an agent's terminal.
func (d *Desk) Title(agent, title string) {
	if t := d.tracker(agent); t != nil {
		t.Title(title)
	}
}

// Line takes a line that appeared in an agent's terminal.
func (d *Desk) Line(agent, line string) {
	if t := d.tracker(agent); t != nil {
		t.Line(line)
	}
}

// Output says that an agent's terminal printed something.
func (d *Desk) Output(agent string) {
	if t := d.tracker(agent); t != nil {
		t.Output()
	}
}

// hooksOf are those of a harness; false for one that has none.
func (d *Desk) hooksOf(harness string) (*harnesses.Hooks, bool) {
	h := d.of[harness].Hooks
	return h, h != nil && h.Facts != nil
}
