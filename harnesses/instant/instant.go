// Package instant turns the times of logs (epoch seconds or milliseconds, ISO
// 8601) into instants. What is no time, or lies before 1970 or beyond the year
// 9999, is the zero time: a clock that was not set tells nothing. It imports
// only the standard library; the parsers of harnesses call it.
package instant

import (
	"math"
	"strings"
	"time"
)

const (
	// last is the end of the year 9999 in epoch milliseconds.
	last = 253402300799999
	// border parts seconds from milliseconds: as seconds it is the year 2286, as
	// milliseconds April 1970.
	border = 10_000_000_000
)

// Millis reads epoch milliseconds.
func Millis(ms int64) time.Time {
	if ms <= 0 || ms > last {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}

// Seconds reads epoch seconds with a fraction, to the millisecond.
func Seconds(s float64) time.Time {
	if !(s > 0 && s < last/1000) {
		return time.Time{}
	}
	return Millis(int64(math.Round(s * 1000)))
}

// EitherUnit reads a number of which programs wrote seconds first and
// milliseconds later.
func EitherUnit(n int64) time.Time {
	if n < border {
		return Millis(max(n, 0) * 1000)
	}
	return Millis(n)
}

// ISO reads an ISO 8601 instant; one without an offset is UTC, and a blank may
// stand in the place of the T.
func ISO(text string) time.Time {
	text = strings.TrimSpace(text)
	for _, layout := range [...]string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999", "2006-01-02T15:04:05.999999999Z0700"} {
		if len(text) > 10 && text[10] == ' ' {
			text = text[:10] + "T" + text[11:]
		}
		if t, err := time.Parse(layout, text); err == nil {
			return Millis(t.UnixMilli())
		}
	}
	return time.Time{}
}
