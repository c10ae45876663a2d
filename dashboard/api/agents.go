package api

import (
	"context"

	"github.com/danielgtaylor/huma/v2"

	"meterbridge/analytics"
	"meterbridge/dashboard"
	"meterbridge/dashboard/query"
)

// AgentParam names an agent in the path.
type AgentParam struct {
	ID string `path:"id" minLength:"1" maxLength:"400" doc:"The agent's id or name, or a unique beginning of either." example:"ag-5f2c9a01"`
}

type agentPeriodInput struct {
	AgentParam
	query.Period
}

type agentsInput struct {
	Workspace string `query:"workspace" maxLength:"400" doc:"Only this workspace."`
	All       bool   `query:"all" doc:"Those that ended more than a day ago too."`
}

func (s *server) agents(h huma.API) {
	look(s, h, operation("agents", "/agents", "Agents and terminals, and what they do",
		"The answer of `meterbridge agents list --json`, in the order in which they became known; times are epoch milliseconds."),
		func(ctx context.Context, in *agentsInput) (dashboard.AgentList, error) {
			return s.meter.Agents(ctx, dashboard.AgentQuery{Workspace: in.Workspace, All: in.All})
		})
	look(s, h, operation("agent", "/agents/{id}", "One agent or terminal", "A row of `agents`.", 404),
		func(ctx context.Context, in *AgentParam) (dashboard.AgentAnswer, error) {
			return s.meter.Agent(ctx, in.ID)
		})
	look(s, h, operation("agent-usage", "/agents/{id}/usage", "What an agent spent and did in a stretch of time",
		"The answer of `meterbridge agents usage ID --json`: its sessions with their sub-agents; times are epoch milliseconds.", 404),
		s.agentUsage)
	look(s, h, operation("agent-timeline", "/agents/{id}/timeline", "Requests, statuses and turns of an agent over time",
		"The answer of `meterbridge timeline ID --json` for an agent; times are epoch milliseconds. At most 2000 requests, the newest.", 404),
		s.agentTimeline)
}

func (s *server) agentUsage(ctx context.Context, in *agentPeriodInput) (analytics.AgentUsage, error) {
	p, err := s.period(in.Period)
	if err != nil {
		return analytics.AgentUsage{}, err
	}
	return s.meter.AgentUsage(ctx, in.ID, p.Since, p.Until)
}

func (s *server) agentTimeline(ctx context.Context, in *agentPeriodInput) (analytics.AgentTimeline, error) {
	p, err := s.period(in.Period)
	if err != nil {
		return analytics.AgentTimeline{}, err
	}
	return s.meter.AgentTimeline(ctx, in.ID, p.Since, p.Until)
}
