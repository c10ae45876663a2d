package daemon

import (
	"context"

	"meterbridge"
	"meterbridge/dashboard"
	"meterbridge/dashboard/events"
	"meterbridge/harnesses/all"
	"meterbridge/internal/daemon/prompting"
)

// openPrompting makes the queue of prompts to the fleet's agents.
func (s *server) openPrompting(ctx context.Context) (err error) {
	m := s.meter
	m.prompting, err = prompting.New(ctx, prompting.Options{
		Fleet: m.fleet, Harnesses: all.Harnesses(), Store: m.ledger, DropText: !m.config.Privacy.KeepsText(), Now: m.opts.Now, Log: s.o.Log,
		Watched: func() bool { return s.events.hub.Clients() > 0 }, Tell: s.events.prompt,
		Extension: func(ctx context.Context, sender meterbridge.PromptSender, agent string) error {
			select { // what was queued before this start waits for the extensions
			case <-s.extended:
				return m.desk.MayPrompt(sender.Package, agent)
			case <-ctx.Done():
				return ctx.Err()
			}
		},
		Budgets: func(ctx context.Context) ([]dashboard.BudgetAnswer, error) {
			if len(m.config.Budgets) == 0 {
				return nil, nil
			}
			list, err := m.BudgetStates(ctx, m.zone, m.week)
			return list.Rows, err
		},
	})
	return err
}

// prompt tells those who listen to events of a change of the queue.
func (a *announcer) prompt(p meterbridge.QueuedPrompt) {
	a.publish(events.Prompt, events.PromptChange{ID: p.ID, AgentID: p.Agent, State: string(p.State), At: p.ChangedAt.UnixMilli()})
}
