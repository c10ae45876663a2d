package screen

// history keeps the text of the lines that left the screen at its top, in a ring
// of bytes and a ring of lines, both bounded; the oldest lines give way.
type history struct {
	maxLines, maxBytes int

	lines []historyLine // a ring once it has maxLines
	first int           // the oldest line in it
	count int

	data []byte // the byte at position p of the stream is data[p%len(data)]
	end  uint64
}

type historyLine struct {
	start uint64
	size  uint32
	cont  bool
}

func newHistory(o Options) history {
	pick := func(v, missing int) int {
		if v == 0 {
			return missing
		}
		return max(v, 0)
	}
	return history{maxLines: pick(o.HistoryLines, 10_000), maxBytes: pick(o.HistoryBytes, 4<<20)}
}

func (h *history) clear() {
	*h = history{maxLines: h.maxLines, maxBytes: h.maxBytes}
}

func (h *history) push(text []byte, cont bool) {
	if len(text) > h.maxBytes || h.maxLines == 0 {
		return
	}
	if h.count == h.maxLines {
		h.drop()
	}
	for h.count > 0 && h.used()+len(text) > h.maxBytes {
		h.drop()
	}
	h.grow(h.used() + len(text))
	line := historyLine{start: h.end, size: uint32(len(text)), cont: cont}
	if h.count == len(h.lines) {
		h.growLines()
	}
	h.lines[(h.first+h.count)%len(h.lines)] = line
	h.count++
	h.put(text)
}

func (h *history) drop() {
	h.first = (h.first + 1) % len(h.lines)
	h.count--
}

// used is the number of bytes of the lines kept.
func (h *history) used() int {
	if h.count == 0 {
		return 0
	}
	return int(h.end - h.lines[h.first].start)
}

func (h *history) put(text []byte) {
	if len(text) == 0 {
		return
	}
	at := int(h.end % uint64(len(h.data)))
	n := copy(h.data[at:], text)
	copy(h.data, text[n:])
	h.end += uint64(len(text))
}

// grow makes room for n bytes.
func (h *history) grow(n int) {
	if n <= len(h.data) {
		return
	}
	size := min(max(4<<10, 2*len(h.data), n), h.maxBytes)
	old := *h
	h.data = make([]byte, size)
	if old.count == 0 {
		return
	}
	start := old.lines[old.first].start
	for p := start; p < old.end; {
		from := old.data[p%uint64(len(old.data)):]
		from = from[:min(uint64(len(from)), old.end-p)]
		at := int(p % uint64(size))
		n := copy(h.data[at:], from)
		p += uint64(n)
	}
}

func (h *history) growLines() {
	lines := make([]historyLine, min(max(64, 2*len(h.lines)), h.maxLines))
	for i := range h.count {
		lines[i] = h.lines[(h.first+i)%len(h.lines)]
	}
	h.lines, h.first = lines, 0
}

// line appends the text of the i-th line kept, the oldest being 0.
func (h *history) line(b []byte, i int) []byte {
	l := h.lines[(h.first+i)%len(h.lines)]
	if l.size == 0 {
		return b
	}
	at := int(l.start % uint64(len(h.data)))
	n := min(int(l.size), len(h.data)-at)
	b = append(b, h.data[at:at+n]...)
	return append(b, h.data[:int(l.size)-n]...)
}

func (h *history) cont(i int) bool { return h.lines[(h.first+i)%len(h.lines)].cont }
