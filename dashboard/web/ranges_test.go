package web

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"meterbridge"
	"meterbridge/dashboard"
	"meterbridge/dashboard/query"
)

// calendar is a meter that has a zone and nothing else.
type calendar struct {
	dashboard.Meter
	zone *time.Location
}

func (c calendar) Period() meterbridge.Period {
	return meterbridge.Period{Zone: c.zone, WeekStart: time.Monday}
}

func berlin(t *testing.T) *time.Location {
	t.Helper()
	zone, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	return zone
}

func TestStretch_IsWhatThePresetSays(t *testing.T) {
	zone := berlin(t)
	now := time.Date(2026, 3, 31, 0, 30, 0, 0, zone) // the day is another one in UTC
	s := &Site{meter: calendar{zone: zone}, o: Options{Now: func() time.Time { return now }}}
	type want struct{ Since, Until, Text, Key string }
	for name, w := range map[string]want{
		"today":      {"2026-03-31", "2026-03-31", "Tuesday, 31 Mar 2026", "hour"},
		"7d":         {"2026-03-25", "2026-03-31", "25 – 31 Mar 2026", "day"},
		"30d":        {"2026-03-02", "2026-03-31", "2 – 31 Mar 2026", "day"},
		"month":      {"2026-03-01", "2026-03-31", "1 – 31 Mar 2026", "day"},
		"last-month": {"2026-02-01", "2026-02-28", "1 – 28 Feb 2026", "day"},
		"12m":        {"2025-04-01", "2026-03-31", "1 Apr 2025 – 31 Mar 2026", "month"},
		"all":        {"", "", "All time", "month"},
	} {
		got, err := s.stretchOf(&query.Period{}, name, "30d", prefs{})
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(w, want{got.SinceDay, got.UntilDay, got.Text, got.usualKey()}); d != "" {
			t.Errorf("%s:\n%s", name, d)
		}
	}
}

func TestStretch_BeforeIsAsLongAndAsMuchOfIt(t *testing.T) {
	zone := berlin(t)
	now := time.Date(2026, 3, 30, 15, 0, 0, 0, zone)
	s := &Site{meter: calendar{zone: zone}, o: Options{Now: func() time.Time { return now }}}
	for _, c := range []struct {
		since, until, wantSince, wantUntil string
	}{
		// A day that is not over, the day after clocks changed: until the same time of day.
		{"2026-03-30", "2026-03-30", "2026-03-29T00:00:00+01:00", "2026-03-29T15:00:00+02:00"},
		// A week that is over.
		{"2026-03-09", "2026-03-15", "2026-03-02T00:00:00+01:00", "2026-03-09T00:00:00+01:00"},
		// A month that is not over, against a shorter one: February ends before its 30th.
		{"2026-03-01", "2026-03-31", "2026-02-01T00:00:00+01:00", "2026-03-01T00:00:00+01:00"},
		// A month that is over.
		{"2026-02-01", "2026-02-28", "2026-01-01T00:00:00+01:00", "2026-02-01T00:00:00+01:00"},
		// An hour.
		{"2026-03-30T10:00:00+02:00", "2026-03-30T11:00:00+02:00", "2026-03-30T09:00:00+02:00", "2026-03-30T10:00:00+02:00"},
	} {
		st, err := s.stretchOf(&query.Period{Since: c.since, Until: c.until}, "", "30d", prefs{})
		if err != nil {
			t.Fatal(err)
		}
		since, until, _, ok := st.before(now)
		got := [2]string{since.In(zone).Format(time.RFC3339), until.In(zone).Format(time.RFC3339)}
		if d := cmp.Diff([2]string{c.wantSince, c.wantUntil}, got); d != "" || !ok {
			t.Errorf("%s to %s (%v):\n%s", c.since, c.until, ok, d)
		}
	}
	for _, c := range [][2]string{{"", ""}, {"2026-03-01", ""}, {"2026-05-01", "2026-05-02"}} {
		st, err := s.stretchOf(&query.Period{Since: c[0], Until: c[1]}, "all", "all", prefs{})
		if err != nil {
			t.Fatal(err)
		}
		if _, _, text, ok := st.before(now); ok {
			t.Errorf("%v: compared with %s, want nothing", c, text)
		}
	}
}

func TestStretch_TakesThePersonsZone(t *testing.T) {
	s := &Site{meter: calendar{zone: time.UTC}, o: Options{Now: func() time.Time { return time.Date(2026, 3, 31, 2, 0, 0, 0, time.UTC) }}}
	p := prefs{Zone: "America/New_York", Week: "Sunday"}
	got, err := s.stretchOf(&query.Period{}, "today", "30d", p)
	if err != nil {
		t.Fatal(err)
	}
	if got.SinceDay != "2026-03-30" || got.Zone.String() != "America/New_York" || got.WeekStart != time.Sunday {
		t.Errorf("got %s in %s, week from %s", got.SinceDay, got.Zone, got.WeekStart)
	}
	got, err = s.stretchOf(&query.Period{Timezone: "Asia/Tokyo"}, "today", "30d", p)
	if err != nil || got.SinceDay != "2026-03-31" {
		t.Errorf("the address's zone: got %s (%v), want 2026-03-31", got.SinceDay, err)
	}
}
