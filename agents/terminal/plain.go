package terminal

import (
	"unicode/utf8"

	"meterbridge/agents/terminal/vt"
)

// plain turns output into text as it comes: interfaces that draw skip blank cells
// instead of writing them, so a move along a row is one space.
type plain struct {
	out []byte
	// cr says that a CR waits for what follows: with an LF it is a line break.
	cr bool
}

// Text implements vt.Handler.
func (p *plain) Text(b []byte) {
	p.settle()
	p.out = appendValid(p.out, b)
}

// Control implements vt.Handler.
func (p *plain) Control(c byte) {
	switch c {
	case '\n':
		p.cr = false
		p.out = append(p.out, '\n')
	case '\r':
		p.settle()
		p.cr = true
	case '\t':
		p.settle()
		p.out = append(p.out, '\t')
	}
}

// settle writes a CR that no LF followed.
func (p *plain) settle() {
	if p.cr {
		p.cr = false
		p.out = append(p.out, '\r')
	}
}

// Sequence implements vt.Handler.
func (p *plain) Sequence(q *vt.Sequence) {
	if !q.CSI || q.Prefix != 0 || q.Intermediate != 0 {
		return
	}
	switch q.Final {
	case 'C', 'G', 'H', 'f', '`', 'a':
		p.settle()
		p.out = append(p.out, ' ')
	}
}

// String implements vt.Handler.
func (p *plain) String(byte, []byte) {}

// appendValid adds text; a byte that is no UTF-8 becomes U+FFFD.
func appendValid(out, b []byte) []byte {
	start := 0
	for i := 0; i < len(b); {
		r, n := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && n == 1 {
			out = append(out, b[start:i]...)
			out = append(out, "\ufffd"...)
			start = i + 1
		}
		i += n
	}
	return append(out, b[start:]...)
}
