package hold

import (
	"bytes"
	"fmt"
	"maps"
	"slices"

	"meterbridge/agents/terminal/vt"
)

// ringSize is how much of what a program wrote is kept, in bytes.
const ringSize = 1 << 20

// ring keeps the end of a stream. Its memory grows with the stream, up to its size.
type ring struct {
	size int
	buf  []byte
	// at is where the oldest byte is, once the ring is full.
	at int
	// before is what the bytes that are gone did to the terminal.
	before traces
}

func newRing(size int) *ring { return &ring{size: size} }

func (r *ring) write(b []byte) {
	if room := r.size - len(r.buf); room > 0 {
		n := min(room, len(b))
		r.buf = append(r.buf, b[:n]...)
		b = b[n:]
	}
	for len(b) > 0 {
		n := min(len(b), len(r.buf)-r.at)
		r.before.take(r.buf[r.at : r.at+n])
		copy(r.buf[r.at:], b[:n])
		r.at = (r.at + n) % len(r.buf)
		b = b[n:]
	}
}

// contents is what shows the program's terminal again: the modes that what is gone
// had set, then what is kept; of that, when something is gone, the first line or the
// rest of a sequence is left out.
func (r *ring) contents() (b []byte, cut bool) {
	b = slices.Concat(r.buf[r.at:], r.buf[:r.at])
	if !r.before.any {
		return b, false
	}
	n := r.before.beginning(b)
	return append(r.before.bytes(b[:n]), b[n:]...), true
}

// nearby is where the first line break is looked for, in bytes: programs that draw
// write none.
const nearby = 4 << 10

// beginning is where what comes behind the traces makes sense by itself: behind a line
// break, else before an escape sequence, and never within one.
func (t *traces) beginning(b []byte) int {
	now := traces{parse: t.parse.Clone()}
	escape, free := -1, len(b)
	for i := range b {
		if now.parse.Idle() {
			free = min(free, i)
			if b[i] == '\x1b' && escape < 0 {
				escape = i
			}
		}
		if i >= nearby && escape >= 0 {
			break
		}
		now.parse.Feed(b[i:i+1], &now)
		if b[i] == '\n' && i < nearby && now.parse.Idle() {
			return i + 1
		}
	}
	if escape < 0 {
		return free
	}
	return escape
}

// traces are what lasts of bytes that are gone: the modes that they set and the title.
type traces struct {
	any   bool
	parse vt.Parser
	modes map[int]bool
	title []byte
}

const (
	// mostModes bounds the modes that are remembered.
	mostModes = 64
	// longestTitle bounds the title, in bytes.
	longestTitle = 1024
	// updating is the mode of an update under way, which has no place in a picture.
	updating = 2026
)

func (t *traces) take(b []byte) {
	t.any = true
	// Most of a flood is plain text, which leaves no traces.
	if t.parse.Idle() {
		i := bytes.IndexByte(b, '\x1b')
		if i < 0 {
			return
		}
		b = b[i:]
	}
	t.parse.Feed(b, t)
}

// bytes sets the modes and the title as they were behind what is gone and skipped.
// It keeps nothing of the latter: a later call begins elsewhere.
func (t *traces) bytes(skipped []byte) []byte {
	now := traces{parse: t.parse.Clone(), modes: map[int]bool{}, title: t.title}
	for m, on := range t.modes {
		now.modes[m] = on
	}
	now.parse.Feed(skipped, &now)
	var out []byte
	for _, m := range slices.Sorted(maps.Keys(now.modes)) {
		final := 'l'
		if now.modes[m] {
			final = 'h'
		}
		out = fmt.Appendf(out, "\x1b[?%d%c", m, final)
	}
	if now.title != nil {
		out = fmt.Appendf(out, "\x1b]2;%s\x07", now.title)
	}
	return out
}

// Text implements vt.Handler.
func (t *traces) Text([]byte) {}

// Control implements vt.Handler.
func (t *traces) Control(byte) {}

// Sequence implements vt.Handler.
func (t *traces) Sequence(q *vt.Sequence) {
	switch {
	case q.CSI && q.Prefix == '?' && q.Intermediate == 0 && (q.Final == 'h' || q.Final == 'l'):
		for i := range q.Len() {
			t.mode(q.Param(i, 0), q.Final == 'h')
		}
	case !q.CSI && q.Intermediate == 0 && q.Final == 'c': // full reset
		clear(t.modes)
	}
}

func (t *traces) mode(m int, on bool) {
	if t.modes == nil {
		t.modes = map[int]bool{}
	}
	if _, known := t.modes[m]; m != updating && (known || len(t.modes) < mostModes) {
		t.modes[m] = on
	}
}

// String implements vt.Handler.
func (t *traces) String(k byte, b []byte) {
	number, title, ok := bytes.Cut(b, []byte{';'})
	if k == ']' && ok && (string(number) == "0" || string(number) == "2") && len(title) <= longestTitle {
		t.title = append([]byte{}, title...)
	}
}
