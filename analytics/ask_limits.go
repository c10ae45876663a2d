package analytics

import (
	"context"
	"database/sql"
	"time"
)

// VendorLimit is the newest that a harness's logs tell of one of its provider's
// rate limits.
type VendorLimit struct {
	Harness string `json:"harness"`
	// Name is the limit's own ("primary", "five_hour", ...).
	Name string `json:"name"`
	// SeenAt is when the log told so.
	SeenAt time.Time `json:"seenAt"`
	// WindowMs is the length of the limit's window; nil when not logged.
	WindowMs *int64 `json:"windowMs"`
	// UsedPercent is nil when not logged, and once the window is over.
	UsedPercent *float64 `json:"usedPercent"`
	// ResetsAt is when the window is over; nil when not logged.
	ResetsAt *time.Time `json:"resetsAt"`
	// Over: the window has ended since, so nothing is known of the present one.
	Over bool    `json:"over"`
	Plan *string `json:"plan"`
}

// Limits are the providers' limits that logs tell of, by harness and name. nil
// is not logged.
func (l *Ledger) Limits(ctx context.Context) ([]VendorLimit, error) {
	var limits []VendorLimit
	now := l.opts.Now()
	err := l.reading(ctx, func(c *sql.Conn) (err error) {
		limits, err = collect(ctx, c, "limits", func(rows *sql.Rows, v *VendorLimit) error {
			var seen *time.Time
			if err := rows.Scan(&v.Harness, &v.Name, moment{&seen}, &v.WindowMs, &v.UsedPercent, moment{&v.ResetsAt}, text{&v.Plan}); err != nil {
				return err
			}
			v.SeenAt = *seen
			if v.Over = v.ended(now); v.Over {
				v.UsedPercent = nil
			}
			return nil
		})
		return err
	})
	return limits, err
}

// ended tells whether the window that was seen is over: at its reset, or where
// none was logged, its length after it was seen.
func (v *VendorLimit) ended(now time.Time) bool {
	switch {
	case v.ResetsAt != nil:
		return !now.Before(*v.ResetsAt)
	case v.WindowMs != nil:
		return !now.Before(v.SeenAt.Add(time.Duration(*v.WindowMs) * time.Millisecond))
	}
	return false
}
