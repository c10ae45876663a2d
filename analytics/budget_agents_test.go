package analytics

import (
	"testing"
	"time"
)

// The agent of the worked example spent 73,210 tokens and 121,558 micro-USD within
// half a minute of the second day.
func TestBudgets_OfAgents(t *testing.T) {
	w := example(t, exampleStart+901_000)
	limit := int64(73_210)
	for _, c := range []struct {
		why    string
		budget Budget
		tokens int64
	}{
		{"its own", Budget{Window: WindowMonth, Agents: []string{"ag-7"}, MaxTokens: &limit}, 73_210},
		{"in its block", Budget{Window: WindowBlock, Agents: []string{"ag-7"}, MaxTokens: &limit}, 73_210},
		{"an agent that is gone, and none", Budget{Window: WindowMonth, Agents: []string{"ag-0"}, MaxTokens: &limit}, 0},
		{"a workspace without agents", Budget{Window: WindowMonth, Agents: []string{}, MaxTokens: &limit}, 0},
	} {
		got := budgetsOf(t, w.l, BudgetQuery{Budgets: []Budget{c.budget}, Zone: time.UTC})[0]
		if got.UsedTokens != c.tokens || got.Reached != (c.tokens == limit) {
			t.Errorf("%s: %d tokens, reached %v; want %d", c.why, got.UsedTokens, got.Reached, c.tokens)
		}
		if want := int64(121_558); c.tokens > 0 && (got.UsedMicroUSD == nil || *got.UsedMicroUSD != want) {
			t.Errorf("%s: %v micro-USD, want %d", c.why, got.UsedMicroUSD, want)
		}
	}
}
