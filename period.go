package meterbridge

import (
	"fmt"
	"strings"
	"time"
)

// PeriodText is a stretch of time as people write it: days (2026-11-29, both
// included) or instants (RFC 3339), an IANA zone, a weekday's English name.
// What is empty is taken from the defaults.
type PeriodText struct {
	Since, Until, Zone, WeekStart string
}

// Period is a stretch of time with the zone and the week in which it is told.
// Since is inclusive, Until exclusive; a zero time is no bound.
type Period struct {
	Since, Until time.Time
	Zone         *time.Location
	WeekStart    time.Weekday
}

// PeriodError says which part of a PeriodText is wrong and what to write instead.
type PeriodError struct {
	// Name is since, until, timezone or weekStart.
	Name   string
	Reason string
	Hint   string
}

func (e *PeriodError) Error() string { return e.Reason }

// Resolve reads the text; the error is a *PeriodError.
func (t PeriodText) Resolve(defaults Period) (p Period, err error) {
	p = Period{Zone: defaults.Zone, WeekStart: defaults.WeekStart}
	if t.Zone != "" {
		if p.Zone, err = Zone(t.Zone); err != nil {
			return p, &PeriodError{Name: "timezone", Reason: err.Error(), Hint: "use an IANA name such as Europe/Berlin or UTC"}
		}
	}
	if t.WeekStart != "" {
		if p.WeekStart, err = Weekday(t.WeekStart); err != nil {
			return p, &PeriodError{Name: "weekStart", Reason: err.Error(), Hint: "use monday, sunday, ..."}
		}
	}
	if p.Since, err = instant("since", t.Since, p.Zone); err != nil {
		return p, err
	}
	if p.Until, err = instant("until", t.Until, p.Zone); err != nil {
		return p, err
	}
	if !p.Since.IsZero() && !p.Until.IsZero() && (p.Since.After(p.Until) || t.Since > t.Until && p.Since.Equal(p.Until)) {
		return p, &PeriodError{
			Name: "since", Reason: fmt.Sprintf("since %s is after until %s", t.Since, t.Until),
			Hint: "the days of since and until are both included",
		}
	}
	return p, nil
}

// Instant reads a day (its first instant in the zone) or an instant; the empty
// text is the zero time. The error is a *PeriodError.
func Instant(text string, zone *time.Location) (time.Time, error) { return instant("at", text, zone) }

// instant reads a day or an instant; until a day is until the start of the next.
func instant(name, text string, zone *time.Location) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	for _, layout := range []string{"2006-01-02", "20060102"} {
		if day, err := time.Parse(layout, text); err == nil {
			number := day.Day()
			if name == "until" {
				number++
			}
			return StartOfDay(day.Year(), day.Month(), number, zone), nil
		}
	}
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02 15:04"} {
		if at, err := time.ParseInLocation(layout, text, zone); err == nil {
			return at, nil
		}
	}
	return time.Time{}, &PeriodError{
		Name: name, Reason: fmt.Sprintf("%q is neither a day nor an instant", text), Hint: "use 2026-11-29 or 2026-11-29T08:00:00Z",
	}
}

// Zone is the IANA zone of that name; "local" and "Local" are no names.
func Zone(name string) (*time.Location, error) {
	if name == "" || strings.EqualFold(name, "local") {
		return nil, fmt.Errorf("time zone %q is not known", name)
	}
	loc, err := time.LoadLocation(name)
	if err != nil {
		return nil, fmt.Errorf("time zone %q is not known", name)
	}
	return loc, nil
}

// Weekday reads the English name of a weekday; empty is Monday.
func Weekday(name string) (time.Weekday, error) {
	if name == "" {
		return time.Monday, nil
	}
	for d := time.Sunday; d <= time.Saturday; d++ {
		if strings.EqualFold(d.String(), name) {
			return d, nil
		}
	}
	return 0, fmt.Errorf("week start %q is not a weekday", name)
}
