package analytics

import (
	"cmp"
	"encoding/binary"
	"slices"
	"time"

	"meterbridge"
)

// timed is a row and what it is sorted by: to look for that through pointers at
// every comparison takes three times as long.
type timed[R any] struct {
	at   int64
	high uint64
	low  uint64
	row  *R
}

// inTimeOrder sorts rows by their time, in milliseconds, then by their ids.
func inTimeOrder[R any](rows []*R, of func(*R) (time.Time, *meterbridge.ID)) {
	list := make([]timed[R], len(rows))
	for i, row := range rows {
		at, id := of(row)
		list[i] = timed[R]{milli(at), binary.BigEndian.Uint64(id[:8]), binary.BigEndian.Uint64(id[8:]), row}
	}
	if len(list) < manyTimes {
		slices.SortFunc(list, timedBefore[R])
	} else {
		list = byDigits(list)
	}
	for i := range list {
		rows[i] = list[i].row
	}
}

func timedBefore[R any](a, b timed[R]) int {
	return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.high, b.high), cmp.Compare(a.low, b.low))
}

const (
	// manyTimes is the number of rows from which sorting by the digits of times
	// is faster than by comparing.
	manyTimes = 2048
	digitBits = 11
)

// byDigits sorts the list by its times, digit by digit from the last one on, and
// what has one time by comparing: the rows come out of a map, in no order, and
// half a year is three digits of milliseconds and a bit.
func byDigits[R any](list []timed[R]) []timed[R] {
	first, last := list[0].at, list[0].at
	for i := range list {
		first, last = min(first, list[i].at), max(last, list[i].at)
	}
	other := make([]timed[R], len(list))
	for shift := 0; uint64(last-first)>>shift > 0; shift += digitBits {
		var ends [1<<digitBits + 1]int32
		for i := range list {
			ends[digit(list[i].at-first, shift)+1]++
		}
		for d := range len(ends) - 1 {
			ends[d+1] += ends[d]
		}
		for i := range list {
			d := digit(list[i].at-first, shift)
			other[ends[d]] = list[i]
			ends[d]++
		}
		list, other = other, list
	}
	for from := 0; from < len(list); {
		to := from + 1
		for to < len(list) && list[to].at == list[from].at {
			to++
		}
		if to > from+1 {
			slices.SortFunc(list[from:to], timedBefore[R])
		}
		from = to
	}
	return list
}

// digit is the digit of a time that begins at bit shift.
func digit(at int64, shift int) int { return int(uint64(at) >> shift & (1<<digitBits - 1)) }
