package screen

// table numbers the distinct values that cells refer to (styles, clusters). Value
// 0 is the zero value. It is bounded: when it is full, the owner sweeps what no
// cell refers to any more, and while that frees nothing, new values become 0.
type table[K comparable] struct {
	ids    map[K]uint32
	values []K
	// limit is the size at which the next sweep is due.
	limit int
	// refused counts what was not taken since the table was found full.
	refused int
}

const (
	// firstSweep is the size up to which a table grows without a sweep.
	firstSweep = 1 << 12
	// tableLimit is the greatest size of a table; numbers fit in 16 bits.
	tableLimit = 1 << 16
)

func newTable[K comparable]() table[K] {
	var zero K
	return table[K]{ids: map[K]uint32{zero: 0}, values: []K{zero}, limit: firstSweep}
}

func (t *table[K]) value(id uint32) K {
	if int(id) >= len(t.values) {
		id = 0
	}
	return t.values[id]
}

// put is the number of v. due says that the table is full and v was not taken.
func (t *table[K]) put(v K) (id uint32, due bool) {
	if id, ok := t.ids[v]; ok {
		return id, false
	}
	if len(t.values) >= t.limit {
		t.refused++
		return 0, t.limit < tableLimit || t.refused%tableLimit == 1
	}
	id = uint32(len(t.values))
	t.ids[v], t.values = id, append(t.values, v)
	return id, false
}

// keep drops the values that are not used, and returns the new numbers.
func (t *table[K]) keep(used []bool) []uint32 {
	old := t.values
	fresh := newTable[K]()
	moved := make([]uint32, len(old))
	for id := 1; id < len(old); id++ {
		if used[id] {
			moved[id] = uint32(len(fresh.values))
			fresh.ids[old[id]], fresh.values = moved[id], append(fresh.values, old[id])
		}
	}
	fresh.limit = min(max(firstSweep, 2*len(fresh.values)), tableLimit)
	if len(fresh.values) > tableLimit/4*3 {
		fresh.refused = t.refused
	}
	*t = fresh
	return moved
}

// each visits the cells of both screens.
func (s *Screen) each(visit func(*cell)) {
	for _, g := range []*grid{&s.main, &s.alt} {
		for _, r := range g.rows {
			for i := range r.cells {
				visit(&r.cells[i])
			}
		}
	}
}

// styleID numbers a style.
func (s *Screen) styleID(v Style) uint16 {
	id, due := s.styles.put(v)
	if due {
		s.sweepStyles()
		id, _ = s.styles.put(v)
	}
	return uint16(id)
}

func (s *Screen) sweepStyles() {
	used := make([]bool, len(s.styles.values))
	s.each(func(c *cell) { used[c.style] = true })
	moved := s.styles.keep(used)
	s.each(func(c *cell) { c.style = uint16(moved[c.style]) })
	s.pen, s.penKnown = 0, false
}

// clusterID numbers a grapheme cluster; 0 means that there is no room.
func (s *Screen) clusterID(v string) uint32 {
	id, due := s.clusters.put(v)
	if due {
		used := make([]bool, len(s.clusters.values))
		s.each(func(c *cell) {
			if c.ch&cluster != 0 {
				used[c.ch&^cluster] = true
			}
		})
		moved := s.clusters.keep(used)
		s.each(func(c *cell) {
			if c.ch&cluster != 0 {
				c.ch = cluster | moved[c.ch&^cluster]
			}
		})
		id, _ = s.clusters.put(v)
	}
	return id
}
