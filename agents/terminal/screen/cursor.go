package screen

// moveTo places the cursor; in origin mode the row counts from the region's top.
func (s *Screen) moveTo(x, y int) {
	s.pending = false
	lo, hi := 0, s.rows-1
	if s.origin {
		lo, hi = s.top, s.bottom
		y += s.top
	}
	s.x = min(max(x, 0), s.cols-1)
	s.y = min(max(y, lo), hi)
}

func (s *Screen) moveColumn(x int) {
	s.pending = false
	s.x = min(max(x, 0), s.cols-1)
}

// up moves the cursor up, not out of the region that it is in.
func (s *Screen) up(n int) {
	s.pending = false
	lo := 0
	if s.y >= s.top {
		lo = s.top
	}
	s.y = max(s.y-n, lo)
}

// down moves the cursor down, not out of the region that it is in.
func (s *Screen) down(n int) {
	s.pending = false
	hi := s.rows - 1
	if s.y <= s.bottom {
		hi = s.bottom
	}
	s.y = min(s.y+n, hi)
}

// tab moves to the n-th tab stop, at most to the last column.
func (s *Screen) tab(n int) {
	for ; n > 0 && s.x < s.cols-1; n-- {
		s.x++
		for s.x < s.cols-1 && !s.tabs[s.x] {
			s.x++
		}
	}
}

func (s *Screen) tabBack(n int) {
	s.pending = false
	for ; n > 0 && s.x > 0; n-- {
		s.x--
		for s.x > 0 && !s.tabs[s.x] {
			s.x--
		}
	}
}

// slot is the place of the saved cursor of the screen that is shown.
func (s *Screen) slot() int {
	if s.g == &s.alt {
		return 1
	}
	return 0
}

func (s *Screen) save() { s.saved[s.slot()] = s.cursor }

func (s *Screen) restore() {
	s.cursor = s.saved[s.slot()]
	s.x, s.y = min(s.x, s.cols-1), min(s.y, s.rows-1)
	s.pending = s.pending && s.x == s.cols-1
	s.penKnown = false
}
