package daemon

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"meterbridge"
	"meterbridge/analytics"
	"meterbridge/dashboard"
	"meterbridge/internal/config"
)

// How budgets stand, in the shapes that commands print and the API sends.
type (
	// BudgetAnswer is how one budget stands.
	BudgetAnswer = dashboard.BudgetAnswer
	// BudgetList is the answer about budgets, and what logs tell of providers' limits.
	BudgetList = dashboard.BudgetList
)

// BudgetQuery asks about the budgets of the settings, or about one that is
// stated.
type BudgetQuery struct {
	// Name is one of the settings; empty for all of them.
	Name string
	// Stated is a budget that no setting names; nil for those of the settings.
	Stated    *config.Budget
	Zone      *time.Location
	WeekStart time.Weekday
}

// StateBudget makes a budget of what a command line says. The amount is decimal
// USD, empty for none; tokens below 0 are none.
func StateBudget(usd string, tokens int64, window string, f Filter) (*config.Budget, error) {
	b := &config.Budget{Name: "stated", Scope: "all", Window: window}
	if usd != "" {
		b.MaxUSD = usd
	}
	if tokens >= 0 {
		b.MaxTokens = &tokens
	}
	for scope, match := range map[string]string{"harness": f.Harness, "project": f.Project, "model": f.Model} {
		if match == "" {
			continue
		}
		if b.Match != "" {
			return nil, fmt.Errorf("a budget has one scope: --harness, --project or --model")
		}
		b.Scope, b.Match = scope, match
	}
	return b, b.Check()
}

// Budgets tells how budgets stand now.
func (m *Meter) Budgets(ctx context.Context, q BudgetQuery) (BudgetList, error) {
	list := BudgetList{SchemaVersion: analytics.SchemaVersion, Timezone: analytics.ZoneName(q.Zone), Rows: []BudgetAnswer{}}
	budgets, err := m.chosenBudgets(q)
	if err != nil {
		return list, err
	}
	asked := analytics.BudgetQuery{Zone: q.Zone, WeekStart: q.WeekStart}
	agents, err := m.agentsOf(ctx, budgets)
	if err != nil {
		return list, answerFault(err)
	}
	for i, b := range budgets {
		limit := limitOf(b)
		limit.Agents = agents[i]
		asked.Budgets = append(asked.Budgets, limit)
	}
	states, err := m.ledger.Budgets(ctx, asked)
	if err != nil {
		return list, answerFault(err)
	}
	for i, b := range budgets {
		list.Rows = append(list.Rows, BudgetAnswer{
			Name: b.Name, Scope: b.Scope, Match: optional(b.Match), Window: b.Window, Action: b.Action, BudgetState: states[i],
		})
	}
	list.Limits, err = m.ledger.Limits(ctx)
	return list, answerFault(err)
}

func (m *Meter) chosenBudgets(q BudgetQuery) ([]config.Budget, error) {
	if q.Stated != nil {
		return []config.Budget{*q.Stated}, nil
	}
	if q.Name == "" {
		return m.config.Budgets, nil
	}
	var names []string
	for _, b := range m.config.Budgets {
		if b.Name == q.Name {
			return []config.Budget{b}, nil
		}
		names = append(names, b.Name)
	}
	hint := "config.toml has no [[budget]]; docs/guide.md, section Budgets, has an example"
	if len(names) > 0 {
		hint = "the budgets are " + strings.Join(names, ", ")
	}
	return nil, &Fault{Err: fmt.Errorf("no budget is called %q", q.Name), Hint: hint, Nothing: true}
}

// limitOf is a setting as the ledger is asked about it.
func limitOf(b config.Budget) analytics.Budget {
	out := analytics.Budget{Name: b.Name, Window: analytics.BudgetWindow(b.Window), MaxTokens: b.MaxTokens, MaxUSD: amountOf(b)}
	switch b.Scope {
	case "harness":
		out.Filter.Harness = b.Match
	case "project":
		out.Filter.Project = b.Match
	case "model":
		out.Filter.Model = b.Match
	}
	return out
}

// agentsOf are the ids of the agents that each budget is about; nil for one that is
// not about agents. An agent is named by its id or its name.
func (m *Meter) agentsOf(ctx context.Context, budgets []config.Budget) ([][]string, error) {
	of := make([][]string, len(budgets))
	if !slices.ContainsFunc(budgets, ofAgents) {
		return of, nil
	}
	agents, _, _, err := m.ledger.Agents(ctx)
	for i, b := range budgets {
		if !ofAgents(b) {
			continue
		}
		of[i] = []string{}
		for _, a := range agents {
			if b.Scope == "workspace" && a.Workspace == b.Match || b.Scope == "agent" && (a.ID == b.Match || a.Name == b.Match) {
				of[i] = append(of[i], a.ID)
			}
		}
	}
	return of, err
}

// ofAgents tells whether a budget is about agents.
func ofAgents(b config.Budget) bool { return b.Scope == "agent" || b.Scope == "workspace" }

// amountOf is the limit in USD; the settings were checked when they were read.
func amountOf(b config.Budget) *meterbridge.PicoUSD {
	limit, err := b.Limit()
	if err != nil {
		return nil
	}
	return limit
}
