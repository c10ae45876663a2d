package instant

import (
	"math"
	"testing"
	"time"
)

func TestTimes(t *testing.T) {
	want := time.Date(2026, 8, 24, 8, 0, 11, 500e6, time.UTC)
	tests := []struct {
		name      string
		got, want time.Time
	}{
		{"milliseconds", Millis(1787558411500), want},
		{"no milliseconds", Millis(0), time.Time{}},
		{"before 1970", Millis(-1), time.Time{}},
		{"beyond 9999", Millis(math.MaxInt64), time.Time{}},
		{"seconds", Seconds(1787558411.5), want},
		{"not a number", Seconds(math.NaN()), time.Time{}},
		{"infinite", Seconds(math.Inf(1)), time.Time{}},
		{"seconds by size", EitherUnit(1787558411), want.Truncate(time.Second)},
		{"milliseconds by size", EitherUnit(1787558411500), want},
		{"negative by size", EitherUnit(math.MinInt64), time.Time{}},
		{"ISO", ISO("2026-08-24T08:00:11.500Z"), want},
		{"ISO with offset", ISO("2026-08-24T10:00:11.5+02:00"), want},
		{"ISO with a short offset", ISO("2026-08-24T10:00:11.5+0200"), want},
		{"ISO without offset", ISO("2026-08-24T08:00:11.500"), want},
		{"SQLite", ISO("2026-08-24 08:00:11.5"), want},
		{"year one", ISO("0001-01-01T00:00:00Z"), time.Time{}},
		{"a word", ISO("yesterday"), time.Time{}},
		{"nothing", ISO(""), time.Time{}},
	}
	for _, tt := range tests {
		if !tt.got.Equal(tt.want) {
			t.Errorf("%s: got %v, want %v", tt.name, tt.got, tt.want)
		}
	}
}
