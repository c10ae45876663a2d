package terminal

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// Errors of Run.
var (
	// ErrIncomplete: the shell waits for the rest of the command.
	ErrIncomplete = errors.New("incomplete command: a quote, a bracket or a here-document is left open")
	// ErrNoPrompt: the program has no prompt that Run could use.
	ErrNoPrompt = errors.New("the terminal's program shows no prompt for commands")
	// ErrEmpty: there is nothing to run.
	ErrEmpty = errors.New("the command is empty")
)

const (
	// firstPrompt is how long a shell has to show its first prompt.
	firstPrompt = 10 * time.Second
	// promptTick is how often the terminal's mode is looked at, for what changes
	// without output.
	promptTick = 5 * time.Millisecond
	// lostAfter is the silence after which a prompt without a mark is believed.
	lostAfter = 500 * time.Millisecond
)

// Result is what a command did.
type Result struct {
	// Code is the exit code; nil after a timeout and where the shell did not tell.
	Code *int
	// Output is what the command wrote, without its echo: valid UTF-8, lines end
	// in LF, no sequences, of a line that was overwritten the last state. At most
	// MaxOutput bytes: the end; Truncated says that the beginning is missing.
	Output    string
	Truncated bool
	// TimedOut says that the command still runs; nothing was sent to it.
	TimedOut bool
	// Exited says that the shell ended; Code is then its own.
	Exited bool
	// Reason says why Code is nil.
	Reason string
	// Typed says that a person typed into the terminal meanwhile.
	Typed bool
}

// Run types one command into the shell and waits for its end, or for the timeout,
// which counts from the call on. Commands of several callers take turns.
func (t *Terminal) Run(ctx context.Context, command string, timeout time.Duration) (Result, error) {
	command = typable(command)
	if strings.TrimSpace(command) == "" {
		return Result{}, ErrEmpty
	}
	limited, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	if err := t.enter(limited); err != nil {
		return Result{}, err
	}
	defer t.leave()
	p, err := t.ready(limited)
	if err != nil {
		return Result{}, err
	}
	t.pasteable(limited, p, command)
	keys, err := t.keys(command)
	if err != nil {
		return Result{}, err
	}
	c := t.begin(p, command)
	defer t.end(c)
	if err := p.write(limited, keys); err != nil && !errors.Is(err, ErrExited) {
		return Result{}, fmt.Errorf("type a command into terminal %s: %w", t.id, err)
	}
	r, err := t.follow(limited, p, c)
	t.clear(p)
	if ctx.Err() != nil {
		return r, ctx.Err()
	}
	return r, err
}

// typable is a command without what a terminal would take for keys: controls other
// than TAB and LF. Line ends become LF.
func typable(command string) string {
	command = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(strings.ToValidUTF8(command, "\ufffd"))
	return strings.Map(func(r rune) rune {
		if r < 0x20 && r != '\t' && r != '\n' || r >= 0x7F && r < 0xA0 {
			return -1
		}
		return r
	}, command)
}

// keys are a command and Enter. Paste brackets keep a command of several lines
// one command, and a TAB a TAB.
func (t *Terminal) keys(command string) ([]byte, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.screen.Modes().BracketedPaste {
		return append(bracketed(command), '\r'), nil
	}
	if strings.Contains(command, "\n") {
		return nil, fmt.Errorf("%w of several lines: bracketed paste is off", ErrNoPrompt)
	}
	return []byte(command + "\r"), nil
}

// ready waits until the shell waits for a command: the last mark is a prompt's,
// the shell is in the foreground, and its line editor is at work. Text typed
// before that would be cut by the kernel, or go to another program.
func (t *Terminal) ready(ctx context.Context) (*program, error) {
	p, err := t.running()
	if err != nil {
		return nil, err
	}
	if p.nonce == "" {
		return nil, ErrNoPrompt
	}
	first, cancel := context.WithCancel(ctx)
	defer cancel()
	if t.unmarked() {
		first, cancel = context.WithTimeout(ctx, firstPrompt)
		defer cancel()
	}
	var since time.Time
	err = t.await(first, promptTick, func() bool { return t.program != p || t.atPrompt(p, &since) })
	if err == nil {
		return t.running()
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.marks.last == 0 {
		return nil, ErrNoPrompt
	}
	return nil, t.busy(err)
}

// pasteLimit is how long a prompt may take to ask for bracketed paste before a
// command is typed without.
const pasteLimit = 300 * time.Millisecond

// pressedLimit is how long a shell may take to see a ^C. One that it sees while it reads
// a command takes keys of that away.
const pressedLimit = 200 * time.Millisecond

// linesLimit is that for a command of several lines, which can be typed in no other
// way: a busy machine is no shell without paste brackets.
const linesLimit = 5 * time.Second

// pasteable waits until a command of several lines can be typed.
func (t *Terminal) pasteable(ctx context.Context, p *program, command string) {
	if !strings.Contains(command, "\n") {
		return
	}
	limited, cancel := context.WithTimeout(ctx, linesLimit)
	defer cancel()
	// What it does not come to is refused.
	_ = t.await(limited, promptTick, func() bool { return t.program != p || t.screen.Modes().BracketedPaste })
}

// atPrompt says that the shell waits for a command; since is when it began to. A ^C
// that comes while a shell makes its prompt takes the mark away with it: then the line
// editor at work, for a while, is believed.
func (t *Terminal) atPrompt(p *program, since *time.Time) bool {
	marked := t.marks.prompt()
	if !marked && !t.marks.between() || time.Since(t.marks.pressed) < pressedLimit || !p.editing() {
		*since = time.Time{}
		return false
	}
	if since.IsZero() {
		*since = time.Now()
	}
	waited := time.Since(*since)
	if !marked {
		return waited > lostAfter
	}
	return t.screen.Modes().BracketedPaste || waited > pasteLimit
}

// unmarked says that no mark has come yet.
func (t *Terminal) unmarked() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.marks.last == 0
}

// editing says that the shell itself reads keys one by one.
func (p *program) editing() bool {
	if !p.leads() {
		return false
	}
	lines, err := p.canonical()
	return err == nil && !lines
}

// begin collects output from here on.
func (t *Terminal) begin(p *program, command string) *capture {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.turns.command = shorten(command)
	t.marks.last = typedMark
	fish := p.shell == Fish
	t.capture = &capture{nonce: p.nonce, keeps: fish, collecting: fish}
	return t.capture
}

func shorten(command string) string {
	if r := []rune(command); len(r) > 60 {
		return string(r[:60]) + "…"
	}
	return command
}

func (t *Terminal) end(c *capture) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.capture == c {
		t.capture = nil
	}
}

// follow waits for the end of the command.
func (t *Terminal) follow(ctx context.Context, p *program, c *capture) (Result, error) {
	var lost silence
	err := t.await(ctx, promptTick*4, func() bool {
		return c.done || t.program != p || lost.after(c, p)
	})
	t.mu.Lock()
	defer t.mu.Unlock()
	r := Result{Code: c.code, Typed: c.typed}
	if c.started || c.refused || !c.keeps {
		r.Output, r.Truncated = c.out.result()
	}
	switch {
	case c.incomplete, !c.done && err == nil && c.waiting():
		t.marks.last = unwanted
		return Result{}, ErrIncomplete
	case c.refused:
		t.marks.last = unwanted
		r.Output = complaint(r.Output)
	case c.done:
		if r.Code == nil {
			r.Reason = "the shell did not take the command for one"
		}
	case t.program != p:
		r.Exited = true
		r.Code, r.Reason = p.ending()
	case err != nil:
		r.TimedOut, r.Reason = true, "it still runs"
	default:
		r.Reason = "the shell's prompt came without its mark"
		r.Output = r.Output[:max(0, len(r.Output)-int(c.out.length()-c.before))]
		t.remark(p)
	}
	return r, nil
}

// ending is the exit code of a program that is gone.
func (p *program) ending() (*int, string) {
	if p.signal != "" {
		return nil, "ended by " + p.signal
	}
	code := p.code
	return &code, ""
}

// unwanted is the state of marks while the shell's line editor holds a command
// that is to be given up.
const unwanted = 0x81

const (
	clearEvery = 200 * time.Millisecond
	clearLimit = 3 * time.Second
)

// clear empties the line editor with ^C, again and again until a prompt comes: at
// a moment when the shell is not listening it would be lost.
func (t *Terminal) clear(p *program) {
	ctx, cancel := context.WithTimeout(context.Background(), clearLimit)
	defer cancel()
	var last time.Time
	_ = t.await(ctx, promptTick, func() bool {
		if t.program != p || t.marks.last != unwanted {
			return true
		}
		if p.editing() && time.Since(last) > clearEvery {
			last = time.Now()
			t.marks.pressed = last
			p.reply([]byte{3})
		}
		return false
	})
}

// complaint is what fish says of a command that it does not understand, without
// the echo before it.
func complaint(text string) string {
	if i := strings.Index("\n"+text, "\nfish: "); i >= 0 {
		return text[i:]
	}
	return text
}

// remark makes a shell whose user has taken our marks out of it mark its prompts
// again.
func (t *Terminal) remark(p *program) {
	t.marks.last = typedMark
	p.reply([]byte(" __meterbridge_marks\r"))
}

// silence finds a prompt without a mark: the line editor is at work, the shell in
// the foreground, and nothing has come for a while.
type silence struct {
	since time.Time
	total int64
}

func (s *silence) after(c *capture, p *program) bool {
	if !c.back && !c.waiting() || !p.editing() {
		s.since = time.Time{}
		return false
	}
	if n := c.bytes; s.since.IsZero() || n != s.total {
		s.since, s.total = time.Now(), n
		return false
	}
	if c.waiting() {
		return time.Since(s.since) >= 2*lostAfter
	}
	return time.Since(s.since) >= lostAfter
}
