package screen

// Resize changes the size. Rows are cut or widened, not wrapped anew: the program
// draws again by itself. Of a screen that gets lower, blank rows below the cursor
// go first, then rows at the top, whose text is kept.
func (s *Screen) Resize(cols, rows int) {
	cols, rows = clampSize(cols, rows)
	if cols == s.cols && rows == s.rows {
		return
	}
	shown := s.slot()
	for i, g := range []*grid{&s.main, &s.alt} {
		if g.rows == nil {
			continue
		}
		s.g = g
		y := new(int)
		switch i {
		case shown:
			y = &s.y
		case 0:
			y = &s.saved[0].y
		}
		s.resizeRows(rows, y)
		s.resizeCols(cols)
	}
	s.g = []*grid{&s.main, &s.alt}[shown]
	s.cols, s.rows = cols, rows
	s.top, s.bottom = 0, rows-1
	s.x, s.y = min(s.x, cols-1), min(s.y, rows-1)
	s.pending = false
	s.tabs = s.tabs[:min(len(s.tabs), cols)]
	s.growTabs()
}

// resizeRows changes the number of rows of the grid s.g, whose cursor is in row y.
func (s *Screen) resizeRows(rows int, y *int) {
	g := s.g
	for len(g.rows) > rows && len(g.rows) > *y+1 && s.isBlank(len(g.rows)-1) {
		g.rows = g.rows[:len(g.rows)-1]
	}
	if over := len(g.rows) - rows; over > 0 {
		s.top = 0
		s.leave(over)
		g.rows = append([]row(nil), g.rows[over:]...)
		*y = max(*y-over, 0)
	}
	for len(g.rows) < rows {
		g.rows = append(g.rows, row{cells: make([]cell, s.cols)})
	}
}

func (s *Screen) isBlank(y int) bool {
	for _, c := range s.g.rows[y].cells {
		if c.ch != blank {
			return false
		}
	}
	return true
}

// resizeCols changes the number of columns of the grid s.g. The columns that a
// wrapped row gains are no part of its text.
func (s *Screen) resizeCols(cols int) {
	for y := range s.g.rows {
		r := &s.g.rows[y]
		old := len(r.cells)
		cells := make([]cell, cols)
		copy(cells, r.cells)
		if cols < old && r.cells[cols].ch == tail {
			cells[cols-1] = cell{}
		}
		if cols > old && y+1 < len(s.g.rows) && s.g.rows[y+1].cont {
			for x := old; x < cols; x++ {
				cells[x].ch = spacer
			}
		}
		r.cells = cells
	}
}
