package terminal

import (
	"unicode/utf8"

	"github.com/clipperhouse/displaywidth"

	"meterbridge/agents/terminal/vt"
)

// MaxOutput is how much of a command's output is kept, in bytes: its end.
const MaxOutput = 64 << 10

// overwritten resolves a program's overwriting of its own line, as a progress bar
// does it, and keeps the end of the text. Moves to other rows are left out.
type overwritten struct {
	tail tail
	// line is the current line while it only grew; cells once it was overwritten.
	line  []byte
	cells []string
	x     int
	drawn bool
	// cr says that a CR waits for what follows: with an LF it is a line break.
	cr bool
}

func (o *overwritten) text(b []byte) {
	if o.cr {
		o.cr = false
		o.draw()
		o.x = 0
	}
	if o.drawn {
		o.put(b)
		return
	}
	o.line = appendValid(o.line, b)
	o.spill()
}

// spill hands on a line that is longer than what is kept.
func (o *overwritten) spill() {
	if !o.drawn && len(o.line) > MaxOutput || len(o.cells) > MaxOutput {
		o.tail.write(o.take())
	}
}

// take ends the line and returns its text.
func (o *overwritten) take() []byte {
	b := o.line
	if o.drawn {
		b = o.line[:0]
		for _, c := range o.cells {
			b = append(b, c...)
		}
	}
	o.line, o.cells, o.x, o.drawn = o.line[:0], o.cells[:0], 0, false
	return b
}

func (o *overwritten) control(c byte) {
	switch c {
	case '\n':
		o.cr = false
		o.tail.write(append(o.take(), '\n'))
	case '\r':
		o.cr = true
	case '\b':
		o.draw()
		o.x = max(o.x-1, 0)
	case '\t':
		o.text([]byte{c})
	}
}

// draw turns the line into cells.
func (o *overwritten) draw() {
	if o.drawn {
		return
	}
	o.drawn = true
	line := string(o.line)
	o.x = 0
	o.put([]byte(line))
}

// put writes characters over the cells at x. A wide one takes a second, empty
// cell; a mark without a column of its own joins the one before it.
func (o *overwritten) put(b []byte) {
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		b = b[n:]
		w := 1
		if r != '\t' {
			w = displaywidth.Rune(r)
		}
		if w == 0 {
			if o.x > 0 && o.x <= len(o.cells) {
				o.cells[o.x-1] += string(r)
			}
			continue
		}
		o.reach(o.x + w)
		o.cells[o.x] = string(r)
		for i := 1; i < w; i++ {
			o.cells[o.x+i] = ""
		}
		o.x += w
	}
	o.spill()
}

// reach makes the line n cells long.
func (o *overwritten) reach(n int) {
	for len(o.cells) < n {
		o.cells = append(o.cells, " ")
	}
}

// move takes a sequence that moves within the line or erases it.
func (o *overwritten) move(q *vt.Sequence) {
	n := q.Param(0, 1)
	switch q.Final {
	case 'C', 'D', 'G', 'K':
	default:
		return
	}
	if q.Final == 'K' && !o.drawn && !o.cr && q.Param(0, 0) == 0 {
		return // nothing stands right of a line that only grew
	}
	o.draw()
	if o.cr {
		o.cr, o.x = false, 0
	}
	switch q.Final {
	case 'C':
		o.x = min(o.x+n, len(o.cells)+n, MaxOutput)
	case 'D':
		o.x = max(o.x-n, 0)
	case 'G':
		o.x = n - 1
	case 'K':
		o.erase(q.Param(0, 0))
	}
}

// erase is EL within the cells.
func (o *overwritten) erase(how int) {
	switch how {
	case 0:
		o.cells = o.cells[:min(o.x, len(o.cells))]
	case 1:
		for i := range min(o.x+1, len(o.cells)) {
			o.cells[i] = " "
		}
	case 2:
		o.cells = o.cells[:0]
	}
}

// length is the number of bytes so far, those included that were not kept.
func (o *overwritten) length() int64 {
	if !o.drawn {
		return o.tail.total + int64(len(o.line))
	}
	n := o.tail.total
	for _, c := range o.cells {
		n += int64(len(c))
	}
	return n
}

// result is the text so far; truncated says that its beginning is missing.
func (o *overwritten) result() (text string, truncated bool) {
	t := tail{buf: append([]byte(nil), o.tail.buf...), total: o.tail.total}
	line := *o
	line.line = append([]byte(nil), o.line...)
	t.write(line.take())
	return t.result()
}

// tail keeps the end of a text.
type tail struct {
	buf   []byte
	total int64
}

func (t *tail) write(b []byte) {
	t.total += int64(len(b))
	t.buf = append(t.buf, b...)
	if len(t.buf) > 4*MaxOutput {
		t.buf = append(t.buf[:0], t.buf[len(t.buf)-MaxOutput:]...)
	}
}

// result is the last MaxOutput bytes, from the beginning of a character on.
func (t *tail) result() (string, bool) {
	b := t.buf
	if over := len(b) - MaxOutput; over > 0 {
		b = b[over:]
	}
	if t.total <= MaxOutput {
		return string(b), false
	}
	for len(b) > 0 && !utf8.RuneStart(b[0]) {
		b = b[1:]
	}
	return string(b), true
}
