package screen

import (
	"slices"
	"unicode/utf8"
)

// cell is one column of a row, in 8 bytes.
type cell struct {
	// ch is a rune, blank, tail, spacer, or cluster|number of a grapheme cluster.
	ch    uint32
	style uint16
	_     uint16
}

const (
	blank   uint32 = 0               // erased, never written
	tail    uint32 = 1 << 30         // the right half of a wide character
	spacer  uint32 = 1<<30 | 1       // a last column that a wide character did not fit in
	cluster uint32 = 1 << 31         // the rest is a number in Screen.clusters
	maxRune        = uint32(1) << 21 // what is below it is a rune
)

// row is one line of the screen.
type row struct {
	cells []cell
	// cont says that the row continues the one above it (a soft wrap).
	cont bool
}

// grid is a screen's worth of rows: the main screen or the alternate one.
type grid struct{ rows []row }

func newGrid(cols, rows int) grid {
	cells := make([]cell, cols*rows)
	g := grid{rows: make([]row, rows)}
	for i := range g.rows {
		g.rows[i].cells = cells[i*cols : (i+1)*cols : (i+1)*cols]
	}
	return g
}

// fill erases cells with the background of a style.
func fill(cells []cell, style uint16) {
	if style == 0 {
		clear(cells)
		return
	}
	for i := range cells {
		cells[i] = cell{style: style}
	}
}

// appendText adds what cells show, with spaces for what is blank. Blank cells and
// spacers at the end are left out.
func (s *Screen) appendText(b []byte, cells []cell) []byte {
	end := len(cells)
	for end > 0 && (cells[end-1].ch == blank || cells[end-1].ch == spacer) {
		end--
	}
	n := plainCells(cells[:end])
	at := len(b)
	b = slices.Grow(b, end)[:at+n]
	for i, c := range cells[:n] {
		b[at+i] = byte(c.ch)
	}
	for _, c := range cells[n:end] {
		switch {
		case c.ch == blank || c.ch == spacer:
			b = append(b, ' ')
		case c.ch < utf8.RuneSelf:
			b = append(b, byte(c.ch))
		case c.ch < maxRune:
			b = utf8.AppendRune(b, rune(c.ch))
		case c.ch&cluster != 0:
			b = append(b, s.clusters.value(c.ch&^cluster)...)
		}
	}
	return b
}

// plainCells is the number of cells at the start that hold ASCII.
func plainCells(cells []cell) int {
	for i, c := range cells {
		if c.ch-1 >= utf8.RuneSelf-1 {
			return i
		}
	}
	return len(cells)
}

// isolate blanks the halves of wide characters that writing cells[from:to] of a
// row would leave behind.
func isolate(cells []cell, from, to int) {
	if from > 0 && from < len(cells) && cells[from].ch == tail {
		cells[from-1] = cell{}
	}
	if to < len(cells) && cells[to].ch == tail {
		cells[to] = cell{}
	}
}
