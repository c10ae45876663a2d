package terminal

import (
	"strings"
	"time"
)

// typedMark is the state of marks behind a command that was typed, until the shell says
// something: it is not at a prompt.
const typedMark = 0x80

// marks are what a shell's integration has said of its prompts. Marks without the
// nonce of this generation are a program's own and say nothing.
type marks struct {
	nonce string
	// last is the letter of the last mark: A and B at a prompt, C while a command
	// runs, D behind it, and 2 at a prompt for the rest of a command.
	last byte
	// broken says that ^C was sent and no mark has come since.
	broken bool
	// pressed is when ^C was sent last.
	pressed time.Time
}

func (m *marks) take(text string) {
	if k := markOf(text, m.nonce); k.letter != 0 {
		m.last, m.broken = k.letter, false
	}
}

// prompt says that the shell waits for a command.
func (m *marks) prompt() bool { return m.last == 'A' || m.last == 'B' }

// between says that a command has ended, or was broken off, and that no prompt has come.
func (m *marks) between() bool { return m.last == 'D' || m.broken && m.last != 0 }

// mark is one prompt mark: its letter, and the status behind a D.
type mark struct {
	letter byte
	status string
}

// markOf reads the text of an OSC 133; a mark that is not ours has no letter.
func markOf(text, nonce string) mark {
	parts := strings.Split(text, ";")
	if nonce == "" || len(parts[0]) != 1 || parts[len(parts)-1] != "aid="+nonce {
		return mark{}
	}
	m := mark{letter: parts[0][0]}
	switch {
	case m.letter == 'A' && len(parts) > 2 && parts[1] == "k=s":
		m.letter = '2'
	case m.letter == 'D' && len(parts) > 2:
		m.status = parts[1]
	}
	return m
}
