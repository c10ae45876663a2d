package metrics

import "github.com/prometheus/client_golang/prometheus"

// The values of the label kind: disjoint, so that their sum is all tokens.
const (
	kindInput      = "input"
	kindOutput     = "output"
	kindCacheRead  = "cache_read"
	kindCacheWrite = "cache_write"
)

// The values of the label source of costs.
const (
	sourceRecorded = "recorded"
	sourceList     = "list"
)

// family is a metric of the ledger.
type family struct {
	name   string
	labels []string
	desc   *prometheus.Desc
}

func newFamily(name, help string, labels ...string) *family {
	return &family{name: name, labels: labels, desc: prometheus.NewDesc(name, help, labels, nil)}
}

// families are the metrics that are read from the ledger.
type families struct {
	tokens, reasoning, requests, cost, unpriced, turns, durations *family
	claudeTokens, claudeCost, claudeSessions                      *family
}

// newFamilies are those of the options: the label project only where it is
// asked for.
func newFamilies(o Options) *families {
	by := func(labels ...string) []string {
		if o.Projects > 0 {
			labels = append(labels, "project")
		}
		return labels
	}
	f := &families{
		tokens:    newFamily("meterbridge_tokens_total", "Tokens by kind. The kinds are disjoint: input is uncached, output has its reasoning.", by("harness", "model", "kind")...),
		reasoning: newFamily("meterbridge_reasoning_tokens_total", "The reasoning tokens among the output tokens.", by("harness", "model")...),
		requests:  newFamily("meterbridge_requests_total", "Requests to models.", by("harness", "model")...),
		cost:      newFamily("meterbridge_cost_usd_total", "Cost in USD: as logs record it, else the list price.", by("harness", "model", "source")...),
		unpriced:  newFamily("meterbridge_unpriced_requests_total", "Requests with tokens that have no cost, by provider.", "provider"),
		turns:     newFamily("meterbridge_turns_total", "Turns with a request that have ended, by how.", "harness", "ended"),
		durations: newFamily("meterbridge_request_duration_seconds", "How long requests took, where logs have their start.", "harness"),
	}
	if o.ClaudeNames {
		f.claudeTokens = newFamily("claude_code_token_usage_tokens_total", "meterbridge_tokens_total under the name of Claude Code's telemetry.", "harness", "model", "type")
		f.claudeCost = newFamily("claude_code_cost_usage_USD_total", "meterbridge_cost_usd_total under the name of Claude Code's telemetry.", "harness", "model")
		f.claudeSessions = newFamily("claude_code_session_count_total", "Sessions with a request, under the name of Claude Code's telemetry.", "harness")
	}
	return f
}

// all are the families that exist.
func (f *families) all() []*family {
	list := []*family{f.tokens, f.reasoning, f.requests, f.cost, f.unpriced, f.turns, f.durations}
	if f.claudeTokens != nil {
		list = append(list, f.claudeTokens, f.claudeCost, f.claudeSessions)
	}
	return list
}
