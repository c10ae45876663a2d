package main

import (
	"context"
	"errors"

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

// resolve reads the flags; what they leave out is taken from the defaults.
func (f windowFlags) resolve(defaults meterbridge.Period) (meterbridge.Period, error) {
	text := meterbridge.PeriodText{Since: f.since, Until: f.until, Zone: f.zone, WeekStart: f.weekStart}
	p, err := text.Resolve(defaults)
	return p, asUsage(err)
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
func (a *app) inWindow(ctx context.Context, f windowFlags, noScan bool, fn func(*daemon.Meter, meterbridge.Period) error) error {
	m, err := a.openScanned(ctx, noScan)
	if err != nil {
		return err
	}
	defer m.Close()
	w, err := f.resolve(m.Period())
	if err != nil {
		return err
	}
	return fn(m, w)
}
