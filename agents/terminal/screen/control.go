package screen

import (
	"unicode/utf8"

	"meterbridge/agents/terminal/vt"
)

// control takes a C0 control.
func (s *Screen) control(c byte) {
	switch c {
	case '\a':
		s.emit(Event{Kind: Bell})
	case '\b':
		s.pending = false
		s.x = max(s.x-1, 0)
	case '\t':
		s.tab(1)
	case '\n', '\v', '\f':
		s.lineFeed()
		if s.modes.NewLine {
			s.x = 0
		}
	case '\r':
		s.pending = false
		s.x = 0
	case 0x0E, 0x0F: // SO, SI
		s.shift = int(0x0F - c)
	}
}

// sequence takes a CSI or escape sequence.
func (s *Screen) sequence(q *vt.Sequence) {
	switch {
	case !q.CSI:
		s.escape(q)
	case q.Intermediate != 0:
		s.csiIntermediate(q)
	case q.Prefix != 0:
		s.csiPrivate(q)
	case !s.csiMove(q) && !s.csiEdit(q):
		s.csiOther(q)
	}
}

func (s *Screen) escape(q *vt.Sequence) {
	switch q.Intermediate {
	case '(', ')':
		s.drawing[q.Intermediate-'('] = q.Final == '0'
		return
	case '#':
		if q.Final == '8' {
			s.align()
		}
		return
	case 0:
	default:
		return
	}
	switch q.Final {
	case '7':
		s.save()
	case '8':
		s.restore()
	case 'D':
		s.lineFeed()
	case 'E':
		s.lineFeed()
		s.x = 0
	case 'H':
		s.tabs[s.x] = true
	case 'M':
		s.pending = false
		s.reverseIndex()
	case 'c':
		s.reset()
		s.history.clear()
	case '=', '>':
		s.modes.AppKeypad = q.Final == '='
	case 'Z':
		s.reply("\x1b[?62;22c")
	}
}

// csiMove moves the cursor; false means that q does something else.
func (s *Screen) csiMove(q *vt.Sequence) bool {
	n := q.Param(0, 1)
	switch q.Final {
	case 'A', 'k':
		s.up(n)
	case 'B', 'e':
		s.down(n)
	case 'C', 'a':
		s.moveColumn(s.x + n)
	case 'D', 'j':
		s.moveColumn(s.x - n)
	case 'E':
		s.down(n)
		s.x = 0
	case 'F':
		s.up(n)
		s.x = 0
	case 'G', '`':
		s.moveColumn(n - 1)
	case 'H', 'f':
		s.moveTo(q.Param(1, 1)-1, n-1)
	case 'd':
		s.moveTo(s.x, n-1)
	case 'I':
		s.tab(n)
	case 'Z':
		s.tabBack(n)
	default:
		return false
	}
	return true
}

// csiEdit changes cells or rows; false means that q does something else.
func (s *Screen) csiEdit(q *vt.Sequence) bool {
	n := q.Param(0, 1)
	switch q.Final {
	case '@':
		s.pending = false
		s.insertCells(n)
	case 'J':
		s.eraseScreen(q.Param(0, 0))
	case 'K':
		s.eraseLine(q.Param(0, 0))
	case 'L', 'M':
		s.lines(q.Final, n)
	case 'P':
		s.pending = false
		s.deleteCells(n)
	case 'S':
		s.scrollUp(s.top, s.bottom, n)
	case 'T':
		if q.Len() <= 1 {
			s.scrollDown(s.top, s.bottom, n)
		}
	case 'X':
		s.pending = false
		cont := s.g.rows[s.y].cont
		s.erase(s.y, s.x, min(s.x+n, s.cols), s.eraser())
		s.g.rows[s.y].cont = cont
	case 'b':
		s.repeat(n)
	default:
		return false
	}
	return true
}

// lines is IL ('L') and DL ('M').
func (s *Screen) lines(what byte, n int) {
	if s.y < s.top || s.y > s.bottom {
		return
	}
	s.pending = false
	s.x = 0
	if what == 'L' {
		s.scrollDown(s.y, s.bottom, n)
		return
	}
	s.scrollUp(s.y, s.bottom, n)
	s.g.rows[s.y].cont = false
}

func (s *Screen) csiOther(q *vt.Sequence) {
	switch q.Final {
	case 'c':
		s.reply("\x1b[?62;22c")
	case 'g':
		switch q.Param(0, 0) {
		case 0:
			s.tabs[s.x] = false
		case 3:
			clear(s.tabs)
		}
	case 'h', 'l':
		s.setModes(q, q.Final == 'h')
	case 'm':
		s.sgr(q)
	case 'n':
		s.report(q)
	case 'r':
		s.region(q.Param(0, 1)-1, q.Param(1, s.rows)-1)
	case 's':
		s.save()
	case 't':
		s.window(q)
	case 'u':
		s.restore()
	}
}

// region is DECSTBM.
func (s *Screen) region(top, bottom int) {
	bottom = min(bottom, s.rows-1)
	if top >= bottom {
		return
	}
	s.top, s.bottom = top, bottom
	s.moveTo(0, 0)
}

// repeat is REP.
func (s *Screen) repeat(n int) {
	if s.last == 0 {
		return
	}
	b := utf8.AppendRune(nil, s.last)
	for range min(n, s.cols*s.rows) {
		s.print(b)
	}
}

// csiIntermediate takes a CSI sequence with an intermediate byte.
func (s *Screen) csiIntermediate(q *vt.Sequence) {
	switch {
	case q.Intermediate == '!' && q.Final == 'p': // DECSTR
		s.softReset()
	case q.Intermediate == '$' && q.Final == 'p': // DECRQM
		s.reportMode(q)
	}
}

func (s *Screen) softReset() {
	m := s.modes
	s.modes = Modes{
		AutoWrap: true, CursorVisible: true, BracketedPaste: m.BracketedPaste,
		FocusEvents: m.FocusEvents, Mouse: m.Mouse, MouseSGR: m.MouseSGR, Synchronized: m.Synchronized,
	}
	s.top, s.bottom = 0, s.rows-1
	s.style, s.penKnown = Style{}, false
	s.origin, s.drawing, s.shift = false, [2]bool{}, 0
	s.saved[s.slot()] = cursor{}
}
