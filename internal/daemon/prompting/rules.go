package prompting

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"meterbridge"
	"meterbridge/agents"
	"meterbridge/dashboard"
)

// Permitted implements queue.Rules.
func (r *Room) Permitted(_ context.Context, s meterbridge.PromptSender) error {
	if s.Kind == meterbridge.ByAgent {
		if _, err := r.o.Fleet.Agents().Get(s.ID); err != nil {
			return fmt.Errorf("the agent that sent it is gone")
		}
	}
	return nil
}

// Linked implements queue.Rules.
func (r *Room) Linked(ctx context.Context, s meterbridge.PromptSender, agent string) error {
	switch {
	case s.Kind == meterbridge.ByAgent && !r.o.Fleet.Agents().Linked(s.ID, agent):
		return fmt.Errorf("%s is not linked with this agent; its user does that with `meterbridge agents link`", s.Name)
	case s.Kind == meterbridge.ByExtension && r.o.Extension != nil:
		return r.o.Extension(ctx, s, agent)
	}
	return nil
}

// Visible implements queue.Rules: the question is in the dashboard and at
// `meterbridge confirm`.
func (r *Room) Visible(meterbridge.PromptSender) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.deciders > 0 || r.o.Watched != nil && r.o.Watched()
}

// Decider says that a person sits at `meterbridge confirm` until leave is called.
func (r *Room) Decider() (leave func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.deciders++
	return sync.OnceFunc(func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.deciders--
	})
}

// spending remembers how budgets stand, for a moment: it is asked often.
type spending struct {
	mu   sync.Mutex
	at   time.Time
	rows []dashboard.BudgetAnswer
}

// freshness is how old an answer about budgets may be.
const freshness = 2 * time.Second

func (r *Room) budgets(ctx context.Context) ([]dashboard.BudgetAnswer, error) {
	r.spending.mu.Lock()
	defer r.spending.mu.Unlock()
	if now := r.o.Now(); r.spending.at.IsZero() || now.Sub(r.spending.at) >= freshness || now.Before(r.spending.at) {
		rows, err := r.o.Budgets(ctx)
		if err != nil {
			return nil, fmt.Errorf("look at the budgets: %w", err)
		}
		r.spending.rows, r.spending.at = rows, now
	}
	return r.spending.rows, nil
}

// Held implements queue.Rules: the first budget that is used up and holds or stops.
func (r *Room) Held(ctx context.Context, agent string) (string, error) {
	rows, err := r.budgets(ctx)
	if err != nil {
		return "", err
	}
	i, err := r.o.Fleet.Agents().Get(agent)
	if err != nil {
		return "", err
	}
	for _, b := range rows {
		if b.Reached && b.Action != notify && concerns(b, i) {
			return b.Name, nil
		}
	}
	return "", nil
}

// The actions of budgets.
const (
	notify = "notify"
	stop   = "stop"
)

// concerns reports whether a budget is about what an agent spends.
func concerns(b dashboard.BudgetAnswer, i agents.Info) bool {
	match := ""
	if b.Match != nil {
		match = *b.Match
	}
	switch {
	case b.Scope == "all" || match == "":
		return true
	case b.Scope == "harness":
		return match == i.Harness
	case b.Scope == "project":
		return i.Dir == match || strings.HasPrefix(i.Dir, strings.TrimSuffix(match, string(filepath.Separator))+string(filepath.Separator))
	case b.Scope == "model":
		return i.Model == "" || strings.Contains(i.Model, match) // one that is not known may be it
	case b.Scope == "agent":
		return match == i.ID || match == i.Name
	case b.Scope == "workspace":
		return match == i.Workspace
	}
	return false
}
