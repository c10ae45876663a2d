package analytics

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"

	"meterbridge"
)

// Agents are all agents that were ever known, in that order, with their bindings
// to sessions and the links between them.
func (l *Ledger) Agents(ctx context.Context) (agents []meterbridge.Agent, bindings []meterbridge.Binding, links []meterbridge.Link, err error) {
	err = l.reading(ctx, func(q *sql.Conn) error {
		if agents, err = collect(ctx, q, "agents", scanAgent); err != nil {
			return err
		}
		if bindings, err = collect(ctx, q, "agent_bindings", scanBinding, ""); err != nil {
			return err
		}
		links, err = collect(ctx, q, "agent_links", func(rows *sql.Rows, k *meterbridge.Link) error {
			var at int64
			err := rows.Scan(&k.From, &k.To, &at)
			k.CreatedAt = fromMilli(at)
			return err
		})
		return err
	})
	return agents, bindings, links, err
}

func scanAgent(rows *sql.Rows, a *meterbridge.Agent) error {
	var argv sql.NullString
	var created int64
	var started, exited, seen, code sql.NullInt64
	err := rows.Scan(&a.ID, &a.Name, &a.Harness, &a.Kind, &a.Origin, &a.Workspace, &a.Dir, &argv, &a.Model, &a.Dangerous, &a.Trust,
		&a.Generation, &a.PID, &created, &started, &exited, &code, &seen)
	if err != nil {
		return err
	}
	if argv.Valid {
		if err := json.Unmarshal([]byte(argv.String), &a.Argv); err != nil {
			return fmt.Errorf("argv of agent %s: %w", a.ID, err)
		}
	}
	a.CreatedAt, a.StartedAt, a.ExitedAt, a.SeenAt = fromMilli(created), fromNull(started), fromNull(exited), fromNull(seen)
	a.ExitCode = meterbridge.Count{N: code.Int64, OK: code.Valid}
	return nil
}

func scanBinding(rows *sql.Rows, b *meterbridge.Binding) error {
	var from, to sql.NullInt64
	err := rows.Scan(&b.Agent, &b.Harness, &b.Session, &b.Source, &b.Generation, &from, &to)
	b.From, b.To = fromNull(from), fromNull(to)
	return err
}

// SaveAgent keeps an agent and its bindings as they are now.
func (l *Ledger) SaveAgent(ctx context.Context, a meterbridge.Agent, bindings []meterbridge.Binding) error {
	err := l.keep(ctx, func(do func(string, ...any) error) error {
		if err := do("DELETE FROM agent WHERE id = ?", a.ID); err != nil {
			return err
		}
		if err := do("DELETE FROM binding WHERE agent = ?", a.ID); err != nil {
			return err
		}
		row, err := agentRow(a)
		if err != nil {
			return err
		}
		if err := do("INSERT INTO agent VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", row...); err != nil {
			return err
		}
		for _, b := range bindings {
			err := do("INSERT INTO binding VALUES (?, ?, ?, ?, ?, ?, ?)",
				a.ID, b.Harness, b.Session, string(b.Source), b.Generation, nullMilli(b.From), nullMilli(b.To))
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("keep agent %s: %w", a.ID, err)
	}
	return nil
}

func agentRow(a meterbridge.Agent) ([]any, error) {
	var argv, code any
	if a.Argv != nil {
		text, err := json.Marshal(a.Argv)
		if err != nil {
			return nil, err
		}
		argv = string(text)
	}
	if a.ExitCode.OK {
		code = a.ExitCode.N
	}
	return []any{
		a.ID, a.Name, a.Harness, string(a.Kind), string(a.Origin), a.Workspace, a.Dir, argv, a.Model, a.Dangerous, a.Trust,
		a.Generation, a.PID, milli(a.CreatedAt), nullMilli(a.StartedAt), nullMilli(a.ExitedAt), code, nullMilli(a.SeenAt),
	}, nil
}

// SaveLinks keeps the links from an agent as they are now.
func (l *Ledger) SaveLinks(ctx context.Context, from string, links []meterbridge.Link) error {
	return l.keep(ctx, func(do func(string, ...any) error) error {
		if err := do("DELETE FROM agent_link WHERE from_agent = ?", from); err != nil {
			return err
		}
		for _, k := range links {
			if err := do("INSERT INTO agent_link VALUES (?, ?, ?)", k.From, k.To, milli(k.CreatedAt)); err != nil {
				return err
			}
		}
		return nil
	})
}

// RemoveAgent forgets an agent: its bindings, its history and its links. Requests stay
// what they are, those of their sessions, and so does what it did in terminals.
func (l *Ledger) RemoveAgent(ctx context.Context, id string) error {
	return l.keep(ctx, func(do func(string, ...any) error) error {
		for _, query := range []string{
			"DELETE FROM agent WHERE id = ?", "DELETE FROM binding WHERE agent = ?", "DELETE FROM status_span WHERE agent = ?",
			"DELETE FROM agent_turn WHERE agent = ?", "DELETE FROM agent_link WHERE from_agent = ?", "DELETE FROM agent_link WHERE to_agent = ?",
		} {
			if err := do(query, id); err != nil {
				return fmt.Errorf("forget agent %s: %w", id, err)
			}
		}
		return nil
	})
}

// keep runs statements of fn in one transaction. They change no report, so the
// revision stays.
func (l *Ledger) keep(ctx context.Context, fn func(do func(string, ...any) error) error) error {
	l.write.Lock()
	defer l.write.Unlock()
	return l.derive(ctx, func() error {
		return fn(func(query string, args ...any) error {
			if _, err := l.w.ExecContext(ctx, query, bound(args)...); err != nil {
				return fmt.Errorf("%.40s: %w", query, err)
			}
			return nil
		})
	})
}
