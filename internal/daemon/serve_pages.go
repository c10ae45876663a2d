package daemon

import (
	"context"
	"errors"
	"net/http"

	"meterbridge/dashboard"
	"meterbridge/dashboard/problem"
	"meterbridge/dashboard/query"
	"meterbridge/dashboard/web"
	"meterbridge/harnesses/all"
)

// Pages are the dashboard; put them behind a guard. Unless o says otherwise,
// version, harnesses and clock are the meter's own.
func (m *Meter) Pages(o web.Options) (*web.Site, error) {
	if o.Version == "" {
		o.Version = m.opts.Version
	}
	if o.Now == nil {
		o.Now = m.opts.Now
	}
	if o.Harnesses == nil {
		o.Harnesses = map[string]string{}
		for _, h := range all.Harnesses() {
			o.Harnesses[h.ID] = h.Name
		}
	}
	return web.New(m, o)
}

// servedPages are the pages of a daemon, which can start and stop agents.
func (s *server) servedPages() (*web.Site, error) {
	keeper := pageFleet{s.meter}
	return s.meter.Pages(web.Options{Log: s.o.Log, Fleet: keeper, Links: keeper, Prompts: pageQueue{s.meter}, Tools: pageTools{s.meter}, Starters: AgentHarnesses(), Home: s.meter.opts.Home})
}

// pageFleet is what the pages do with agents.
type pageFleet struct{ m *Meter }

func (f pageFleet) Start(ctx context.Context, s web.AgentStart) (dashboard.AgentAnswer, error) {
	a, err := f.m.StartAgent(ctx, StartAgent{
		Harness: s.Harness, Argv: s.Argv, Name: s.Name, Dir: s.Dir, Model: s.Model, Workspace: s.Workspace, Dangerous: s.Dangerous, Trust: s.Trust,
	})
	return a, shown(err)
}

func (f pageFleet) Restart(ctx context.Context, which string) (dashboard.AgentAnswer, error) {
	a, err := f.m.RestartAgent(ctx, which, 0, 0)
	return a, shown(err)
}

func (f pageFleet) Stop(ctx context.Context, which string) (dashboard.AgentAnswer, error) {
	a, err := f.m.StopAgent(ctx, which)
	return a, shown(err)
}

func (f pageFleet) Rename(ctx context.Context, which, name string) (dashboard.AgentAnswer, error) {
	a, err := f.m.RenameAgent(ctx, which, name)
	return a, shown(err)
}

func (f pageFleet) Link(ctx context.Context, from, to string) error {
	_, err := f.m.LinkAgents(ctx, from, to)
	return shown(err)
}

func (f pageFleet) Unlink(ctx context.Context, from, to string) error {
	return shown(f.m.UnlinkAgents(ctx, from, to))
}

// pageQueue is what the pages do with the queue.
type pageQueue struct{ m *Meter }

func (q pageQueue) Open(ctx context.Context, agent string) (dashboard.PromptList, error) {
	list, err := q.m.Prompts(ctx, agent)
	return list, shown(err)
}

func (q pageQueue) Log(ctx context.Context, agent string, most int) (dashboard.PromptList, error) {
	list, err := q.m.PromptLog(ctx, agent, most)
	return list, shown(err)
}

func (q pageQueue) Send(ctx context.Context, p web.PromptSend) error {
	_, err := q.m.Prompt(ctx, SendPrompt{Agent: p.Agent, Text: p.Text, Insert: p.Insert, Command: p.Command, WhenBusy: p.WhenBusy, At: p.At})
	return shown(err)
}

func (q pageQueue) Change(ctx context.Context, c web.PromptChange) (err error) {
	switch c.Do {
	case "edit":
		_, err = q.m.EditPrompt(ctx, c.ID, c.Text)
	case "move":
		_, err = q.m.MovePrompt(ctx, c.ID, c.Place)
	case "remove":
		_, err = q.m.RemovePrompt(ctx, c.ID)
	case "send", "drop":
		err = q.m.DecidePrompt(c.ID, c.Do == "send")
	default:
		err = query.Invalid("do", "is none of edit, move, remove, send, drop", "")
	}
	return shown(err)
}

// shown is an error as a page tells it: what a person can do something about is said.
func shown(err error) error {
	var fault *Fault
	if !errors.As(err, &fault) || query.Problem(err) != nil {
		return err
	}
	status := http.StatusConflict
	if fault.Wrong {
		status = http.StatusUnprocessableEntity
	}
	return problem.New(status, fault.Error(), fault.Hint)
}
