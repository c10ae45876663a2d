package meterbridge

import (
	"testing"
	"time"
	_ "time/tzdata"
)

func TestStartOfDay_FirstInstantOfTheDay(t *testing.T) {
	for _, c := range []struct {
		zone, day, want string
	}{
		{"UTC", "2026-11-29", "2026-11-29T00:00:00Z"},
		{"Europe/Berlin", "2026-03-29", "2026-03-28T23:00:00Z"},
		{"America/Los_Angeles", "2026-03-09", "2026-03-09T07:00:00Z"},
		{"Pacific/Kiritimati", "2026-02-01", "2026-01-31T10:00:00Z"},
		{"Asia/Kathmandu", "2026-02-01", "2026-01-31T18:15:00Z"},
		// Clocks go from 24:00 (04:00Z) to 01:00: the day begins at 01:00.
		{"America/Santiago", "2026-09-06", "2026-09-06T04:00:00Z"},
		{"America/Santiago", "2026-09-07", "2026-09-07T03:00:00Z"},
		{"America/Havana", "2026-03-08", "2026-03-08T05:00:00Z"},
		{"Asia/Beirut", "2026-03-29", "2026-03-28T22:00:00Z"},
		{"Asia/Beirut", "2026-03-30", "2026-03-29T21:00:00Z"},
		// Clocks go back from 24:00 to 23:00: midnight comes an hour later by the sun.
		{"America/Havana", "2026-11-01", "2026-11-01T04:00:00Z"},
		// 30 December 2011 was left out.
		{"Pacific/Apia", "2011-12-29", "2011-12-29T10:00:00Z"},
		{"Pacific/Apia", "2011-12-30", "2011-12-30T10:00:00Z"},
		{"Pacific/Apia", "2011-12-31", "2011-12-30T10:00:00Z"},
	} {
		zone, err := time.LoadLocation(c.zone)
		if err != nil {
			t.Fatal(err)
		}
		day, err := time.Parse(time.DateOnly, c.day)
		if err != nil {
			t.Fatal(err)
		}
		got := StartOfDay(day.Year(), day.Month(), day.Day(), zone).UTC().Format(time.RFC3339)
		if got != c.want {
			t.Errorf("%s in %s: got %s, want %s", c.day, c.zone, got, c.want)
		}
	}
}

// Every instant of four years lies in exactly the day that its local date says.
func TestStartOfDay_DaysTouchAndHoldTheirInstants(t *testing.T) {
	for _, name := range []string{"America/Santiago", "America/Sao_Paulo", "Africa/Cairo", "Atlantic/Azores", "Australia/Lord_Howe", "Pacific/Apia"} {
		zone, err := time.LoadLocation(name)
		if err != nil {
			t.Fatal(err)
		}
		for at := time.Date(2010, 1, 1, 0, 30, 0, 0, time.UTC); at.Year() < 2014; at = at.Add(time.Hour) {
			y, m, d := at.In(zone).Date()
			if from, to := StartOfDay(y, m, d, zone), StartOfDay(y, m, d+1, zone); at.Before(from) || !at.Before(to) {
				t.Fatalf("%s: %s (local %s) is not in [%s, %s)", name, at, at.In(zone), from, to)
			}
		}
	}
}
