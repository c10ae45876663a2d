package daemon

import (
	"bytes"
	"context"
	"encoding/json"
	"time"

	"meterbridge/dashboard/web"
)

// pageTools is what the pages show of tools.
type pageTools struct{ m *Meter }

func (p pageTools) Faces() []web.ToolFace {
	tools := p.m.tools
	if tools == nil {
		return nil
	}
	weights := p.m.definitionWeights()
	var faces []web.ToolFace
	for _, e := range tools.Snapshot().Entries() {
		f := web.ToolFace{
			Name: e.Name, Title: e.Title, Description: e.Description, Input: indentedJSON(e.Input), Output: indentedJSON(e.Output),
			ReadOnly: e.Annotations.ReadOnly, Destructive: e.Annotations.Destructive, Tokens: weights[e.Name],
		}
		if e.From != nil {
			f.Package, f.Version = e.From.Package, e.From.Version
		}
		faces = append(faces, f)
	}
	return faces
}

func indentedJSON(text []byte) string {
	var out bytes.Buffer
	if len(text) == 0 || json.Indent(&out, text, "", "  ") != nil {
		return string(text)
	}
	return out.String()
}

func (p pageTools) Sums(ctx context.Context, since time.Time) (map[string]web.ToolSum, error) {
	stats, err := p.m.ToolStats(ctx, since, time.Time{})
	sums := map[string]web.ToolSum{}
	for _, s := range stats.Rows {
		sums[s.Tool] = web.ToolSum{
			Calls: s.Calls, OK: s.OK, Failed: s.Failed, Cancelled: s.Cancelled, MedianMs: s.MedianMs, P95Ms: s.P95Ms,
			ResultTokens: s.ResultTokens, CostMicroUSD: s.CostMicroUSD, CostPartial: s.CostPartial,
		}
	}
	return sums, err
}

func (p pageTools) Calls(ctx context.Context, tool string, most int) ([]web.ToolCall, error) {
	list, err := p.m.ToolCalls(ctx, ToolCallQuery{Tool: tool, Most: most})
	var calls []web.ToolCall
	for _, c := range list.Rows {
		calls = append(calls, web.ToolCall{
			At: c.StartedAt, Tool: c.Tool, Agent: p.called(c.Agent), Outcome: c.Outcome, TookMs: c.TookMs,
			ArgumentShape: string(c.ArgumentShape), ResultBytes: c.ResultBytes,
		})
	}
	return calls, err
}

// called is an agent's name where it is known.
func (p pageTools) called(id string) string {
	if p.m.fleet != nil {
		if i, err := p.m.fleet.Agents().Get(id); err == nil {
			return i.Name
		}
	}
	return id
}
