// Package vt splits what a program writes to a terminal into text, controls and
// control sequences. It knows no screen and keeps no state but the unfinished
// sequence, whose size is bounded, so any split of a stream gives the same parts.
//
// It imports the standard library only. The screen emulator, the plain text of
// live output and the capture of one command's output (all below agents/terminal)
// are its handlers.
package vt

import (
	"slices"
	"unicode/utf8"
)

// MaxString is the longest OSC, DCS or APC that is delivered, in bytes. A longer
// one is discarded to its end.
const MaxString = 64 << 10

// Handler receives the parts of a stream in order. What it is handed is valid
// during the call only.
type Handler interface {
	// Text gets printable bytes. A UTF-8 sequence is never split between two
	// calls; bytes that are no UTF-8 are passed on as they are.
	Text(b []byte)
	// Control gets one C0 control (DEL is dropped).
	Control(c byte)
	// Sequence gets a finished CSI or escape sequence.
	Sequence(s *Sequence)
	// String gets the contents of an OSC (']'), DCS ('P'), APC ('_'), PM ('^')
	// or SOS ('X') of at most MaxString bytes.
	String(kind byte, data []byte)
}

type state uint8

const (
	ground state = iota
	escape
	escapeIntermediate
	csiParameter
	csiIgnore
	inString
	inStringEscape
)

// Parser is the state between two chunks of one stream. The zero value stands at
// its start. It is for one goroutine.
type Parser struct {
	state state
	seq   Sequence

	kind      byte
	str       []byte
	discarded bool

	// tail is the beginning of a UTF-8 sequence whose end has not come yet.
	tail [utf8.UTFMax]byte
	held int
}

// Idle says that nothing is unfinished: what comes next stands for itself.
func (p *Parser) Idle() bool { return p.state == ground && p.held == 0 }

// Clone is a parser in the same state that shares nothing with this one.
func (p *Parser) Clone() Parser {
	c := *p
	c.str = slices.Clone(p.str)
	return c
}

// Feed hands the parts of the next chunk of the stream to h.
func (p *Parser) Feed(b []byte, h Handler) {
	for len(b) > 0 {
		switch p.state {
		case ground:
			b = p.text(b, h)
		case inString:
			b = p.string(b, h)
		default:
			p.step(b[0], h)
			b = b[1:]
		}
	}
}

// text consumes a run of text, or one control.
func (p *Parser) text(b []byte, h Handler) []byte {
	if p.held > 0 {
		return p.complete(b, h)
	}
	n := printable(b)
	run := b[:n]
	if n == len(b) {
		run = run[:n-unfinished(run)]
		p.held = copy(p.tail[:], b[len(run):])
	}
	if len(run) > 0 {
		h.Text(run)
	}
	if n < len(b) {
		p.control(b[n], h)
		n++
	}
	return b[n:]
}

// complete adds to the held beginning of a UTF-8 sequence what belongs to it.
func (p *Parser) complete(b []byte, h Handler) []byte {
	n := 0
	for n < len(b) && b[n]&0xC0 == 0x80 && !utf8.FullRune(p.tail[:p.held]) {
		p.tail[p.held] = b[n]
		p.held++
		n++
	}
	if n == len(b) && !utf8.FullRune(p.tail[:p.held]) {
		return nil
	}
	held := p.held
	p.held = 0
	h.Text(p.tail[:held])
	return b[n:]
}

// printable is the length of the text that b begins with.
func printable(b []byte) int {
	for i, c := range b {
		if c < 0x20 || c == 0x7F {
			return i
		}
	}
	return len(b)
}

// unfinished is the number of bytes at the end of b that begin a UTF-8 sequence.
func unfinished(b []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(b); n++ {
		c := b[len(b)-n]
		if utf8.RuneStart(c) {
			if c >= utf8.RuneSelf && !utf8.FullRune(b[len(b)-n:]) {
				return n
			}
			return 0
		}
	}
	return 0
}

// control takes a byte below 0x20, or DEL, outside a string.
func (p *Parser) control(c byte, h Handler) {
	switch c {
	case 0x1B:
		p.state = escape
		p.seq.reset()
	case 0x18, 0x1A: // CAN, SUB
		p.state = ground
	case 0x7F:
	default:
		h.Control(c)
	}
}

// string consumes the contents of a string up to its end, or to an ESC.
func (p *Parser) string(b []byte, h Handler) []byte {
	n := 0
	for n < len(b) && !endsString(b[n]) {
		n++
	}
	if n == len(b) {
		p.collect(b)
		return nil
	}
	p.collect(b[:n])
	switch b[n] {
	case 0x1B:
		p.state = inStringEscape
	case 0x07:
		if p.kind == ']' {
			p.deliver(h)
		} else {
			p.collect(b[n : n+1])
		}
	default: // CAN, SUB
		p.drop()
	}
	return b[n+1:]
}

func endsString(c byte) bool { return c == 0x1B || c == 0x07 || c == 0x18 || c == 0x1A }

func (p *Parser) collect(b []byte) {
	if p.discarded || len(p.str)+len(b) > MaxString {
		p.discarded, p.str = true, p.str[:0]
		return
	}
	p.str = append(p.str, b...)
}

// deliver ends a string whose end has come.
func (p *Parser) deliver(h Handler) {
	if !p.discarded {
		h.String(p.kind, p.str)
	}
	p.drop()
}

// drop ends a string, and lets go of a buffer that has become large.
func (p *Parser) drop() {
	p.state, p.discarded, p.str = ground, false, p.str[:0]
	if cap(p.str) > 4<<10 {
		p.str = nil
	}
}

// step takes one byte inside a sequence.
func (p *Parser) step(c byte, h Handler) {
	if p.state == inStringEscape {
		if c == '\\' {
			p.deliver(h)
			return
		}
		// An ESC that does not end the string aborts it and begins anew.
		p.drop()
		p.state = escape
		p.seq.reset()
	}
	if c < 0x20 || c == 0x7F {
		p.control(c, h)
		return
	}
	switch p.state {
	case escape:
		p.afterEscape(c, h)
	case escapeIntermediate:
		p.intermediate(c, h)
	default:
		p.csi(c, h)
	}
}

func (p *Parser) afterEscape(c byte, h Handler) {
	switch c {
	case '[':
		p.state = csiParameter
		p.seq.CSI = true
	case ']', 'P', '_', '^', 'X':
		p.state, p.kind = inString, c
	default:
		p.intermediate(c, h)
	}
}

func (p *Parser) intermediate(c byte, h Handler) {
	switch {
	case c < 0x30:
		p.state = escapeIntermediate
		p.seq.intermediate(c)
	case c < 0x7F:
		p.finish(c, h)
	default:
		p.state = ground
	}
}

func (p *Parser) csi(c byte, h Handler) {
	switch {
	case c >= 0x80:
		p.state = csiIgnore
	case c >= 0x40:
		if p.state == csiIgnore {
			p.state = ground
			return
		}
		p.finish(c, h)
	case p.state == csiIgnore:
	case !p.seq.parameter(c):
		p.state = csiIgnore
	}
}

func (p *Parser) finish(c byte, h Handler) {
	p.seq.Final = c
	p.state = ground
	h.Sequence(&p.seq)
}
