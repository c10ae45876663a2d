package analytics

import (
	"context"
	_ "embed" // the statements
	"fmt"
)

//go:embed sql/texts_held.sql
var textsHeldSQL string

//go:embed sql/texts_forget.sql
var textsForgetSQL string

// ForgetTexts removes titles, last replies and previews of prompts that are in
// the ledger already, for a user who has switched them off. It is to be called
// before the first scan after Open.
func (l *Ledger) ForgetTexts(ctx context.Context) error {
	l.write.Lock()
	defer l.write.Unlock()
	var held bool
	if err := l.w.QueryRowContext(ctx, textsHeldSQL).Scan(&held); err != nil {
		return fmt.Errorf("look for texts: %w", err)
	}
	if !held {
		return nil
	}
	err := l.transact(ctx, func() error {
		return l.execAll(ctx, textsForgetSQL)
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
