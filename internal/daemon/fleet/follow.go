package fleet

import (
	"strings"

	"meterbridge/agents"
	"meterbridge/agents/terminal"
	"meterbridge/agents/terminal/screen"
	"meterbridge/internal/hooks"
)

// newDesk is where hooks report to; it publishes to the registry.
func (f *Fleet) newDesk() *hooks.Desk {
	return hooks.New(hooks.Options{
		Harnesses: f.o.Harnesses, Publisher: f.agents, Registry: f.agents, Spawn: f.HookSpawn, MachineToken: f.o.MachineToken,
		Listen: f.statuses.tell, Now: f.o.Now, Log: f.o.Log,
	})
}

// told takes what a program tells its terminal.
func (f *Fleet) told(id string, _ int, e screen.Event) {
	if e.Kind == screen.Title {
		f.desk.Title(id, e.Text)
	}
}

// typed takes what a person typed in a viewer.
func (f *Fleet) typed(id string, _ int, keys []byte) { f.desk.Typed(id, keys) }

// follow gives what the agent's terminal prints to its tracker until its process
// has ended.
func (f *Fleet) follow(a agents.Info) {
	t, err := f.rack.Terminal(a.ID)
	if err != nil || f.ctx.Err() != nil {
		return
	}
	out := t.SubscribeText()
	h := f.of[a.Harness].Hooks
	f.chores.Go(func() {
		defer out.Close()
		lines := seenLines{}
		for {
			b, _, err := out.Next(f.ctx)
			if err != nil {
				return
			}
			if len(b) == 0 {
				continue
			}
			f.desk.Output(a.ID)
			if h != nil && h.Line != nil {
				f.newLines(a, t, lines)
			}
		}
	})
}

// seenLines are the lines of a screen as it was last.
type seenLines map[string]bool

// linesSeen is how many lines of a screen are looked through.
const linesSeen = 60

// newLines gives the lines to the tracker that the screen did not have before.
func (f *Fleet) newLines(a agents.Info, t *terminal.Terminal, seen seenLines) {
	text, err := t.Text(f.ctx, linesSeen)
	if err != nil {
		return
	}
	now := seenLines{}
	for line := range strings.SplitSeq(text, "\n") {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		if now[line] = true; !seen[line] {
			f.desk.Line(a.ID, line)
		}
	}
	clear(seen)
	for line := range now {
		seen[line] = true
	}
}
