package fleet

import (
	"context"
	"fmt"
	"strings"
	"time"

	"meterbridge"
	"meterbridge/agents"
	"meterbridge/agents/terminal"
)

const (
	// choreLimit is how long a start is looked after.
	choreLimit = 2 * time.Minute
	// choreBeat is how often its screen is looked at.
	choreBeat = 250 * time.Millisecond
	// choreText is how much of the newest output, in bytes, a text is looked for in.
	choreText = 2048
	// answerPause is how long a question stands before it is answered.
	answerPause = 200 * time.Millisecond
)

// Start starts a new agent and looks after its start. When it returns the agent is
// kept: a terminal that outlives the daemon must be known to the next one.
func (f *Fleet) Start(ctx context.Context, s agents.Start) (agents.Info, error) {
	a, err := f.agents.Start(ctx, s)
	if err != nil {
		return a, err
	}
	f.attend(a)
	return a, f.agents.Flush(ctx)
}

// Restart starts the process of an agent again and looks after its start.
func (f *Fleet) Restart(ctx context.Context, which string, cols, rows int) (agents.Info, error) {
	a, err := f.agents.Restart(ctx, which, cols, rows)
	if err != nil {
		return a, err
	}
	f.attend(a)
	return a, f.agents.Flush(ctx)
}

// attend does the chores of a start beside it.
func (f *Fleet) attend(a agents.Info) {
	p := f.o.Profiles[a.Harness]
	t, err := f.rack.Terminal(a.ID)
	if err != nil || f.ctx.Err() != nil {
		return
	}
	f.follow(a)
	if len(p.NotFound) > 0 {
		out := t.SubscribeText()
		f.chores.Go(func() { f.findSession(a, p, out) })
	}
	if len(p.TrustPrompt) > 0 {
		f.chores.Go(func() { f.trust(a, p) })
	}
}

// findSession waits for the program to say that the session to resume is not there,
// and starts it anew then.
func (f *Fleet) findSession(a agents.Info, p meterbridge.LaunchProfile, out *terminal.Subscription) {
	defer out.Close()
	ctx, cancel := context.WithTimeout(f.ctx, choreLimit)
	defer cancel()
	tail := ""
	for {
		b, _, err := out.Next(ctx)
		if err != nil {
			return
		}
		if tail += string(b); len(tail) > choreText {
			tail = tail[len(tail)-choreText:]
		}
		if shows(tail, p.NotFound, anyOf) {
			if err := f.agents.Fresh(f.ctx, a.ID, a.Generation); err != nil {
				f.failed(err)
			}
			return
		}
	}
}

// trust answers the question whether the folder can be trusted, or has the person
// told of it. A question that stands is watched until it is gone.
func (f *Fleet) trust(a agents.Info, p meterbridge.LaunchProfile) {
	beat := time.NewTicker(choreBeat)
	defer beat.Stop()
	asked, end := false, f.o.Now().Add(choreLimit)
	for asked || f.o.Now().Before(end) {
		select {
		case <-f.ctx.Done():
			return
		case <-beat.C:
		}
		screen, err := f.rack.Screen(f.ctx, a.ID, 0)
		if now, _ := f.agents.Get(a.ID); err != nil || now.Generation != a.Generation || !now.Running() {
			return
		}
		shown := shows(screen, p.TrustPrompt, allOf)
		switch {
		case shown && a.Trust:
			if !f.say(a, p.TrustKeys) {
				return
			}
		case shown != asked:
			asked = shown
			f.agents.Publish(a.ID, a.Generation, trustStatus(a, shown, f.o.Now()))
		}
	}
}

// trustStatus is that of an agent while it asks, and after.
func trustStatus(a agents.Info, asks bool, at time.Time) agents.Publication {
	p := agents.Publication{
		Status: meterbridge.Idle, At: at, Source: string(meterbridge.FromOutput), Confidence: string(meterbridge.Inferred),
	}
	if asks {
		p.Status, p.Detail = meterbridge.NeedsInput, fmt.Sprintf("Asks whether %s can be trusted", a.Dir)
	}
	return p
}

// say presses keys, a moment apart; false when the fleet or the program ended.
func (f *Fleet) say(a agents.Info, keys []string) bool {
	t, err := f.rack.Terminal(a.ID)
	if err != nil {
		return false
	}
	for _, k := range keys {
		select {
		case <-f.ctx.Done():
			return false
		case <-time.After(answerPause):
		}
		if t.WriteTo(f.ctx, a.Generation, []byte(k)) != nil {
			return false
		}
	}
	return true
}

// anyOf and allOf say how many of several texts must be there.
const (
	anyOf = false
	allOf = true
)

// shows reports whether texts are in what was printed, however it was wrapped.
func shows(printed string, texts []string, all bool) bool {
	printed = squeezed(printed)
	for _, text := range texts {
		if strings.Contains(printed, squeezed(text)) != all {
			return !all
		}
	}
	return all
}

// squeezed is a text without white space: screens wrap and frame it anywhere.
func squeezed(text string) string { return strings.Join(strings.Fields(text), "") }
