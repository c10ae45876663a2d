package analytics

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"

	"meterbridge"
)

// SavePrompt keeps a prompt of the queue as it is now.
func (l *Ledger) SavePrompt(ctx context.Context, p meterbridge.QueuedPrompt) error {
	entry, err := json.Marshal(p)
	if err != nil {
		return fmt.Errorf("keep prompt %s: %w", p.ID, err)
	}
	err = l.keep(ctx, func(do func(string, ...any) error) error {
		if err := do("DELETE FROM prompt_queue WHERE id = ?", p.ID); err != nil {
			return err
		}
		return do("INSERT INTO prompt_queue VALUES (?, ?, ?, ?, ?, ?, ?)",
			p.ID, p.Agent, string(p.State), p.Rank, milli(p.CreatedAt), milli(p.ChangedAt), string(entry))
	})
	if err != nil {
		return fmt.Errorf("keep prompt %s: %w", p.ID, err)
	}
	return nil
}

// OpenPrompts are those that may still go out, agent by agent in their order.
func (l *Ledger) OpenPrompts(ctx context.Context) (list []meterbridge.QueuedPrompt, err error) {
	err = l.reading(ctx, func(q *sql.Conn) error {
		list, err = collect(ctx, q, "open_prompts", scanPrompt)
		return err
	})
	return list, err
}

// PromptLog are the newest prompts that went out or were dropped, of an agent or for
// "" of all.
func (l *Ledger) PromptLog(ctx context.Context, agent string, most int) (list []meterbridge.QueuedPrompt, err error) {
	err = l.reading(ctx, func(q *sql.Conn) error {
		list, err = collect(ctx, q, "prompt_log", scanPrompt, agent, agent, most)
		return err
	})
	return list, err
}

func scanPrompt(rows *sql.Rows, p *meterbridge.QueuedPrompt) error {
	var entry string
	if err := rows.Scan(&entry); err != nil {
		return err
	}
	if err := json.Unmarshal([]byte(entry), p); err != nil {
		return fmt.Errorf("a prompt of the queue: %w", err)
	}
	return nil
}
