package messagestore

import (
	"strconv"
	"strings"
)

// An id holds the time it was made: after the prefix come 12 hexadecimal digits,
// the low 48 bits of milliseconds × 4096 + a counter, in the ids of sessions
// inverted so that the newest sorts first. Other makers write the milliseconds
// themselves. The time tells a copied message, which has a new id and its old
// time, from one that stayed where it was, without a look at other files.

// nearby is how far apart, in ms, the time of an id and of its record may lie.
const nearby = 2000

// wrap is the range of the milliseconds that an id can hold.
const wrap = 1 << 36

// vicinity tells whether an id was made at a time.
type vicinity int

const (
	// untold: the id holds no time.
	untold vicinity = iota
	here
	elsewhere
)

// madeAt tells whether an id was made at about the time ms.
func madeAt(id string, ms int64) vicinity {
	bits, ok := idBits(id)
	switch {
	case !ok:
		return untold
	case near(bits>>12, ms%wrap) || near(bits>>12+wrap, ms%wrap) || near(bits>>12, ms%wrap+wrap) || near(bits, ms):
		return here
	}
	return elsewhere
}

// sessionTime is when a session began as its id tells it, in the range of times
// that ends a day after ms; ok is false when the id tells no time near enough
// to be believed.
func sessionTime(id string, ms int64) (began int64, ok bool) {
	bits, ok := idBits(id)
	if !ok {
		return 0, false
	}
	const day = 86_400_000
	began = ms - ms%wrap + (bits^(1<<48-1))>>12
	if began > ms+day {
		began -= wrap
	}
	return began, began > 0
}

// laterThan is when a record was made by its id, when that is later than the time
// ms that it bears itself; 0 when not, or when the id does not tell.
func laterThan(id string, ms int64) int64 {
	bits, ok := idBits(id)
	if !ok || madeAt(id, ms) == here {
		return 0
	}
	if bits > ms && bits < ms+wrap { // plain milliseconds
		return bits
	}
	made := ms - ms%wrap + bits>>12
	if made < ms {
		made += wrap
	}
	return made
}

func near(a, b int64) bool {
	d := a - b
	return -nearby <= d && d <= nearby
}

func idBits(id string) (int64, bool) {
	_, rest, ok := strings.Cut(id, "_")
	if !ok || len(rest) < 12 {
		return 0, false
	}
	n, err := strconv.ParseInt(rest[:12], 16, 64)
	return n, err == nil
}

// mayBeCopy reports whether a message may be a fork's copy of an older one. An
// id without a time leaves it open.
func mayBeCopy(m *message) bool {
	return m.created > 0 && madeAt(m.id, m.created) != here
}
