package screen

import "fmt"

// appendSGR adds the sequence that switches to a style, from whatever is in force.
func (s *Screen) appendSGR(b []byte, id uint16) []byte {
	st := s.styles.value(uint32(id))
	b = append(b, "\x1b[0"...)
	for i, p := range []int{1, 2, 3, 5, 7, 8, 9, 53} {
		if st.Attributes&(1<<i) != 0 {
			b = fmt.Appendf(b, ";%d", p)
		}
	}
	if u := st.Attributes & underlines / Underline; u > 0 {
		b = fmt.Appendf(b, ";4:%d", u)
	}
	b = st.Foreground.appendTo(b, 38)
	b = st.Background.appendTo(b, 48)
	b = st.UnderlineColour.appendTo(b, 58)
	return append(b, 'm')
}

func (c Colour) appendTo(b []byte, what int) []byte {
	switch c &^ 0xFFFFFF {
	case indexed:
		return fmt.Appendf(b, ";%d:5:%d", what, c&0xFF)
	case direct:
		return fmt.Appendf(b, ";%d:2::%d:%d:%d", what, c>>16&0xFF, c>>8&0xFF, c&0xFF)
	}
	return b
}
