package daemon

import (
	"context"
	"fmt"
)

type sessionsIn struct {
	periodIn
	Session string `json:"session"`
	Search  string `json:"search"`
	Harness string `json:"harness"`
	Project string `json:"project"`
	Last    int    `json:"last"`
}

// listedSessions is how many sessions are listed unless told otherwise.
const listedSessions = 20

func (t *meterTools) sessions(ctx context.Context, m *Meter, in sessionsIn) (toolReply, error) {
	p, err := in.resolve(m)
	if err != nil {
		return toolReply{}, err
	}
	if err := isHarness(in.Harness); err != nil {
		return toolReply{}, err
	}
	if in.Session != "" {
		return t.session(ctx, m, in)
	}
	if in.Last == 0 {
		in.Last = listedSessions
	}
	// One more than is shown tells whether there are more.
	list, err := m.Sessions(ctx, SessionFilter{
		Harness: in.Harness, Project: in.Project, Search: in.Search, Since: p.Since, Until: p.Until, Last: in.Last + 1,
	})
	if err != nil {
		return toolReply{}, err
	}
	return toolReply{
		most: in.Last,
		text: fmt.Sprintf("The newest %d sessions.", min(in.Last, len(list.Sessions))),
		build: func(most int) (any, leftOut) {
			shown := list
			var left leftOut
			if len(list.Sessions) > most {
				shown.Sessions = list.Sessions[:most]
				left = leftOut{fmt.Sprintf("there are more sessions than the newest %d that are listed", most)}
			}
			return shown, left
		},
	}, nil
}

// session shows one session in full.
func (t *meterTools) session(ctx context.Context, m *Meter, in sessionsIn) (toolReply, error) {
	if in.Search != "" || in.Harness != "" || in.Project != "" {
		return toolReply{}, invalid("with session, only since, until, timezone and last are taken")
	}
	p, err := in.resolve(m)
	if err != nil {
		return toolReply{}, err
	}
	s, err := m.Session(ctx, in.Session, p.Since, p.Until)
	if err != nil {
		return toolReply{}, err
	}
	if in.Last == 0 {
		in.Last = listedSessions
	}
	title := "without a title"
	if s.Title != nil {
		title = fmt.Sprintf("%q", *s.Title)
	}
	return toolReply{
		most: in.Last,
		text: fmt.Sprintf("%s session %s, %s: %s, %s.", s.Harness, s.Session, title,
			tokens(s.Usage.TotalTokens), usd(s.Usage.CostMicroUSD, s.Usage.CostPartial)),
		build: func(most int) (any, leftOut) {
			var left leftOut
			shown := s
			shown.Models = first(&left, "models", s.Models, most)
			shown.Subagents = first(&left, "sub-agents", s.Subagents, most)
			shown.Forks = first(&left, "forks", s.Forks, most)
			shown.Tools = first(&left, "tools", s.Tools, most)
			shown.Limits = first(&left, "limits", s.Limits, most)
			shown.Events = newest(&left, "events", s.Events, most)
			shown.Prompts = newest(&left, "prompts", s.Prompts, most)
			shown.Sources = newest(&left, "logs", s.Sources, most)
			return shown, left
		},
	}, nil
}
