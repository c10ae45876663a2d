package daemon

import (
	"context"
	"encoding/json"
	"time"

	"meterbridge/analytics"
	"meterbridge/bridge"
	"meterbridge/bridge/edge"
	"meterbridge/dashboard"
)

// ToolCall is a call of a tool over the bridge.
type ToolCall = dashboard.ToolCall

// ToolCallList is the answer of `tools log`, the newest first.
type ToolCallList = dashboard.ToolCallList

// ToolCallQuery chooses calls.
type ToolCallQuery = analytics.BridgeCallQuery

// ToolCalls are calls of tools, the newest first.
func (m *Meter) ToolCalls(ctx context.Context, q ToolCallQuery) (ToolCallList, error) {
	m.calls.write(ctx)
	calls, err := m.ledger.BridgeCalls(ctx, q)
	list := ToolCallList{SchemaVersion: analytics.SchemaVersion, Rows: make([]ToolCall, len(calls))}
	for i, c := range calls {
		list.Rows[i] = ToolCall{
			ID: c.ID, StartedAt: c.Started.UTC(), TookMs: c.Ended.Sub(c.Started).Milliseconds(), Agent: c.Agent, Session: filled(c.Session),
			Tool: c.Exposed, Package: filled(c.Package), Version: filled(c.Version), LocalTool: c.Tool, Via: c.Via, Outcome: c.Outcome,
			QueuedMs: c.Queued.Milliseconds(), WokeMs: c.Woke.Milliseconds(), HandledMs: c.Handled.Milliseconds(),
			ArgumentShape: shapeOr(c.ArgumentShape), ArgumentBytes: c.ArgumentBytes, ResultBytes: c.ResultBytes, Items: c.Items,
			Removed: c.Removed, Progress: c.Progress, Instance: filled(c.Instance), ToolDigest: filled(c.ToolDigest), TreeDigest: filled(c.TreeDigest),
			Era: filled(c.Era), TraceID: filled(c.TraceID), Arguments: filled(c.Arguments), Answer: filled(c.Answer),
		}
	}
	return list, err
}

func filled(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

func shapeOr(text string) json.RawMessage {
	if !json.Valid([]byte(text)) {
		return json.RawMessage("null")
	}
	return json.RawMessage(text)
}

// ToolStat sums up the calls of one tool. Cost is of the requests that carried its
// results, whole requests: an upper bound, as a request carries more than that.
type ToolStat struct {
	Tool      string  `json:"tool"`
	Package   *string `json:"package"`
	Calls     int64   `json:"calls"`
	OK        int64   `json:"ok"`
	Failed    int64   `json:"failed"`
	Cancelled int64   `json:"cancelled"`
	// MedianMs and P95Ms are of the handler, WokeMs is the median wait for the extension.
	MedianMs int64     `json:"medianMs"`
	P95Ms    int64     `json:"p95Ms"`
	WokeMs   int64     `json:"wokeMs"`
	NewestAt time.Time `json:"newestAt"`
	// ResultBytes are all answers; ResultTokens estimates their tokens, a token being
	// four bytes. DefinitionTokens estimates the tokens of the tool's definition, which
	// every request of an agent that sees it carries; null for a tool that is gone.
	ResultBytes      int64  `json:"resultBytes"`
	ResultTokens     int64  `json:"resultTokens"`
	DefinitionTokens *int64 `json:"definitionTokens"`
	// CarriedCalls are those whose results a known request carried, Requests these
	// requests, FreshInputTokens their input that was not read from a cache.
	CarriedCalls     int64  `json:"carriedCalls"`
	Requests         int64  `json:"requests"`
	FreshInputTokens int64  `json:"freshInputTokens"`
	CostMicroUSD     *int64 `json:"costMicroUsd"`
	CostPartial      bool   `json:"costPartial"`
}

// ToolStats is the answer of `tools stats`, the most called first.
type ToolStats struct {
	SchemaVersion int        `json:"schemaVersion"`
	Rows          []ToolStat `json:"rows"`
	// Search is what find_tool and call_tool save; null without a daemon.
	Search *SearchSaving `json:"search"`
}

// SearchSaving compares the definitions of extensions' tools, which every request of
// an agent that sees them carries, with those of find_tool and call_tool that can stand
// for them. Tokens are estimates, four bytes each.
type SearchSaving struct {
	// On: the pair is listed, and the tools of extensions are not.
	On bool `json:"on"`
	// Tools are those of extensions, ToolTokens their definitions, PairTokens the pair's.
	Tools      int   `json:"tools"`
	ToolTokens int64 `json:"toolTokens"`
	PairTokens int64 `json:"pairTokens"`
}

// bytesPerToken is what estimates of tokens go by.
const bytesPerToken = 4

// ToolStats sums up the calls of each tool. Zero times are open.
func (m *Meter) ToolStats(ctx context.Context, since, until time.Time) (ToolStats, error) {
	m.calls.write(ctx)
	stats, err := m.ledger.BridgeStats(ctx, since, until)
	out := ToolStats{SchemaVersion: analytics.SchemaVersion, Rows: make([]ToolStat, len(stats))}
	weights := m.definitionWeights()
	out.Search = m.searchSaving()
	for i, s := range stats {
		row := ToolStat{
			Tool: s.Tool, Package: filled(s.Package), Calls: s.Calls, OK: s.OK, Failed: s.Calls - s.OK - s.Cancelled, Cancelled: s.Cancelled,
			MedianMs: s.Median.Milliseconds(), P95Ms: s.Slow.Milliseconds(), WokeMs: s.Woke.Milliseconds(), NewestAt: s.Newest.UTC(),
			ResultBytes: s.ResultBytes, ResultTokens: (s.ResultBytes + bytesPerToken - 1) / bytesPerToken,
			CarriedCalls: s.Carried, Requests: s.Requests, FreshInputTokens: s.FreshTokens,
		}
		if tokens, known := weights[s.Tool]; known {
			row.DefinitionTokens = &tokens
		}
		if s.Cost.OK {
			cost := s.Cost.Amount.MicroUSD()
			row.CostMicroUSD, row.CostPartial = &cost, s.Unpriced > 0
		}
		out.Rows[i] = row
	}
	return out, err
}

// definitionWeights are estimates of the tokens of each tool's definition, by name.
func (m *Meter) definitionWeights() map[string]int64 {
	weights := map[string]int64{}
	tools := m.tools
	if tools == nil {
		return weights
	}
	for _, e := range tools.Snapshot().Entries() {
		weights[e.Name] = weight(&e.Tool)
	}
	return weights
}

// weight estimates the tokens of a tool's definition.
func weight(t *bridge.Tool) int64 {
	bytes := len(t.Name) + len(t.Title) + len(t.Description) + len(t.Input) + len(t.Output)
	return int64(bytes+bytesPerToken-1) / bytesPerToken
}

// searchSaving measures the tools that are there now.
func (m *Meter) searchSaving() *SearchSaving {
	if m.tools == nil {
		return nil
	}
	s := &SearchSaving{On: m.config.Bridge.SearchTools}
	for _, t := range edge.SearchTools() {
		s.PairTokens += weight(&t)
	}
	for _, e := range m.tools.Snapshot().Entries() {
		if e.From != nil {
			s.Tools++
			s.ToolTokens += weight(&e.Tool)
		}
	}
	return s
}
