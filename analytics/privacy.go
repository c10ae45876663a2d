package analytics

import (
	"context"
	"fmt"
)

// ForgetTexts removes titles, last replies and previews of prompts that are in
// the ledger already, for a user who has switched them off. It is to be called
// before the first scan after Open.
func (l *Ledger) ForgetTexts(ctx context.Context) error {
	l.write.Lock()
	defer l.write.Unlock()
	var held bool
	const ask = `SELECT EXISTS (SELECT 1 FROM session WHERE title <> '' OR last_reply <> '') OR EXISTS (SELECT 1 FROM prompt WHERE preview <> '')`
	if err := l.w.QueryRowContext(ctx, ask).Scan(&held); err != nil {
		return fmt.Errorf("look for texts: %w", err)
	}
	if !held {
		return nil
	}
	err := l.transact(ctx, func() error {
		return l.execAll(ctx,
			`UPDATE session SET title = '', title_rank = 0, last_reply = '', last_reply_at = NULL WHERE title <> '' OR last_reply <> ''`,
			`UPDATE prompt SET preview = '' WHERE preview <> ''`)
	})
	if err != nil {
		return fmt.Errorf("remove texts: %w", err)
	}
	// What is forgotten must not stay in the file's free space or its log.
	if _, err := l.w.ExecContext(ctx, "CHECKPOINT"); err != nil {
		return fmt.Errorf("remove texts: %w", err)
	}
	return nil
}
