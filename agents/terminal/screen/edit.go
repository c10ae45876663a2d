package screen

// erase blanks the columns from..to of a row.
func (s *Screen) erase(y, from, to int, style uint16) {
	cells := s.g.rows[y].cells
	isolate(cells, from, to)
	fill(cells[from:to], style)
	if from == 0 {
		s.g.rows[y].cont = false
	}
}

// eraseLine is EL: 0 to the right, 1 to the left, 2 all.
func (s *Screen) eraseLine(how int) {
	s.pending = false
	switch style := s.eraser(); how {
	case 0:
		s.erase(s.y, s.x, s.cols, style)
	case 1:
		cont := s.g.rows[s.y].cont
		s.erase(s.y, 0, s.x+1, style)
		s.g.rows[s.y].cont = cont
	case 2:
		s.erase(s.y, 0, s.cols, style)
	}
}

// eraseScreen is ED: 0 below, 1 above, 2 all, 3 the lines that left the screen.
func (s *Screen) eraseScreen(how int) {
	s.pending = false
	style := s.eraser()
	switch how {
	case 0:
		s.erase(s.y, s.x, s.cols, style)
		s.eraseRows(s.y+1, s.rows, style)
	case 1:
		s.eraseRows(0, s.y, style)
		s.erase(s.y, 0, s.x+1, style)
		if s.x+1 == s.cols && s.y+1 < s.rows {
			s.g.rows[s.y+1].cont = false
		}
	case 2:
		s.eraseRows(0, s.rows, style)
	case 3:
		s.history.clear()
	}
}

func (s *Screen) eraseRows(from, to int, style uint16) {
	for y := from; y < to; y++ {
		s.erase(y, 0, s.cols, style)
	}
}

// insertCells shifts the rest of the row right (ICH).
func (s *Screen) insertCells(n int) {
	n = min(n, s.cols-s.x)
	style := s.eraser()
	cells := s.g.rows[s.y].cells
	isolate(cells, s.x, s.x)
	isolate(cells, s.cols-n, s.cols-n) // half of it would leave the row
	copy(cells[s.x+n:], cells[s.x:s.cols-n])
	fill(cells[s.x:s.x+n], style)
}

// deleteCells shifts the rest of the row left (DCH).
func (s *Screen) deleteCells(n int) {
	n = min(n, s.cols-s.x)
	style := s.eraser()
	cells := s.g.rows[s.y].cells
	isolate(cells, s.x, s.x+n)
	copy(cells[s.x:], cells[s.x+n:])
	fill(cells[s.cols-n:], style)
}

// index moves the cursor down, and scrolls at the bottom of the region.
func (s *Screen) index() {
	switch {
	case s.y == s.bottom:
		s.leave(1)
		s.scrollUp(s.top, s.bottom, 1)
	case s.y < s.rows-1:
		s.y++
	}
}

// reverseIndex moves the cursor up, and scrolls at the top of the region.
func (s *Screen) reverseIndex() {
	switch {
	case s.y == s.top:
		s.scrollDown(s.top, s.bottom, 1)
	case s.y > 0:
		s.y--
	}
}

// lineFeed is a line break of the program: what follows is no soft wrap.
func (s *Screen) lineFeed() {
	s.pending = false
	s.index()
	s.g.rows[s.y].cont = false
}

// leave keeps the text of the n rows that a scroll pushes off the top.
func (s *Screen) leave(n int) {
	if s.top != 0 || s.g != &s.main {
		return
	}
	for y := range min(n, s.rows) {
		r := &s.main.rows[y]
		s.text = s.appendText(s.text[:0], r.cells)
		s.history.push(s.text, r.cont)
	}
}

// scrollUp moves the rows top..bottom up by n; blank ones come in below.
func (s *Screen) scrollUp(top, bottom, n int) {
	n = min(n, bottom-top+1)
	s.rotate(top, bottom, n)
	s.renew(bottom-n+1, bottom)
	// What follows the last row of the region no longer continues it.
	if bottom+1 < s.rows {
		s.g.rows[bottom+1].cont = false
	}
	if top > 0 || s.g != &s.main {
		s.g.rows[top].cont = false
	}
}

// scrollDown moves the rows top..bottom down by n; blank ones come in above.
func (s *Screen) scrollDown(top, bottom, n int) {
	n = min(n, bottom-top+1)
	s.rotate(top, bottom, bottom-top+1-n)
	s.renew(top, top+n-1)
	for _, y := range []int{top + n, bottom + 1} {
		if y < s.rows {
			s.g.rows[y].cont = false
		}
	}
}

// rotate moves the rows top..bottom up by n, those at the top to the bottom.
func (s *Screen) rotate(top, bottom, n int) {
	rows := s.g.rows[top : bottom+1]
	if n == 1 {
		first := rows[0]
		copy(rows, rows[1:])
		rows[len(rows)-1] = first
		return
	}
	moved := make([]row, len(rows))
	copy(moved, rows[n:])
	copy(moved[len(rows)-n:], rows[:n])
	copy(rows, moved)
}

func (s *Screen) renew(from, to int) {
	style := s.eraser()
	for y := from; y <= to; y++ {
		fill(s.g.rows[y].cells, style)
		s.g.rows[y].cont = false
	}
}

// align is DECALN: a screen full of E.
func (s *Screen) align() {
	s.top, s.bottom = 0, s.rows-1
	for y := range s.g.rows {
		for x := range s.g.rows[y].cells {
			s.g.rows[y].cells[x] = cell{ch: 'E'}
		}
		s.g.rows[y].cont = false
	}
	s.moveTo(0, 0)
}
