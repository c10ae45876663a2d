package terminal

import (
	"bytes"
	"strconv"

	"meterbridge/agents/terminal/vt"
)

// capture collects the output of one command out of the stream of its terminal:
// what lies between the first C mark and the D mark, without what was drawn on
// the alternate screen. A command that the shell refuses has no C: its output is
// what follows the line editor's goodbye (the end of bracketed paste).
type capture struct {
	nonce string
	// keeps says that the shell (fish) keeps a command that it refuses in its
	// editor, with an error above it, and that one whose rest is missing gets no mark.
	keeps bool
	parse vt.Parser
	out   overwritten

	started    bool // the C mark came
	collecting bool
	alternate  bool
	left       bool // the line editor has taken the command

	done       bool
	code       *int
	incomplete bool
	refused    bool
	// back says that a line editor is at work again, without a D mark.
	back bool
	// before is the length of the text when it came back.
	before int64
	// bytes counts what came, of any kind.
	bytes int64
	// typed says that a person typed meanwhile.
	typed bool
}

func (c *capture) write(b []byte) {
	c.bytes += int64(len(b))
	if !c.done {
		c.parse.Feed(b, c)
	}
}

// Text implements vt.Handler.
func (c *capture) Text(b []byte) {
	if c.takes() {
		c.out.text(b)
	}
}

// Control implements vt.Handler.
func (c *capture) Control(b byte) {
	if c.takes() {
		c.out.control(b)
	}
}

// takes says that what comes now is output of the command.
func (c *capture) takes() bool { return c.collecting && !c.alternate && !c.done }

// Sequence implements vt.Handler.
func (c *capture) Sequence(q *vt.Sequence) {
	switch {
	case !q.CSI || q.Intermediate != 0:
	case q.Prefix == '?' && (q.Final == 'h' || q.Final == 'l'):
		for i := range q.Len() {
			c.mode(q.Param(i, 0), q.Final == 'h')
		}
	case q.Prefix == 0 && c.takes():
		c.out.move(q)
	}
}

func (c *capture) mode(mode int, on bool) {
	switch mode {
	case 47, 1047, 1049:
		c.alternate = on
	case 2004:
		c.editor(on)
	}
}

// editor says that the shell's line editor begins or ends its work.
func (c *capture) editor(on bool) {
	c.back = on && c.left
	c.before = c.out.length()
	if !on {
		c.left = true
		c.collecting = true
	}
}

// String implements vt.Handler.
func (c *capture) String(kind byte, data []byte) {
	number, rest, _ := bytes.Cut(data, []byte{';'})
	if kind != ']' || string(number) != "133" || c.done {
		return
	}
	switch m := markOf(string(rest), c.nonce); m.letter {
	case 'C':
		if !c.started {
			c.out = overwritten{}
		}
		c.started, c.collecting = true, true
	case 'D':
		c.done, c.refused = true, c.keeps && !c.started
		if n, err := strconv.Atoi(m.status); err == nil {
			c.code = &n
		}
	case '2':
		c.done, c.incomplete = true, true
	case 'A':
		// A prompt without a D: the shell did not take the command for one.
		c.done = true
	}
}

// waiting says that the shell has echoed the command and nothing else: if that
// lasts, it waits for the rest.
func (c *capture) waiting() bool { return c.keeps && !c.started && !c.done && c.bytes > 0 }
