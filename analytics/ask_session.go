package analytics

import (
	"context"
	"database/sql"
	"slices"
	"time"
)

// SessionAnswer is one session in full. Null is "not logged". What the session is
// (up to LastReplyAt, its forks and sources) does not depend on a window; what it
// spent and what happened (Usage and the lists) is that of the window.
type SessionAnswer struct {
	SchemaVersion int        `json:"schemaVersion"`
	Session       string     `json:"session"`
	Harness       string     `json:"harness"`
	Title         *string    `json:"title"`
	Project       *string    `json:"project"`
	Branch        *string    `json:"branch"`
	ParentSession *string    `json:"parentSession"`
	Relation      *string    `json:"relation"`
	RootSession   *string    `json:"rootSession"`
	AgentType     *string    `json:"agentType"`
	Version       *string    `json:"version"`
	FirstAt       *time.Time `json:"firstAt"`
	LastAt        *time.Time `json:"lastAt"`
	LastReply     *string    `json:"lastReply"`
	LastReplyAt   *time.Time `json:"lastReplyAt"`

	Usage     WindowUsage     `json:"usage"`
	Models    []ModelSpend    `json:"models"`
	Subagents []SubagentSpend `json:"subagents"`
	Forks     []SessionRef    `json:"forks"`
	Tools     []ToolCount     `json:"tools"`
	Limits    []LimitSeen     `json:"limits"`
	Events    []EventSeen     `json:"events"`
	Prompts   []PromptSeen    `json:"prompts"`
	Sources   []SourceSeen    `json:"sources"`
}

// ModelSpend is what a session spent with one model.
type ModelSpend struct {
	Model    *string `json:"model"`
	Provider *string `json:"provider"`
	Numbers
}

// SubagentSpend is a sub-agent at any depth with its own requests only.
type SubagentSpend struct {
	Session       string     `json:"session"`
	ParentSession *string    `json:"parentSession"`
	AgentType     *string    `json:"agentType"`
	Title         *string    `json:"title"`
	FirstAt       *time.Time `json:"firstAt"`
	LastAt        *time.Time `json:"lastAt"`
	Part
}

// SessionRef names a fork or a continuation.
type SessionRef struct {
	Session  string     `json:"session"`
	Relation string     `json:"relation"`
	Title    *string    `json:"title"`
	FirstAt  *time.Time `json:"firstAt"`
	LastAt   *time.Time `json:"lastAt"`
}

// ToolCount counts the calls of one tool; a call that is neither OK nor failed
// has no result in the log. TotalMs sums the calls that have both times.
type ToolCount struct {
	Name    string `json:"name"`
	Calls   int64  `json:"calls"`
	OK      int64  `json:"ok"`
	Failed  int64  `json:"failed"`
	Timed   int64  `json:"timed"`
	TotalMs *int64 `json:"totalMs"`
}

// LimitSeen is the newest observation of one rate limit.
type LimitSeen struct {
	Name        string     `json:"name"`
	At          *time.Time `json:"at"`
	WindowMs    *int64     `json:"windowMs"`
	UsedPercent *float64   `json:"usedPercent"`
	ResetsAt    *time.Time `json:"resetsAt"`
	Plan        *string    `json:"plan"`
}

// EventSeen is something that happened and is no request.
type EventSeen struct {
	At      *time.Time `json:"at"`
	Session string     `json:"session"`
	Kind    string     `json:"kind"`
	Detail  *string    `json:"detail"`
}

// PromptSeen is a prompt that a person typed; Preview is null when texts are not kept.
type PromptSeen struct {
	At      *time.Time `json:"at"`
	Preview *string    `json:"preview"`
}

// SourceSeen is a log that holds records of the session.
type SourceSeen struct {
	Path    string  `json:"path"`
	Kind    string  `json:"kind"`
	Machine *string `json:"machine"`
	Gone    bool    `json:"gone"`
}

// mostListed bounds the lists of events and prompts; the newest are kept.
const mostListed = 1000

// Session answers `sessions ID` in a window [since, until); zero times are no
// bounds. The ID may be a unique beginning of one; see findSession for its errors.
func (l *Ledger) Session(ctx context.Context, id string, since, until time.Time) (SessionAnswer, error) {
	var a SessionAnswer
	if err := l.freshen(ctx); err != nil {
		return a, err
	}
	err := l.reading(ctx, func(q *sql.Conn) error {
		f, err := findSession(ctx, q, id)
		if err != nil {
			return err
		}
		a.SchemaVersion, a.Session, a.Harness = SchemaVersion, f.Session, f.Harness
		t, err := treeOf(ctx, q, f.id)
		if err != nil {
			return err
		}
		if err := a.facts(ctx, q, f.id); err != nil {
			return err
		}
		if err := a.spend(ctx, q, f, t, since, until); err != nil {
			return err
		}
		from, to := bounds(since, until)
		return a.lists(ctx, q, f.id, t, from, to)
	})
	return a, err
}

func (a *SessionAnswer) facts(ctx context.Context, q querier, id int64) error {
	_, err := collect(ctx, q, "session", func(rows *sql.Rows, _ *struct{}) error {
		return rows.Scan(text{&a.Title}, text{&a.Project}, text{&a.Branch}, text{&a.ParentSession}, text{&a.Relation}, text{&a.RootSession},
			text{&a.AgentType}, text{&a.Version}, text{&a.LastReply}, moment{&a.LastReplyAt})
	}, id)
	return err
}

// spend fills the numbers: in all, by model, by sub-agent.
func (a *SessionAnswer) spend(ctx context.Context, q querier, f found, t tree, since, until time.Time) error {
	turns, err := turnsOf(ctx, q, t)
	if err != nil {
		return err
	}
	if a.Usage, err = windowOf(ctx, q, f, t, turns, since, until); err != nil {
		return err
	}
	if from, to := t.life(); from <= to {
		first, last := time.UnixMilli(from).UTC(), time.UnixMilli(to).UTC()
		a.FirstAt, a.LastAt = &first, &last
	}
	from, to := t.within(bounds(since, until))
	a.Models, err = collect(ctx, q, "session_models", func(rows *sql.Rows, m *ModelSpend) error {
		var f figures
		if err := rows.Scan(append([]any{text{&m.Model}, text{&m.Provider}}, f.targets()...)...); err != nil {
			return err
		}
		m.Numbers = f.numbers(nil)
		return nil
	}, t.ids(), from, to)
	if err != nil {
		return err
	}
	a.Subagents, err = subagents(ctx, q, t, from, to)
	if !since.IsZero() || !until.IsZero() {
		a.Subagents = slices.DeleteFunc(a.Subagents, func(s SubagentSpend) bool { return s.FirstAt == nil })
	}
	return err
}

func subagents(ctx context.Context, q querier, t tree, from, to int64) ([]SubagentSpend, error) {
	type row struct {
		id          int64
		first, last *time.Time
		figures
	}
	rows, err := collect(ctx, q, "spent", func(rows *sql.Rows, r *row) error {
		return rows.Scan(append([]any{&r.id, moment{&r.first}, moment{&r.last}}, r.targets()...)...)
	}, t.ids(), from, to)
	if err != nil {
		return nil, err
	}
	of := map[int64]row{}
	for _, r := range rows {
		of[r.id] = r
	}
	list := []SubagentSpend{}
	for _, b := range t[1:] {
		r := of[b.id]
		list = append(list, SubagentSpend{
			Session: b.native, ParentSession: b.parent, AgentType: b.agentType, Title: b.title,
			FirstAt: r.first, LastAt: r.last, Part: r.figures.part(),
		})
	}
	return list, nil
}

// lists fills what happened besides requests in [from, to), and what hangs on the
// session at any time: forks and sources.
func (a *SessionAnswer) lists(ctx context.Context, q querier, id int64, t tree, from, to int64) (err error) {
	if a.Forks, err = collect(ctx, q, "session_forks", func(rows *sql.Rows, r *SessionRef) error {
		return rows.Scan(&r.Session, &r.Relation, text{&r.Title}, moment{&r.FirstAt}, moment{&r.LastAt})
	}, id); err != nil {
		return err
	}
	if a.Tools, err = collect(ctx, q, "session_tools", func(rows *sql.Rows, c *ToolCount) error {
		return rows.Scan(&c.Name, &c.Calls, &c.OK, &c.Failed, &c.Timed, &c.TotalMs)
	}, t.ids(), from, to); err != nil {
		return err
	}
	if a.Limits, err = collect(ctx, q, "session_limits", func(rows *sql.Rows, s *LimitSeen) error {
		return rows.Scan(&s.Name, moment{&s.At}, &s.WindowMs, &s.UsedPercent, moment{&s.ResetsAt}, text{&s.Plan})
	}, t.ids(), from, to); err != nil {
		return err
	}
	if a.Events, err = collect(ctx, q, "session_events", func(rows *sql.Rows, e *EventSeen) error {
		return rows.Scan(moment{&e.At}, &e.Session, &e.Kind, text{&e.Detail})
	}, t.ids(), mostListed, from, to); err != nil {
		return err
	}
	if a.Prompts, err = collect(ctx, q, "session_prompts", func(rows *sql.Rows, p *PromptSeen) error {
		return rows.Scan(moment{&p.At}, text{&p.Preview})
	}, id, mostListed, from, to); err != nil {
		return err
	}
	first, last := t.life()
	a.Sources, err = collect(ctx, q, "session_sources", func(rows *sql.Rows, s *SourceSeen) error {
		return rows.Scan(&s.Path, &s.Kind, text{&s.Machine}, &s.Gone)
	}, t.ids(), first, last)
	return err
}
