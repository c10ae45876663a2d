package meterbridge

import "time"

// StartOfDay is the first instant of a day in a zone. Where clocks go forward at
// midnight the day begins later than 00:00; where a day was left out, it is the
// first instant of the next one. Days out of range roll over as in time.Date.
func StartOfDay(year int, month time.Month, day int, zone *time.Location) time.Time {
	noon := time.Date(year, month, day, 12, 0, 0, 0, time.UTC)
	want := noon.Format(time.DateOnly)
	// No zone is more than 26 hours away from another: search from well before.
	at := noon.Add(-38 * time.Hour)
	for {
		local := at.In(zone)
		if local.Format(time.DateOnly) >= want {
			return local
		}
		_, end := local.ZoneBounds()
		at = nextStep(local, end, want)
	}
}

// nextStep is the next instant that can begin the day: its midnight by the
// present offset, or the next change of clocks, whichever comes first.
func nextStep(local, change time.Time, want string) time.Time {
	_, offset := local.Zone()
	midnight, _ := time.Parse(time.DateOnly, want)
	begins := midnight.Add(-time.Duration(offset) * time.Second)
	if !change.IsZero() && change.Before(begins) {
		return change
	}
	return begins
}
