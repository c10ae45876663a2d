package analytics

import (
	"context"
	"fmt"
	"hash/crc32"
)

// viewNames are the documented views, in the order of docs/sql.md.
func viewNames() []string {
	return []string{"requests", "sessions", "prompts", "tool_calls", "turns", "events", "rate_limits", "usage_daily", "sources", "problems", "prices"}
}

// commentsKey is where the ledger keeps which comments its views have.
const commentsKey = "view_comments"

// describe writes the comments of views and columns, once for each version of them.
func (l *Ledger) describe(ctx context.Context) error {
	l.write.Lock()
	defer l.write.Unlock()
	comments := question("view_comments")
	mark := fmt.Sprintf("%d-%08x", LedgerVersion, crc32.ChecksumIEEE([]byte(viewsSQL+comments)))
	has, err := l.meta(ctx, commentsKey)
	if err != nil || has == mark {
		return err
	}
	err = l.transact(ctx, func() error {
		if _, err := l.w.ExecContext(ctx, comments); err != nil {
			return err
		}
		return l.setMeta(ctx, commentsKey, mark)
	})
	if err != nil {
		return fmt.Errorf("describe the views: %w", err)
	}
	return nil
}
