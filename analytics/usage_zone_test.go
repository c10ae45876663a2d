package analytics

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"meterbridge"
)

// spentAt is a request of n input tokens at an instant.
func spentAt(when string, n int64) meterbridge.Request {
	at, err := time.Parse(time.RFC3339, when)
	if err != nil {
		panic(err)
	}
	r := said("S1", when, 0, 1)
	r.EndedAt, r.Tokens = at, meterbridge.Tokens{Input: meterbridge.Reported(n)}
	return r
}

// sums are the rows as "key input".
func sums(r UsageReport) []string {
	out := []string{}
	for _, row := range r.Rows {
		out = append(out, fmt.Sprintf("%s %d", row.Key, *row.InputTokens))
	}
	return out
}

func TestUsage_FormsDaysInTheZone(t *testing.T) {
	cases := []struct {
		name, by, zone string
		start          time.Weekday
		requests       []meterbridge.Request
		want           []string
	}{
		{
			"T-01 an evening in Los Angeles", "day", "America/Los_Angeles", 1,
			[]meterbridge.Request{spentAt("2026-01-25T04:08:00Z", 1)},
			[]string{"2026-01-24 1"},
		},
		{
			"T-02 Tokyo", "day", "Asia/Tokyo", 1,
			[]meterbridge.Request{spentAt("2026-05-05T14:30:00Z", 10), spentAt("2026-05-05T16:30:00Z", 1)},
			[]string{"2026-05-05 10", "2026-05-06 1"},
		},
		{
			"T-04 the day of 23 hours", "day", "America/Los_Angeles", 1,
			[]meterbridge.Request{spentAt("2026-03-08T07:30:00Z", 1), spentAt("2026-03-08T08:00:00Z", 10), spentAt("2026-03-09T06:30:00Z", 100), spentAt("2026-03-09T07:00:00Z", 1000)},
			[]string{"2026-03-07 1", "2026-03-08 110", "2026-03-09 1000"},
		},
		{
			"the day of 25 hours", "day", "Europe/Berlin", 1,
			[]meterbridge.Request{spentAt("2026-10-24T22:00:00Z", 1), spentAt("2026-10-25T22:59:59Z", 10), spentAt("2026-10-25T23:00:00Z", 100)},
			[]string{"2026-10-25 11", "2026-10-26 100"},
		},
		{
			"the two equal hours", "hour", "Europe/Berlin", 1,
			[]meterbridge.Request{spentAt("2026-10-25T00:30:00Z", 1), spentAt("2026-10-25T01:30:00Z", 10)},
			[]string{"2026-10-25T02:00:00+02:00 1", "2026-10-25T02:00:00+01:00 10"},
		},
		{
			"hours of a zone that is half an hour off", "hour", "Asia/Kolkata", 1,
			[]meterbridge.Request{spentAt("2026-10-25T00:29:00Z", 1), spentAt("2026-10-25T00:30:00Z", 10)},
			[]string{"2026-10-25T05:00:00+05:30 1", "2026-10-25T06:00:00+05:30 10"},
		},
		{
			"half an hour back in an hour", "hour", "Australia/Lord_Howe", 1,
			[]meterbridge.Request{
				spentAt("2026-04-04T13:59:59Z", 1), spentAt("2026-04-04T14:00:00Z", 10), spentAt("2026-04-04T14:45:00Z", 100),
				spentAt("2026-04-04T15:00:00Z", 1000), spentAt("2026-04-04T15:29:59Z", 10000), spentAt("2026-04-04T15:30:00Z", 100000),
			},
			[]string{"2026-04-05T00:00:00+11:00 1", "2026-04-05T01:00:00+11:00 110", "2026-04-05T01:30:00+10:30 11000", "2026-04-05T02:00:00+10:30 100000"},
		},
		{
			"half an hour on in an hour", "hour", "Australia/Lord_Howe", 1,
			[]meterbridge.Request{spentAt("2026-10-03T15:00:00Z", 1), spentAt("2026-10-03T15:30:00Z", 10), spentAt("2026-10-03T15:59:59Z", 100), spentAt("2026-10-03T16:00:00Z", 1000)},
			[]string{"2026-10-04T01:00:00+10:30 1", "2026-10-04T02:30:00+11:00 110", "2026-10-04T03:00:00+11:00 1000"},
		},
		{
			"T-07 weeks start on Monday", "week", "UTC", time.Monday,
			[]meterbridge.Request{spentAt("2026-10-04T12:00:00Z", 1), spentAt("2026-10-05T12:00:00Z", 10)},
			[]string{"2026-09-28 1", "2026-10-05 10"},
		},
		{
			"T-07 or on Sunday", "week", "UTC", time.Sunday,
			[]meterbridge.Request{spentAt("2026-10-04T12:00:00Z", 1), spentAt("2026-10-05T12:00:00Z", 10)},
			[]string{"2026-10-04 11"},
		},
		{
			"T-10 months fourteen hours ahead", "month", "Pacific/Kiritimati", 1,
			[]meterbridge.Request{spentAt("2026-01-31T09:59:00Z", 1), spentAt("2026-01-31T10:00:00Z", 10), spentAt("2026-02-28T10:00:00Z", 100)},
			[]string{"2026-01 1", "2026-02 10", "2026-03 100"},
		},
		{
			"before 1970", "day", "UTC", 1,
			[]meterbridge.Request{spentAt("1969-12-31T23:59:59Z", 1), spentAt("1970-01-01T00:00:00Z", 10)},
			[]string{"1969-12-31 1", "1970-01-01 10"},
		},
	}
	for _, c := range cases {
		zone, err := time.LoadLocation(c.zone)
		if err != nil {
			t.Fatal(err)
		}
		// The same zone as the rollup's, and another one: two ways to one answer.
		for _, rollup := range []*time.Location{zone, time.FixedZone("other", 3*3600)} {
			t.Run(c.name+" from "+rollup.String(), func(t *testing.T) {
				l := open(t, Options{ReportZone: rollup})
				scanned(t, l, logOf("/logs/a.jsonl", c.requests...))
				got := usageOf(t, l, UsageQuery{By: c.by, Zone: zone, WeekStart: c.start})
				if diff := cmp.Diff(c.want, sums(got)); diff != "" {
					t.Errorf("rows (-want +got):\n%s", diff)
				}
			})
		}
	}
}

// Every zone's every offset is found, whatever it did in the years that logs tell of.
func TestZoneChanges_AgreeWithTheClock(t *testing.T) {
	first, last := time.Date(1965, 1, 1, 0, 0, 0, 0, time.UTC).UnixMilli(), time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC).UnixMilli()
	for _, name := range []string{"UTC", "Europe/Dublin", "Africa/Casablanca", "Australia/Lord_Howe", "Pacific/Apia", "America/New_York", "Asia/Kathmandu"} {
		zone, err := time.LoadLocation(name)
		if err != nil {
			t.Fatal(err)
		}
		changes := zoneChanges(zone, first, last)
		for ms, n := first, 0; ms <= last; ms += 5*hourMillis + 1 {
			for n < len(changes)-1 && ms >= changes[n].until {
				n++
			}
			if _, want := time.UnixMilli(ms).In(zone).Zone(); int64(want)*1000 != changes[n].offsetMS {
				t.Fatalf("%s at %d: offset %d ms, want %d s", name, ms, changes[n].offsetMS, want)
			}
		}
	}
}

func TestUsage_WindowIsHalfOpen(t *testing.T) {
	l := open(t, Options{ReportZone: time.UTC})
	scanned(t, l, logOf("/logs/a.jsonl", spentAt("2026-10-04T23:59:59Z", 1), spentAt("2026-10-05T00:00:00Z", 10), spentAt("2026-10-05T12:00:00Z", 100), spentAt("2026-10-06T00:00:00Z", 1000)))
	day := func(n int) time.Time { return time.Date(2026, 10, n, 0, 0, 0, 0, time.UTC) }
	for _, c := range []struct {
		name         string
		since, until time.Time
		want         []string
	}{
		{"whole days", day(5), day(6), []string{"2026-10-05 110"}},
		{"a part of a day", day(5).Add(time.Hour), day(6), []string{"2026-10-05 100"}},
		{"without an end", day(5), time.Time{}, []string{"2026-10-05 110", "2026-10-06 1000"}},
		{"without a begin", time.Time{}, day(5), []string{"2026-10-04 1"}},
		{"nothing", day(20), time.Time{}, []string{}},
	} {
		got := usageOf(t, l, UsageQuery{By: "day", Filter: Filter{Since: c.since, Until: c.until}})
		if diff := cmp.Diff(c.want, sums(got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

// The zone of reports may change between two runs; the rollup follows.
func TestOpen_AnotherZoneRebuildsTheRollup(t *testing.T) {
	path := t.TempDir() + "/ledger.duckdb"
	want := map[string][]string{"UTC": {"2026-05-05 11"}, "Asia/Tokyo": {"2026-05-05 10", "2026-05-06 1"}}
	for i, name := range []string{"UTC", "Asia/Tokyo", "UTC"} {
		zone, _ := time.LoadLocation(name)
		l, err := Open(t.Context(), path, Options{ReportZone: zone})
		if err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			scanned(t, l, logOf("/logs/a.jsonl", spentAt("2026-05-05T14:30:00Z", 10), spentAt("2026-05-05T16:30:00Z", 1)))
		}
		if diff := cmp.Diff(want[name], sums(usageOf(t, l, UsageQuery{By: "day", Zone: zone}))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
