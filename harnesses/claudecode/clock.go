package claudecode

import "time"

// parseTime reads a time stamp as the logs write it ("2026-10-05T08:00:01.000Z")
// and, more slowly, any other RFC 3339 form; ok is false for anything else.
func parseTime(b []byte) (t time.Time, ok bool) {
	if ms, ok := fastMillis(b); ok {
		return time.UnixMilli(ms).UTC(), true
	}
	t, err := time.Parse(time.RFC3339Nano, string(b))
	if err != nil {
		return time.Time{}, false
	}
	return t.UTC(), true
}

// fastMillis reads exactly the form with milliseconds and Z.
func fastMillis(b []byte) (int64, bool) {
	if len(b) != 24 || b[4] != '-' || b[7] != '-' || b[10] != 'T' || b[13] != ':' || b[16] != ':' || b[19] != '.' || b[23] != 'Z' {
		return 0, false
	}
	year, ok1 := decimal(b[0:4])
	month, ok2 := decimal(b[5:7])
	day, ok3 := decimal(b[8:10])
	hour, ok4 := decimal(b[11:13])
	minute, ok5 := decimal(b[14:16])
	second, ok6 := decimal(b[17:19])
	milli, ok7 := decimal(b[20:23])
	if !ok1 || !ok2 || !ok3 || !ok4 || !ok5 || !ok6 || !ok7 {
		return 0, false
	}
	if year < 1 || month < 1 || month > 12 || day < 1 || day > 28 && day > daysIn(year, month) || hour > 23 || minute > 59 || second > 59 {
		return 0, false
	}
	days := daysFromCivil(year, month, day)
	return ((days*24+hour)*60+minute)*60_000 + second*1000 + milli, true
}

func decimal(b []byte) (n int64, ok bool) {
	for _, c := range b {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int64(c-'0')
	}
	return n, true
}

func daysIn(year, month int64) int64 {
	switch month {
	case 4, 6, 9, 11:
		return 30
	case 2:
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return 29
		}
		return 28
	}
	return 31
}

// daysFromCivil counts the days from 1970-01-01 in the Gregorian calendar. Years
// begin in March here, so that a leap day is the last day of its year.
func daysFromCivil(year, month, day int64) int64 {
	if month <= 2 {
		year--
		month += 12
	}
	leaps := year/4 - year/100 + year/400
	return 365*year + leaps + (153*(month-3)+2)/5 + day - 1 - 719468
}
