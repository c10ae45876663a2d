package vt

// maxParameters bounds the parameters of a sequence; those behind it are dropped.
const maxParameters = 32

// maxParameter bounds the value of one parameter.
const maxParameter = 65535

// Sequence is a CSI sequence, or an escape sequence without parameters.
type Sequence struct {
	// CSI tells `ESC [ … F` from `ESC … F`.
	CSI bool
	// Prefix is the private marker (one of < = > ?) before the parameters, or 0.
	Prefix byte
	// Intermediate is the last byte of 0x20–0x2F before the final one, or 0.
	Intermediate byte
	// Final is the byte that names the sequence.
	Final byte

	values [maxParameters]int32
	sub    [maxParameters]bool
	count  int
	full   bool
}

func (s *Sequence) reset() {
	s.CSI, s.Prefix, s.Intermediate, s.Final, s.count, s.full = false, 0, 0, 0, 0, false
}

// Len is the number of parameters written, sub-parameters included; `CSI m` has 0.
func (s *Sequence) Len() int { return s.count }

// Param is the i-th parameter, or missing where it was left out or is 0.
func (s *Sequence) Param(i, missing int) int {
	if i >= s.count || s.values[i] <= 0 {
		return missing
	}
	return int(s.values[i])
}

// Sub says that the i-th parameter was joined to the one before it by a colon.
func (s *Sequence) Sub(i int) bool { return i < s.count && s.sub[i] }

func (s *Sequence) intermediate(c byte) { s.Intermediate = c }

// parameter takes a byte between `CSI` and the final one; false means that the
// sequence is malformed.
func (s *Sequence) parameter(c byte) bool {
	switch {
	case c < 0x30:
		s.intermediate(c)
		return true
	case s.Intermediate != 0:
		return false
	case c <= '9':
		s.digit(int32(c - '0'))
		return true
	case c == ':' || c == ';':
		s.open(s.count == 0)
		s.next(c == ':')
		return true
	default: // < = > ?
		if s.count > 0 || s.Prefix != 0 {
			return false
		}
		s.Prefix = c
		return true
	}
}

// open makes the first parameter exist.
func (s *Sequence) open(first bool) {
	if first {
		s.values[0], s.sub[0], s.count = 0, false, 1
	}
}

func (s *Sequence) next(sub bool) {
	if s.count == maxParameters {
		s.full = true
		return
	}
	s.values[s.count], s.sub[s.count] = 0, sub
	s.count++
}

func (s *Sequence) digit(d int32) {
	s.open(s.count == 0)
	if s.full {
		return
	}
	v := &s.values[s.count-1]
	*v = min(*v*10+d, maxParameter)
}
