package main

import (
	"time"

	"github.com/spf13/cobra"

	"meterbridge"
	"meterbridge/internal/config"
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

func (f windowFlags) resolve(r daemon.ReportDefaults) (w window, err error) {
	w = window{zone: r.Zone, weekStart: r.WeekStart}
	if f.zone != "" {
		if w.zone, err = config.Zone(f.zone); err != nil {
			return w, usagef("use an IANA name such as Europe/Berlin or UTC", "%v", err)
		}
	}
	if f.weekStart != "" {
		if w.weekStart, err = config.Weekday(f.weekStart); err != nil {
			return w, usagef("use monday, sunday, ...", "%v", err)
		}
	}
	if w.since, err = instant(f.since, w.zone, false); err != nil {
		return w, err
	}
	if w.until, err = instant(f.until, w.zone, true); err != nil {
		return w, err
	}
	if !w.since.IsZero() && !w.until.IsZero() && (w.since.After(w.until) || f.since > f.until && w.since.Equal(w.until)) {
		return w, usagef("the days of --since and --until are both included", "--since %s is after --until %s", f.since, f.until)
	}
	return w, nil
}

// instant reads a day or an instant; the end of a day is the start of the next.
func instant(text string, zone *time.Location, end bool) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	for _, layout := range []string{"2006-01-02", "20060102"} {
		if day, err := time.Parse(layout, text); err == nil {
			number := day.Day()
			if end {
				number++
			}
			return meterbridge.StartOfDay(day.Year(), day.Month(), number, zone), nil
		}
	}
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02 15:04"} {
		if at, err := time.ParseInLocation(layout, text, zone); err == nil {
			return at, nil
		}
	}
	return time.Time{}, usagef("use 2026-11-29 or 2026-11-29T08:00:00Z", "%q is neither a day nor an instant", text)
}
