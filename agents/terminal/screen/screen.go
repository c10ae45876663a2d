// Package screen is a terminal's screen without a terminal: it is written what a
// program sends to a terminal, and can be asked at any time what a person would
// see. It is made for speed (text is copied in runs, a cell is 8 bytes, lines that
// leave the screen become text) and for hostile input (every count, string and
// table is bounded; no input panics).
//
// It may import vt and the grapheme and width tables, never a PTY, a process or
// anything of the rest of the house. The runner in agents/terminal calls it.
package screen

import "meterbridge/agents/terminal/vt"

// The greatest size of a screen; a larger one is cut to it.
const (
	MaxCols = 1000
	MaxRows = 500
)

// Options of a screen; the zero value is valid.
type Options struct {
	// HistoryLines and HistoryBytes bound what is kept of the lines that left the
	// screen at its top; 0 means 10,000 lines and 4 MiB, less than 0 none.
	HistoryLines, HistoryBytes int
	// Reply, when set, is handed after a Write what the terminal answers to the
	// questions in it. It is not called while Answers is false.
	Reply func([]byte)
	// Event, when set, is called during a Write for what is no text.
	Event func(Event)
}

// Screen is the state of one terminal. It is for one goroutine at a time.
type Screen struct {
	cols, rows int
	opts       Options
	parser     vt.Parser

	main, alt grid
	g         *grid // the one shown
	history   history

	cursor
	saved       [2]cursor // of the main and of the alternate screen
	top, bottom int       // the scroll region, both inclusive
	tabs        []bool
	modes       Modes
	last        rune // what REP repeats

	pen      uint16 // number of style, if penKnown
	penKnown bool
	styles   table[Style]
	clusters table[string]

	title   string
	titles  []string
	replies []byte
	text    []byte // scratch
}

// cursor is what DECSC saves.
type cursor struct {
	x, y int
	// pending says that the last column was written and the next character wraps.
	pending bool
	style   Style
	origin  bool
	// charsets G0 and G1 that draw lines, and which of them is in use.
	drawing [2]bool
	shift   int
}

// New makes a screen of a size.
func New(cols, rows int, opts Options) *Screen {
	s := &Screen{opts: opts, styles: newTable[Style](), clusters: newTable[string]()}
	s.cols, s.rows = clampSize(cols, rows)
	s.main = newGrid(s.cols, s.rows)
	s.history = newHistory(opts)
	s.reset()
	return s
}

func clampSize(cols, rows int) (int, int) {
	return min(max(cols, 1), MaxCols), min(max(rows, 1), MaxRows)
}

// reset is what RIS does, apart from the lines that left the screen.
func (s *Screen) reset() {
	s.g = &s.main
	s.alt = grid{}
	for i := range s.main.rows {
		s.erase(i, 0, s.cols, 0)
		s.main.rows[i].cont = false
	}
	s.cursor, s.saved = cursor{}, [2]cursor{}
	s.penKnown = false
	s.top, s.bottom = 0, s.rows-1
	s.modes = Modes{AutoWrap: true, CursorVisible: true}
	s.last = 0
	s.tabs = nil
	s.growTabs()
}

func (s *Screen) growTabs() {
	for i := len(s.tabs); i < s.cols; i++ {
		s.tabs = append(s.tabs, i > 0 && i%8 == 0)
	}
}

// Write takes the next bytes of the program's output. It never fails.
func (s *Screen) Write(b []byte) (int, error) {
	s.parser.Feed(b, interpreter{s})
	if len(s.replies) > 0 {
		if s.opts.Reply != nil {
			s.opts.Reply(s.replies)
		}
		s.replies = s.replies[:0]
	}
	return len(b), nil
}

// interpreter gives the parser a Screen without showing the methods to others.
type interpreter struct{ *Screen }

// Text implements vt.Handler.
func (i interpreter) Text(b []byte) { i.print(b) }

// Control implements vt.Handler.
func (i interpreter) Control(c byte) { i.control(c) }

// Sequence implements vt.Handler.
func (i interpreter) Sequence(q *vt.Sequence) { i.sequence(q) }

// String implements vt.Handler.
func (i interpreter) String(kind byte, data []byte) { i.str(kind, data) }

// Size is the number of columns and rows.
func (s *Screen) Size() (cols, rows int) { return s.cols, s.rows }

// Title is the last window title that the program set.
func (s *Screen) Title() string { return s.title }

// Modes are the modes in force.
func (s *Screen) Modes() Modes {
	m := s.modes
	m.Alternate = s.g == &s.alt
	m.Origin = s.origin
	return m
}
