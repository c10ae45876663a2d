package screen

import (
	"bytes"
	"slices"
	"strings"
)

// MaxLines is the greatest number of lines that Text returns.
const MaxLines = 500

// Text is the last n (at most MaxLines) logical lines of the screen and, unless
// the alternate screen is shown, of what left it at the top: rows of a soft wrap
// joined, trimmed on the right, blank lines below the last text left out, joined
// by LF.
func (s *Screen) Text(n int) string {
	n = min(n, MaxLines)
	var lines []string
	end := s.total()
	for end > 0 && len(lines) < n {
		start := end - 1
		for start > 0 && s.continues(start) {
			start--
		}
		var b []byte
		for i := start; i < end; i++ {
			b = s.lineText(b, i)
		}
		b = bytes.TrimRight(b, " ")
		if len(b) > 0 || len(lines) > 0 {
			lines = append(lines, string(b))
		}
		end = start
	}
	slices.Reverse(lines)
	return strings.Join(lines, "\n")
}

// total is the number of rows that Text sees.
func (s *Screen) total() int {
	if s.g == &s.alt {
		return s.rows
	}
	return s.history.count + s.rows
}

// continues says that row i of total continues the one before it.
func (s *Screen) continues(i int) bool {
	if i -= s.total() - s.rows; i >= 0 {
		return s.g.rows[i].cont
	}
	return s.history.cont(i + s.history.count)
}

func (s *Screen) lineText(b []byte, i int) []byte {
	if i -= s.total() - s.rows; i >= 0 {
		return s.appendText(b, s.g.rows[i].cells)
	}
	return s.history.line(b, i+s.history.count)
}

// Snapshot is what a person would see now.
type Snapshot struct {
	Cols, Rows int
	// Lines are the rows of the screen from the top, trimmed on the right.
	Lines []string
	// X and Y are the cursor's column and row, from 0.
	X, Y  int
	Title string
	Modes Modes
}

// Snapshot copies what is shown.
func (s *Screen) Snapshot() Snapshot {
	snap := Snapshot{Cols: s.cols, Rows: s.rows, X: s.x, Y: s.y, Title: s.title, Modes: s.Modes()}
	for _, r := range s.g.rows {
		s.text = s.appendText(s.text[:0], r.cells)
		snap.Lines = append(snap.Lines, string(bytes.TrimRight(s.text, " ")))
	}
	return snap
}
