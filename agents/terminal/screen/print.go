package screen

import (
	"unicode/utf8"

	"github.com/clipperhouse/displaywidth"
	"github.com/clipperhouse/uax29/v2/graphemes"
)

// maxCluster bounds a grapheme cluster, in bytes; further marks are dropped.
const maxCluster = 64

// print writes text at the cursor.
func (s *Screen) print(b []byte) {
	for len(b) > 0 {
		n := ascii(b)
		if n > 0 {
			s.last = rune(b[n-1])
			if s.drawing[s.shift] {
				s.draw(b[:n])
			} else {
				s.run(b[:n])
			}
			b = b[n:]
			continue
		}
		r, size := utf8.DecodeRune(b)
		s.rune(r)
		b = b[size:]
	}
}

// ascii is the length of the ASCII text that b begins with.
func ascii(b []byte) int {
	for i, c := range b {
		if c >= utf8.RuneSelf {
			return i
		}
	}
	return len(b)
}

// run writes ASCII text, as much as fits in a row in one step.
func (s *Screen) run(b []byte) {
	for len(b) > 0 {
		if s.pending {
			s.wrap()
		}
		n := min(s.cols-s.x, len(b))
		if n < len(b) && !s.modes.AutoWrap {
			// What does not fit overwrites the last column again and again.
			b = append(append(s.text[:0], b[:n-1]...), b[len(b)-1])
		}
		cells, pen := s.room(n), s.penID()
		for i, c := range b[:n] {
			cells[i] = cell{ch: uint32(c), style: pen}
		}
		b = b[n:]
		s.advance(n)
	}
}

// room makes n cells at the cursor ready to be written.
func (s *Screen) room(n int) []cell {
	cells := s.g.rows[s.y].cells
	if s.modes.Insert {
		s.insertCells(n)
	}
	isolate(cells, s.x, s.x+n)
	return cells[s.x : s.x+n]
}

// advance moves the cursor behind n written columns.
func (s *Screen) advance(n int) {
	s.x += n
	if s.x >= s.cols {
		s.x = s.cols - 1
		s.pending = s.modes.AutoWrap
	}
}

// wrap continues on the next row, as a soft wrap.
func (s *Screen) wrap() {
	s.pending = false
	s.x = 0
	s.index()
	s.g.rows[s.y].cont = true
}

// rune writes one character that is not ASCII.
func (s *Screen) rune(r rune) {
	w := width(r)
	if (w == 0 || joinsLeft(r) || s.afterJoiner()) && s.join(r) {
		return
	}
	if w == 0 || w > s.cols {
		return
	}
	s.last = r
	if s.pending {
		s.wrap()
	}
	if s.x+w > s.cols {
		if !s.modes.AutoWrap {
			s.x = s.cols - w
		} else {
			cells := s.room(1)
			cells[0] = cell{ch: spacer, style: s.eraser()}
			s.wrap()
		}
	}
	cells := s.room(w)
	cells[0] = cell{ch: uint32(r), style: s.penID()}
	if w == 2 {
		cells[1] = cell{ch: tail, style: cells[0].style}
	}
	s.advance(w)
}

// width is the number of columns of a character.
func width(r rune) int {
	switch {
	case r >= 0x2500 && r < 0x25A0, r >= 0x2800 && r < 0x2900, r >= 0xC0 && r < 0x300:
		return 1 // blocks and lines, Braille, Latin letters
	case r >= 0x4E00 && r < 0xA000, r >= 0xAC00 && r < 0xD7A4, r >= 0x3041 && r < 0x3097:
		return 2 // ideographs, Hangul, Hiragana
	case r < 0xA0:
		return 0 // C1 controls
	}
	return min(max(displaywidth.Rune(r), 0), 2)
}

// joinsLeft says that a character with columns of its own may belong to the
// cluster before it: regional indicators and skin tones.
func joinsLeft(r rune) bool {
	return r >= 0x1F1E6 && r <= 0x1F1FF || r >= 0x1F3FB && r <= 0x1F3FF
}

// before is the column of the character left of the cursor, or -1.
func (s *Screen) before() int {
	x := s.x - 1
	if s.pending {
		x = s.x
	}
	if x >= 1 && s.g.rows[s.y].cells[x].ch == tail {
		x--
	}
	if x < 0 || s.g.rows[s.y].cells[x].ch == blank || s.g.rows[s.y].cells[x].ch&^1 == tail {
		return -1
	}
	return x
}

// afterJoiner says that the cluster left of the cursor ends in a zero width joiner.
func (s *Screen) afterJoiner() bool {
	x := s.before()
	if x < 0 || s.g.rows[s.y].cells[x].ch&cluster == 0 {
		return false
	}
	v := s.clusters.value(s.g.rows[s.y].cells[x].ch &^ cluster)
	return len(v) >= 3 && v[len(v)-3:] == "\u200d"
}

// join adds a character to the cluster left of the cursor, if it belongs to it.
func (s *Screen) join(r rune) bool {
	x := s.before()
	if x < 0 {
		return false
	}
	cells := s.g.rows[s.y].cells
	old := s.appendText(s.text[:0], cells[x:x+1])
	v := utf8.AppendRune(old, r)
	s.text = v
	if len(v) > maxCluster || len(graphemes.FromBytes(v).First()) != len(v) {
		return false
	}
	id := s.clusterID(string(v))
	if id == 0 {
		return true
	}
	cells[x].ch = cluster | id
	if x+1 == s.x && s.x < s.cols && !s.pending && cells[s.x].ch != tail && displaywidth.Bytes(v) == 2 {
		// A narrow character became an emoji. (A wide one has the cursor in its middle
		// after a move; it stays as wide as it was.)
		isolate(cells, s.x, s.x+1)
		cells[s.x] = cell{ch: tail, style: cells[x].style}
		s.advance(1)
	}
	return true
}

// draw writes text in the set that draws lines.
func (s *Screen) draw(b []byte) {
	for _, c := range b {
		if r := lineDrawing(c); r != 0 {
			s.rune(r)
		} else {
			s.run([]byte{c})
		}
	}
}

// lineDrawing is what a byte of the DEC special graphics set shows; 0 for itself.
func lineDrawing(c byte) rune {
	if c < 0x60 || c > 0x7E {
		return 0
	}
	return [...]rune{
		'◆', '▒', '␉', '␌', '␍', '␊', '°', '±', '␤', '␋', '┘', '┐', '┌', '└', '┼', '⎺',
		'⎻', '─', '⎼', '⎽', '├', '┤', '┴', '┬', '│', '≤', '≥', 'π', '≠', '£', '·',
	}[c-0x60]
}
