package claudecode

import (
	"testing"
	"time"
)

func TestParseTime_EqualsTheLibrary(t *testing.T) {
	for _, in := range []string{
		"2026-10-05T08:00:01.000Z", "2024-02-29T23:59:59.999Z", "2023-02-29T00:00:00.000Z", "2000-02-29T12:00:00.001Z", "1900-02-29T12:00:00.001Z",
		"1970-01-01T00:00:00.000Z", "1969-12-31T23:59:59.999Z", "0001-01-01T00:00:00.000Z", "0000-03-01T00:00:00.000Z", "0000-01-01T00:00:00.000Z", "9999-12-31T23:59:59.999Z", "2026-13-01T00:00:00.000Z",
		"2026-00-01T00:00:00.000Z", "2026-04-31T00:00:00.000Z", "2026-04-00T00:00:00.000Z", "2026-10-05T24:00:00.000Z", "2026-10-05T08:60:00.000Z", "2026-10-05T08:00:60.000Z",
		"2026-10-05T08:00:01Z", "2026-10-05T10:00:01.5+02:00", "2026-10-05 08:00:01.000Z", "2026-10-05T08:00:01.000", "", "soon", "2026-1x-05T08:00:01.000Z",
	} {
		want, err := time.Parse(time.RFC3339Nano, in)
		got, ok := parseTime([]byte(in))
		if ok != (err == nil) || ok && !got.Equal(want) {
			t.Errorf("parseTime(%q): got %v %v, want %v %v", in, got, ok, want, err)
		}
	}
}

func TestParseTime_EveryDayOf400Years(t *testing.T) {
	for day := time.Date(1900, 1, 1, 13, 14, 15, 16e6, time.UTC); day.Year() < 2300; day = day.AddDate(0, 0, 1) {
		text := day.Format("2006-01-02T15:04:05.000Z")
		if got, ok := fastMillis([]byte(text)); !ok || got != day.UnixMilli() {
			t.Fatalf("fastMillis(%q): got %d %v, want %d", text, got, ok, day.UnixMilli())
		}
	}
}
