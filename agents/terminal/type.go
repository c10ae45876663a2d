package terminal

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"time"

	"meterbridge/agents/terminal/screen"
)

// Errors of typing.
var (
	// ErrLongLine: the kernel would cut the line.
	ErrLongLine = errors.New("the line is longer than the terminal takes before Enter")
	// ErrGone: the program that was meant is not the one that runs now.
	ErrGone = errors.New("that program of the terminal has ended")
)

// enterAfter is the pause between a text and Enter: some programs take what comes
// at once for a part of the text.
const enterAfter = 200 * time.Millisecond

// Type sends a text to the program as its user would: text of several lines in
// paste brackets where the program asked for them, other text as it is. With enter
// the Enter key follows on its own. While the terminal collects whole lines, a line
// that the kernel would cut is refused with ErrLongLine.
func (t *Terminal) Type(ctx context.Context, text string, enter bool) error {
	p, err := t.running()
	if err != nil {
		return err
	}
	if lines, err := p.canonical(); err == nil && lines {
		if n := longest(text); n > longestLine() {
			return fmt.Errorf("%w: %d bytes, at most %d", ErrLongLine, n, longestLine())
		}
	}
	if err := p.write(ctx, t.typed(text)); err != nil {
		return err
	}
	if !enter {
		return nil
	}
	if err := pause(ctx, enterAfter); err != nil {
		return err
	}
	return t.WriteTo(ctx, p.generation, []byte{'\r'})
}

// typed is a text as it is sent.
func (t *Terminal) typed(text string) []byte {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !strings.ContainsAny(text, "\r\n") || !t.screen.Modes().BracketedPaste {
		return []byte(text)
	}
	return bracketed(typable(text))
}

// bracketed is a text as a paste: its line breaks are what Enter sends, and do not
// count as Enter.
func bracketed(text string) []byte {
	return []byte("\x1b[200~" + strings.ReplaceAll(text, "\n", "\r") + "\x1b[201~")
}

// longest is the length of the longest line of a text in bytes.
func longest(text string) int {
	n := 0
	for line := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == '\n' || r == '\r' }) {
		n = max(n, len(line))
	}
	return n
}

// longestLine is how much the kernel keeps of a line, without its end.
func longestLine() int {
	if runtime.GOOS == "darwin" {
		return 1023
	}
	return 4095
}

func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// WriteTo sends keys to the program of a generation and to no later one.
func (t *Terminal) WriteTo(ctx context.Context, generation int, b []byte) error {
	p, err := t.running()
	if err != nil {
		return err
	}
	if p.generation != generation {
		return fmt.Errorf("%w: generation %d runs, not %d", ErrGone, p.generation, generation)
	}
	return p.write(ctx, b)
}

// Look is what decides whether text may be sent to a program now.
type Look struct {
	screen.Snapshot
	Generation int
	// Leads: keys go to the program itself and not to one that it started.
	Leads bool
	// Lines: the terminal collects whole lines; no line editor is at work.
	Lines bool
	// KeyAt is when a person last typed in a viewer of this generation; zero when
	// nobody did.
	KeyAt time.Time
	// Viewers is the number of people's terminals that are attached.
	Viewers int
}

// Look is the screen and who listens to keys.
func (t *Terminal) Look(ctx context.Context) (Look, error) {
	var l Look
	err := t.look(ctx, func(s *screen.Screen) {
		p := t.program
		l = Look{Snapshot: s.Snapshot(), Generation: p.generation, KeyAt: t.keyAt, Viewers: len(t.viewers), Leads: p.leads()}
		l.Lines, _ = p.canonical() // a program that is just ending has no line editor
	})
	return l, err
}
