package walk

// skipLiteral moves behind a number, true, false or null. It stops where the
// grammar of the value ends: whatever stands behind it must be a separator, and
// whoever reads on finds out.
func (c *Cursor) skipLiteral() {
	switch b := c.b[c.i]; b {
	case 't':
		c.word("true")
	case 'f':
		c.word("false")
	case 'n':
		c.word("null")
	default:
		end := numberEnd(c.b, c.i)
		if end < 0 {
			c.fail()
			return
		}
		c.i = end
	}
}

func (c *Cursor) word(w string) {
	end := c.i + len(w)
	if end > len(c.b) || string(c.b[c.i:end]) != w {
		c.fail()
		return
	}
	c.i = end
}

// numberEnd is the place behind the number that begins at b[i] by JSON's
// grammar, -1 when none does.
func numberEnd(b []byte, i int) int {
	if i < len(b) && b[i] == '-' {
		i++
	}
	if i < len(b) && b[i] == '0' {
		i++
	} else if i = digitsEnd(b, i); i < 0 {
		return -1
	}
	if i < len(b) && b[i] == '.' {
		if i = digitsEnd(b, i+1); i < 0 {
			return -1
		}
	}
	if i < len(b) && (b[i] == 'e' || b[i] == 'E') {
		i++
		if i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		if i = digitsEnd(b, i); i < 0 {
			return -1
		}
	}
	return i
}

// digitsEnd is the place behind one digit or more, -1 when there is none.
func digitsEnd(b []byte, i int) int {
	start := i
	for i < len(b) && b[i]-'0' <= 9 {
		i++
	}
	if i == start {
		return -1
	}
	return i
}

// number reports whether b is a number and nothing else.
func number(b []byte) bool { return numberEnd(b, 0) == len(b) }
