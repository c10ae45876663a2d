package web

import (
	"fmt"
	"time"

	"meterbridge"
	"meterbridge/dashboard/query"
)

// span of time that a page is about.
type stretch struct {
	meterbridge.Period
	// Name is the preset that was chosen, custom for two dates, all for no bound.
	Name string
	// SinceDay and UntilDay are the bounds as days, both included; empty without.
	SinceDay, UntilDay string
	// Text tells the days.
	Text string
}

// preset is a stretch of time with a name.
type preset struct{ Name, Label string }

func presets() []preset {
	return []preset{
		{"today", "Today"},
		{"7d", "7 days"},
		{"30d", "30 days"},
		{"month", "This month"},
		{"last-month", "Last month"},
		{"12m", "12 months"},
		{"all", "All"},
	}
}

// dayLayout is how days are written in addresses.
const dayLayout = "2006-01-02"

// stretchOf reads what an address asks for: two dates, else a preset, else the
// one that is usual.
func (s *Site) stretchOf(in *query.Period, name, usual string, p prefs) (stretch, error) {
	p.over(in)
	zoned, err := query.Period{Timezone: in.Timezone, WeekStart: in.WeekStart}.Resolve(s.meter.Period())
	if err != nil {
		return stretch{}, err
	}
	if in.Since == "" && in.Until == "" {
		if name == "" || name == "custom" {
			name = usual
		}
		in.Since, in.Until = presetDays(name, s.o.Now().In(zoned.Zone))
	} else {
		name = presetOf(in.Since, in.Until, s.o.Now().In(zoned.Zone))
	}
	out := stretch{Name: name}
	if out.Period, err = in.Resolve(s.meter.Period()); err != nil {
		return out, err
	}
	out.describe()
	return out, nil
}

// presetOf is the preset with these days, custom for none.
func presetOf(since, until string, now time.Time) string {
	for _, p := range presets() {
		if a, b := presetDays(p.Name, now); a == since && b == until {
			return p.Name
		}
	}
	return "custom"
}

// presetDays are the bounds of a preset, both included; empty for none.
func presetDays(name string, now time.Time) (since, until string) {
	day := func(days int) string { return now.AddDate(0, 0, days).Format(dayLayout) }
	first := time.Date(now.Year(), now.Month(), 1, 12, 0, 0, 0, now.Location())
	switch name {
	case "today":
		return day(0), day(0)
	case "7d":
		return day(-6), day(0)
	case "30d":
		return day(-29), day(0)
	case "month":
		return first.Format(dayLayout), first.AddDate(0, 1, -1).Format(dayLayout)
	case "last-month":
		return first.AddDate(0, -1, 0).Format(dayLayout), first.AddDate(0, 0, -1).Format(dayLayout)
	case "12m":
		return first.AddDate(0, -11, 0).Format(dayLayout), first.AddDate(0, 1, -1).Format(dayLayout)
	}
	return "", ""
}

func (s *stretch) describe() {
	since, until := s.Since.In(s.Zone), s.Until.Add(-time.Millisecond).In(s.Zone)
	if !s.Since.IsZero() {
		s.SinceDay = since.Format(dayLayout)
	}
	if !s.Until.IsZero() {
		s.UntilDay = until.Format(dayLayout)
	}
	switch {
	case s.Since.IsZero() && s.Until.IsZero():
		s.Text = "All time"
	case s.Since.IsZero():
		s.Text = "Until " + until.Format("2 Jan 2006")
	case s.Until.IsZero():
		s.Text = "Since " + since.Format("2 Jan 2006")
	case s.Until.Sub(s.Since) < 20*time.Hour:
		s.Text = since.Format("2 Jan 2006, 15:04") + " – " + s.Until.In(s.Zone).Format("15:04")
	case s.SinceDay == s.UntilDay:
		s.Text = since.Format("Monday, 2 Jan 2006")
	case since.Year() != until.Year():
		s.Text = since.Format("2 Jan 2006") + " – " + until.Format("2 Jan 2006")
	case since.Month() != until.Month():
		s.Text = since.Format("2 Jan") + " – " + until.Format("2 Jan 2006")
	default:
		s.Text = fmt.Sprintf("%d – %s", since.Day(), until.Format("2 Jan 2006"))
	}
}

// days is the length in calendar days; 0 without two bounds.
func (s *stretch) days() int {
	if s.Since.IsZero() || s.Until.IsZero() {
		return 0
	}
	return max(1, int(s.Until.Sub(s.Since).Hours()+12)/24)
}

// usualKey is the report that tells such a stretch best.
func (s *stretch) usualKey() string {
	switch n := s.days(); {
	case n == 0 || n > 120:
		return "month"
	case n <= 1:
		return "hour"
	}
	return "day"
}

// before is the stretch before, of the same length. Of a stretch that is not over
// it is as much as has passed; false where there is no such stretch.
func (s *stretch) before(now time.Time) (since, until time.Time, text string, ok bool) {
	n := s.days()
	if n == 0 || now.Before(s.Since) {
		return since, until, "", false
	}
	since, until = s.shifted(s.Since), s.shifted(s.Until)
	// A long stretch is compared in whole days, which the ledger has summed.
	if now.Before(s.Until) {
		if n > 62 {
			local := now.In(s.Zone)
			now = meterbridge.StartOfDay(local.Year(), local.Month(), local.Day()+1, s.Zone)
		}
		if at := s.shifted(now); at.Before(until) {
			until = at
		}
	}
	if !since.Before(until) {
		return since, until, "", false
	}
	told := stretch{Period: meterbridge.Period{Since: since, Until: s.shifted(s.Until), Zone: s.Zone}}
	told.describe()
	return since, until, told.Text, true
}

// shifted is a time one stretch earlier: whole months where it is of those.
func (s *stretch) shifted(at time.Time) time.Time {
	local, since, until := at.In(s.Zone), s.Since.In(s.Zone), s.Until.In(s.Zone)
	if since.Day() == 1 && until.Day() == 1 && since.Hour() == 0 && until.Hour() == 0 && until.After(since.AddDate(0, 0, 27)) {
		months := (until.Year()-since.Year())*12 + int(until.Month()-since.Month())
		moved := local.AddDate(0, -months, 0)
		if moved.Day() != local.Day() { // the month before is shorter
			moved = time.Date(moved.Year(), moved.Month(), 1, 0, 0, 0, 0, s.Zone)
		}
		return moved
	}
	if length := s.Until.Sub(s.Since); length < 20*time.Hour {
		return at.Add(-length)
	}
	return local.AddDate(0, 0, -s.days())
}
