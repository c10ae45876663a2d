// Package prompting joins the prompt queue of a daemon with its agents, their
// terminals, its budgets and its ledger. It may import every package of the project
// but internal/daemon itself, which makes one and runs it.
package prompting

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"meterbridge"
	"meterbridge/agents"
	"meterbridge/agents/queue"
	"meterbridge/agents/status"
	"meterbridge/bridge"
	"meterbridge/dashboard"
	"meterbridge/harnesses"
	"meterbridge/internal/daemon/fleet"
)

// Options of a room.
type Options struct {
	Fleet     *fleet.Fleet
	Harnesses []harnesses.Harness
	Store     queue.Store
	// Budgets tells how the budgets of the settings stand.
	Budgets func(ctx context.Context) ([]dashboard.BudgetAnswer, error)
	// Extension says whether an extension may still prompt an agent; nil asks nobody.
	Extension func(ctx context.Context, s meterbridge.PromptSender, agent string) error
	// Watched reports whether a person looks at the dashboard.
	Watched func() bool
	// Tell hears of each change of a prompt; it must not wait.
	Tell     func(meterbridge.QueuedPrompt)
	DropText bool
	Now      func() time.Time
	Log      *slog.Logger
}

// Room is the prompt queue of a daemon.
type Room struct {
	o        Options
	queue    *queue.Queue
	confirms map[string]bool
	spending spending
	brakes   brakes
	counts   counts

	mu sync.Mutex
	// deciders is how many people sit at `meterbridge confirm`.
	deciders int
}

// New reads the prompts that wait.
func New(ctx context.Context, o Options) (*Room, error) {
	r := &Room{o: o, confirms: map[string]bool{}}
	for _, h := range o.Harnesses {
		// One that reports by itself at each launch tells which prompts it takes.
		r.confirms[h.ID] = h.Hooks != nil && h.Hooks.Layer != nil
	}
	var err error
	r.queue, err = queue.New(ctx, queue.Options{
		Agents: r, Terminals: r, Store: o.Store, Rules: r, Tell: r.tell, Now: o.Now, DropText: o.DropText, Failed: r.failed,
		NewID: func() string { return "pr-" + random() },
	})
	if err != nil {
		return nil, err
	}
	o.Fleet.ListenStatus(r.heard)
	return r, nil
}

// Run sends what waits, and brakes, until ctx ends.
func (r *Room) Run(ctx context.Context) {
	var wg sync.WaitGroup
	wg.Go(func() { r.brake(ctx) })
	r.queue.Run(ctx)
	wg.Wait()
}

// Queue is the queue.
func (r *Room) Queue() *queue.Queue { return r.queue }

func (r *Room) failed(err error) {
	if r.o.Log != nil {
		r.o.Log.Warn("prompt not sent", slog.Any("error", err))
	}
}

func random() string {
	b := make([]byte, 5)
	_, _ = rand.Read(b) // it never fails
	return hex.EncodeToString(b)
}

// heard passes what trackers tell to the queue.
func (r *Room) heard(e status.Event) {
	switch e.Kind {
	case status.PromptTaken:
		r.queue.Hear(queue.Heard{Agent: e.Agent, At: e.At, Prompt: e.Prompt, Turn: e.Turn, Works: true})
	case status.TurnBegan:
		r.queue.Hear(queue.Heard{Agent: e.Agent, At: e.At, Turn: e.Change.Turn, Works: true})
	case status.StatusChanged:
		c := e.Change
		if c.Status == meterbridge.Working {
			r.queue.Hear(queue.Heard{Agent: e.Agent, At: e.At, Turn: c.Turn, Works: true})
		}
		if !c.Quiet {
			r.queue.Changed(queue.Change{
				Agent: e.Agent, Status: c.Status, Failed: c.Error != "", ByPerson: c.Status == meterbridge.Idle && c.Origin != status.ByReset,
			})
		}
	}
}

// Agent implements queue.Agents.
func (r *Room) Agent(_ context.Context, which string) (queue.Agent, error) {
	i, err := r.o.Fleet.Agents().Get(which)
	if errors.Is(err, agents.ErrUnknown) {
		return queue.Agent{}, fmt.Errorf("%w: %s", queue.ErrUnknownAgent, which)
	}
	if err != nil {
		return queue.Agent{}, err
	}
	a := queue.Agent{
		ID: i.ID, Name: i.Name, Kind: i.Kind, Running: i.Running() && i.Origin == meterbridge.Started, Generation: i.Generation,
		Dangerous: i.Dangerous, Status: i.Status, Confirms: r.confirms[i.Harness],
	}
	if s, ok := r.o.Fleet.Desk().Info(i.ID); ok {
		a.OwnQueue = s.OwnQueue
	}
	return a, nil
}

// Look implements queue.Terminals.
func (r *Room) Look(ctx context.Context, agent string) (queue.Look, error) {
	t, err := r.o.Fleet.Terminals().Terminal(agent)
	if err != nil {
		return queue.Look{}, err
	}
	l, err := t.Look(ctx)
	if err != nil {
		return queue.Look{}, err
	}
	text, err := t.Text(ctx, 0)
	if err != nil {
		return queue.Look{}, err
	}
	look := queue.Look{
		Generation: l.Generation, Leads: l.Leads, Pastes: l.Modes.BracketedPaste, Drawing: l.Modes.Synchronized, KeyAt: l.KeyAt, Text: text,
	}
	if l.Modes.CursorVisible && l.Y < len(l.Snapshot.Lines) {
		look.Row = l.Snapshot.Lines[l.Y]
	}
	if s, ok := r.o.Fleet.Desk().Info(agent); ok {
		look.Draft = s.Draft
	}
	if i, err := r.o.Fleet.Agents().Get(agent); err == nil {
		p, _ := r.o.Fleet.Agents().Profile(i.Harness)
		composer := queue.Composer{Marks: p.Composer, Placeholders: p.Placeholders, Suggests: p.Suggests}
		look.Input = composer.Find(l.Snapshot.Lines, l.X, l.Y, l.Modes.CursorVisible)
	}
	return look, nil
}

// Write implements queue.Terminals.
func (r *Room) Write(ctx context.Context, agent string, generation int, b []byte) error {
	t, err := r.o.Fleet.Terminals().Terminal(agent)
	if err != nil {
		return err
	}
	return t.WriteTo(ctx, generation, b)
}

// Prompt implements bridge.Prompts: permission, link and rate have been checked.
func (r *Room) Prompt(ctx context.Context, p bridge.Prompt) (bridge.Delivery, error) {
	q, err := r.Submit(ctx, queue.Request{
		Sender: SenderOf(p.Sender), Agent: p.Agent, Text: p.Text, Insert: !p.Submit, WhenBusy: queue.WhenBusy(p.WhenBusy), Checked: true,
	})
	if err != nil {
		return "", ToolError(err)
	}
	return DeliveryOf(q)
}

// SenderOf is a sender of the bridge.
func SenderOf(s bridge.Sender) meterbridge.PromptSender {
	if s.Agent != "" {
		return meterbridge.PromptSender{Kind: meterbridge.ByAgent, ID: s.Agent, Name: s.Name}
	}
	id := s.Instance
	if id == "" {
		id = s.Extension
	}
	return meterbridge.PromptSender{Kind: meterbridge.ByExtension, ID: id, Package: s.Extension, Name: s.Name}
}

// ToolError is a refusal in the words of the bridge.
func ToolError(err error) error {
	refusal := (*queue.Refusal)(nil)
	if !errors.As(err, &refusal) {
		return err
	}
	message := refusal.Message
	if refusal.After > 0 {
		message = fmt.Sprintf("%s; try again in %s", message, refusal.After.Round(time.Second))
	}
	return &bridge.ToolError{Code: string(refusal.Code), Message: message}
}

// DeliveryOf says what became of a prompt.
func DeliveryOf(p meterbridge.QueuedPrompt) (bridge.Delivery, error) {
	switch p.State {
	case meterbridge.PromptSent:
		return bridge.DeliverySent, nil
	case meterbridge.PromptInserted:
		return bridge.DeliveryInserted, nil
	case meterbridge.PromptQueued:
		return bridge.DeliveryQueued, nil
	}
	return "", &bridge.ToolError{Code: string(queue.CodeUnavailable), Message: fmt.Sprintf("the prompt is %s: %s", p.State, p.Reason)}
}
