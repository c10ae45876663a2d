package screen

import "meterbridge/agents/terminal/vt"

// Mouse is which mouse events a program asked for.
type Mouse uint8

// The mouse modes: none, presses (9), and 1000, 1002, 1003.
const (
	MouseOff Mouse = iota
	MousePress
	MouseClick
	MouseDrag
	MouseMove
)

// Modes are the terminal modes that a program has set.
type Modes struct {
	// Alternate says that the alternate screen is shown (47, 1047, 1049).
	Alternate bool
	// BracketedPaste says that pasted text is to be framed (2004).
	BracketedPaste bool
	// FocusEvents says that changes of the focus are to be sent (1004).
	FocusEvents bool
	// Synchronized says that an update of the screen is under way (2026).
	Synchronized bool
	// CursorVisible is DECTCEM (25).
	CursorVisible bool
	// AppCursor and AppKeypad choose the sequences that keys send (1, DECKPAM).
	AppCursor, AppKeypad bool
	// AutoWrap is DECAWM (7), Origin DECOM (6), Insert IRM (4), NewLine LNM (20).
	AutoWrap, Origin, Insert, NewLine bool
	// Mouse is what the program wants to know of the mouse; MouseSGR how (1006).
	Mouse    Mouse
	MouseSGR bool
}

// setModes is SM and RM.
func (s *Screen) setModes(q *vt.Sequence, on bool) {
	for i := range q.Len() {
		switch q.Param(i, 0) {
		case 4:
			s.modes.Insert = on
		case 20:
			s.modes.NewLine = on
		}
	}
}

// csiPrivate takes a CSI sequence with a private marker.
func (s *Screen) csiPrivate(q *vt.Sequence) {
	switch {
	case q.Prefix == '?' && (q.Final == 'h' || q.Final == 'l'):
		for i := range q.Len() {
			s.setPrivate(q.Param(i, 0), q.Final == 'h')
		}
	case q.Prefix == '?' && q.Final == 'J', q.Prefix == '?' && q.Final == 'K':
		s.csiEdit(q)
	case q.Prefix == '>' && q.Final == 'c': // DA2
		s.reply("\x1b[>1;10;0c")
	case q.Prefix == '>' && q.Final == 'q': // XTVERSION
		s.reply("\x1bP>|meterbridge\x1b\\")
	case q.Prefix == '?' && q.Final == 'n' && q.Param(0, 0) == 6:
		s.reportCursor("\x1b[?")
	}
}

// setPrivate is DECSET and DECRST of one mode.
func (s *Screen) setPrivate(mode int, on bool) {
	switch mode {
	case 6:
		s.origin = on
		s.moveTo(0, 0)
	case 7:
		s.modes.AutoWrap = on
		s.pending = s.pending && on
	case 47, 1047, 1048, 1049:
		s.alternate(mode, on)
	case 9, 1000, 1002, 1003:
		s.modes.Mouse = MouseOff
		if on {
			s.modes.Mouse = map[int]Mouse{9: MousePress, 1000: MouseClick, 1002: MouseDrag, 1003: MouseMove}[mode]
		}
	default:
		if flag := s.modes.flag(mode); flag != nil {
			*flag = on
		}
	}
}

// flag is the field of a mode that is nothing but remembered, or nil.
func (m *Modes) flag(mode int) *bool {
	switch mode {
	case 1:
		return &m.AppCursor
	case 7:
		return &m.AutoWrap
	case 25:
		return &m.CursorVisible
	case 66:
		return &m.AppKeypad
	case 1004:
		return &m.FocusEvents
	case 1006:
		return &m.MouseSGR
	case 2004:
		return &m.BracketedPaste
	case 2026:
		return &m.Synchronized
	}
	return nil
}

// alternate switches between the two screens, and saves the cursor, as the mode
// says: 47 switches, 1047 also clears on leaving, 1048 saves, 1049 does all.
func (s *Screen) alternate(mode int, on bool) {
	if on && mode >= 1048 {
		s.save()
	}
	if mode != 1048 {
		s.show(on, mode)
	}
	if !on && mode >= 1048 {
		s.restore()
	}
}

func (s *Screen) show(alt bool, mode int) {
	shown := s.g == &s.alt
	if shown == alt {
		return
	}
	if alt {
		if s.alt.rows == nil {
			s.alt = newGrid(s.cols, s.rows)
		}
		s.g = &s.alt
		if mode == 1049 {
			s.eraseRows(0, s.rows, s.eraser())
		}
		return
	}
	if mode == 1047 {
		s.eraseRows(0, s.rows, s.eraser())
	}
	s.g = &s.main
}
