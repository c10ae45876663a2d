package screen

import (
	"fmt"
	"strconv"
)

// Redraw is what makes a terminal of the same size, whatever it shows, look like
// this screen: contents, styles, title, modes and cursor.
func (s *Screen) Redraw() []byte {
	b := []byte("\x1b[!p\x1b[?2026l\x1b[?1049l")
	if s.g == &s.alt {
		b = append(b, "\x1b[?1049h"...)
	}
	b = append(b, "\x1b[m\x1b[H\x1b[2J"...)
	var style uint16
	for y := range s.g.rows {
		b, style = s.drawRow(b, y, style)
	}
	if s.title != "" {
		b = append(b, "\x1b]2;"+s.title+"\x1b\\"...)
	}
	if s.top > 0 || s.bottom < s.rows-1 {
		b = fmt.Appendf(b, "\x1b[%d;%dr", s.top+1, s.bottom+1)
	}
	b = s.drawModes(b)
	b = s.drawCursor(b)
	return s.appendSGR(b, s.penID())
}

// drawRow writes a row; one that continues the row above follows it by wrapping.
func (s *Screen) drawRow(b []byte, y int, style uint16) ([]byte, uint16) {
	cells := s.g.rows[y].cells
	if y == 0 || !s.g.rows[y].cont || !s.full(y-1) {
		b = fmt.Appendf(b, "\x1b[%d;1H", y+1)
	}
	for x := 0; x < len(cells); x++ {
		c := cells[x]
		if c.style != style {
			b, style = s.appendSGR(b, c.style), c.style
		}
		switch {
		case c.ch == blank || c.ch == spacer:
			b = s.drawBlank(b, y, x)
		case c.ch != tail:
			b = s.appendText(b, cells[x:x+1])
		}
	}
	return b, style
}

// full says that a row ends in a written column, so that what follows wraps.
func (s *Screen) full(y int) bool {
	c, next := s.g.rows[y].cells[s.cols-1].ch, s.g.rows[y+1].cells
	if c == spacer {
		return s.cols > 1 && next[1].ch == tail
	}
	return c != blank && next[0].ch != blank && next[0].ch != spacer
}

// drawBlank erases one column, in the style in force, and goes on behind it.
func (s *Screen) drawBlank(b []byte, y, x int) []byte {
	if s.g.rows[y].cells[x].style != 0 {
		b = append(b, "\x1b[X"...)
	}
	if x+1 < s.cols {
		b = append(b, "\x1b[C"...)
	}
	return b
}

func (s *Screen) drawModes(b []byte) []byte {
	m := s.modes
	set := func(mode int, on bool) {
		end := byte('l')
		if on {
			end = 'h'
		}
		b = append(append(append(b, "\x1b[?"...), strconv.Itoa(mode)...), end)
	}
	set(7, m.AutoWrap)
	set(6, s.origin)
	for _, mode := range []int{1, 25, 66, 1004, 1006, 2004} {
		set(mode, *m.flag(mode))
	}
	for kind, mode := range []int{1000, 9, 1000, 1002, 1003} {
		if kind == int(m.Mouse) {
			set(mode, kind != int(MouseOff))
		}
	}
	return b
}

func (s *Screen) drawCursor(b []byte) []byte {
	y := s.y
	if s.origin {
		y -= s.top
	}
	if s.pending {
		b = s.drawLast(b, y)
	} else {
		b = fmt.Appendf(b, "\x1b[%d;%dH", y+1, s.x+1)
	}
	if s.modes.Insert {
		b = append(b, "\x1b[4h"...)
	}
	if s.modes.NewLine {
		b = append(b, "\x1b[20h"...)
	}
	if s.drawing[0] {
		b = append(b, "\x1b(0"...)
	}
	if s.drawing[1] {
		b = append(b, "\x1b)0"...)
	}
	if s.shift == 1 {
		b = append(b, 0x0E)
	}
	return b
}

// drawLast writes the last column of the cursor's row again, which brings back the
// wrap that is due. One that was erased since is written as a space.
func (s *Screen) drawLast(b []byte, y int) []byte {
	x := s.before()
	text := " "
	if x < 0 {
		x = s.cols - 1
	} else {
		text = string(s.appendText(nil, s.g.rows[s.y].cells[x:x+1]))
	}
	b = fmt.Appendf(b, "\x1b[%d;%dH", y+1, x+1)
	return append(s.appendSGR(b, s.g.rows[s.y].cells[x].style), text...)
}
