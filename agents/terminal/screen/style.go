package screen

import "meterbridge/agents/terminal/vt"

// Colour is 0 for the terminal's own, indexed|n for one of the 256 of the palette,
// direct|0xRRGGBB for one by value.
type Colour uint32

const (
	indexed Colour = 1 << 24
	direct  Colour = 2 << 24
)

// Style is how a cell looks. The zero value is plain text.
type Style struct {
	Foreground, Background, UnderlineColour Colour
	Attributes                              Attributes
}

// Attributes is a set of text attributes. The three bits from Underline on hold
// the kind of underline (1 single, 2 double, 3 curly, 4 dotted, 5 dashed).
type Attributes uint16

// The attributes.
const (
	Bold Attributes = 1 << iota
	Faint
	Italic
	Blink
	Inverse
	Hidden
	Struck
	Overlined
	Underline
	underlines = 7 * Underline
)

// sgr applies a `CSI … m`.
func (s *Screen) sgr(q *vt.Sequence) {
	s.penKnown = false
	st := &s.style
	if q.Len() == 0 {
		*st = Style{}
		return
	}
	for i := 0; i < q.Len(); {
		p := q.Param(i, 0)
		switch p {
		case 4:
			i += st.underline(q, i)
			continue
		case 38, 48, 58:
			c, n, ok := colour(q, i)
			if ok {
				st.setColour(p, c)
			}
			i += n
			continue
		}
		st.set(p)
		i++
		for q.Sub(i) {
			i++
		}
	}
}

func (st *Style) set(p int) {
	switch {
	case p == 0:
		*st = Style{}
	case p <= 9:
		st.Attributes |= attribute(p)
	case p == 21:
		st.Attributes = st.Attributes&^underlines | 2*Underline
	case p == 22:
		st.Attributes &^= Bold | Faint
	case p == 24:
		st.Attributes &^= underlines
	case p >= 23 && p <= 29:
		st.Attributes &^= attribute(p - 20)
	case p >= 30 && p <= 37:
		st.Foreground = indexed | Colour(p-30)
	case p == 39:
		st.Foreground = 0
	case p >= 40 && p <= 47:
		st.Background = indexed | Colour(p-40)
	case p == 49:
		st.Background = 0
	case p == 53:
		st.Attributes |= Overlined
	case p == 55:
		st.Attributes &^= Overlined
	case p == 59:
		st.UnderlineColour = 0
	case p >= 90 && p <= 97:
		st.Foreground = indexed | Colour(p-90+8)
	case p >= 100 && p <= 107:
		st.Background = indexed | Colour(p-100+8)
	}
}

// attribute is what SGR 1 to 9 switches on (4 aside).
func attribute(p int) Attributes {
	return [10]Attributes{0, Bold, Faint, Italic, 0, Blink, Blink, Inverse, Hidden, Struck}[p]
}

// underline applies SGR 4 at i, with its kind behind a colon, and returns how
// many parameters it took.
func (st *Style) underline(q *vt.Sequence, i int) int {
	kind, n := 1, 1
	for q.Sub(i + n) {
		kind = min(q.Param(i+n, 0), 5)
		n++
	}
	st.Attributes = st.Attributes&^underlines | Attributes(kind)*Underline
	return n
}

func (st *Style) setColour(p int, c Colour) {
	switch p {
	case 38:
		st.Foreground = c
	case 48:
		st.Background = c
	default:
		st.UnderlineColour = c
	}
}

// colour reads `38;5;n`, `38;2;r;g;b` and their forms with colons (with or without
// the colour space) at i, and returns how many parameters they take.
func colour(q *vt.Sequence, i int) (c Colour, taken int, ok bool) {
	if q.Sub(i + 1) {
		taken = 1
		for q.Sub(i + taken) {
			taken++
		}
		switch {
		case q.Param(i+1, 0) == 5 && taken >= 3:
			return indexed | Colour(q.Param(i+2, 0)&255), taken, true
		case q.Param(i+1, 0) == 2 && taken >= 5:
			return rgb(q, i+taken-3), taken, true
		}
		return 0, taken, false
	}
	switch {
	case q.Param(i+1, 0) == 5 && i+2 < q.Len():
		return indexed | Colour(q.Param(i+2, 0)&255), 3, true
	case q.Param(i+1, 0) == 2 && i+4 < q.Len():
		return rgb(q, i+2), 5, true
	}
	return 0, q.Len() - i, false
}

func rgb(q *vt.Sequence, i int) Colour {
	c := func(i int) Colour { return Colour(min(q.Param(i, 0), 255)) }
	return direct | c(i)<<16 | c(i+1)<<8 | c(i+2)
}

// penID is the number of the style that text is written with.
func (s *Screen) penID() uint16 {
	if !s.penKnown {
		s.pen = s.styleID(s.style)
		s.penKnown = true
	}
	return s.pen
}

// eraser is the number of the style that erased cells get: the background alone.
func (s *Screen) eraser() uint16 {
	if s.style.Background == 0 {
		return 0
	}
	return s.styleID(Style{Background: s.style.Background})
}
