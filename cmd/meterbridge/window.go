package main

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"meterbridge"
	"meterbridge/internal/daemon"
)

// windowFlags are the flags that choose a stretch of time and its zone.
type windowFlags struct {
	since, until, zone, weekStart string
}

func (f *windowFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.since, "since", "", "first day (2026-11-29) or instant (RFC 3339), inclusive")
	cmd.Flags().StringVar(&f.until, "until", "", "last day, inclusive, or instant")
	cmd.Flags().StringVar(&f.zone, "timezone", "", "IANA time zone (default: the system's)")
	cmd.Flags().StringVar(&f.weekStart, "week-start", "", "first day of a week (default: monday)")
}

// window is a resolved stretch of time.
type window struct {
	since, until time.Time
	zone         *time.Location
	weekStart    time.Weekday
}

func (f windowFlags) resolve(r daemon.ReportDefaults) (window, error) {
	text := meterbridge.PeriodText{Since: f.since, Until: f.until, Zone: f.zone, WeekStart: f.weekStart}
	p, err := text.Resolve(meterbridge.Period{Zone: r.Zone, WeekStart: r.WeekStart})
	return window{since: p.Since, until: p.Until, zone: p.Zone, weekStart: p.WeekStart}, asUsage(err)
}

// asUsage is a wrong stretch of time as an error of the command line.
func asUsage(err error) error {
	var wrong *meterbridge.PeriodError
	if errors.As(err, &wrong) {
		return usageError(err, wrong.Hint)
	}
	return err
}

// inWindow runs fn with the open installation, brought up to date, and the
// stretch of time that the flags choose.
func (a *app) inWindow(ctx context.Context, f windowFlags, noScan bool, fn func(*daemon.Meter, window) error) error {
	m, err := a.openScanned(ctx, noScan)
	if err != nil {
		return err
	}
	defer m.Close()
	w, err := f.resolve(m.Defaults())
	if err != nil {
		return err
	}
	return fn(m, w)
}
