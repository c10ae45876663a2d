package terminal

import (
	"context"
	"fmt"
	"time"
	"unicode/utf8"
)

// Use is one run or write of a caller who is no person.
type Use struct {
	Terminal   string
	Generation int
	Caller     Caller
	Verb       Verb
	// At is when it was asked for, Took how long it took.
	At   time.Time
	Took time.Duration
	// Text is the beginning of the command or text, at most 200 characters.
	Text string
	// Code is the exit code of a run, nil when there is none; Reason says why.
	Code   *int
	Reason string
	// Bytes is the size of a run's output, or of a written text.
	Bytes int
	// Truncated, TimedOut and Typed are those of the Result.
	Truncated, TimedOut, Typed bool
	// Fault is why it was not done; "" when it was.
	Fault string
}

// The bounds of a use.
const (
	// MaxText is how long a command or text may be, in characters.
	MaxText = 20_000
	// ShortestRun and LongestRun are the least and the most time of a run.
	ShortestRun = time.Second
	LongestRun  = 120 * time.Second
	// DefaultRun is the time of a run that names none.
	DefaultRun = LongestRun
	// shownText is how much of a text is recorded, in characters.
	shownText = 200
)

// Run runs a command in a shell for a caller: see Terminal.Run. A timeout of 0 is
// DefaultRun.
func (r *Rack) Run(ctx context.Context, c Caller, id, command string, timeout time.Duration) (Result, error) {
	if timeout == 0 {
		timeout = DefaultRun
	}
	if timeout < ShortestRun || timeout > LongestRun {
		return Result{}, fmt.Errorf("%w: a timeout of %v, allowed are %v to %v", ErrInvalid, timeout, ShortestRun, LongestRun)
	}
	t, use, err := r.begin(c, id, VerbRun, command)
	if err != nil {
		return Result{}, err
	}
	result, err := t.Run(ctx, command, timeout)
	use.Code, use.Reason, use.Bytes = result.Code, result.Reason, len(result.Output)
	use.Truncated, use.TimedOut, use.Typed = result.Truncated, result.TimedOut, result.Typed
	r.record(use, err)
	return result, err
}

// Write types a text for a caller: see Terminal.Type.
func (r *Rack) Write(ctx context.Context, c Caller, id, text string, enter bool) error {
	t, use, err := r.begin(c, id, VerbWrite, text)
	if err != nil {
		return err
	}
	err = t.Type(ctx, text, enter)
	if err == nil {
		use.Bytes = len(text)
	}
	r.record(use, err)
	return err
}

// begin checks a use, in the order of the refusals: parameters, terminal, rate.
func (r *Rack) begin(c Caller, id string, v Verb, text string) (*Terminal, Use, error) {
	if n := utf8.RuneCountInString(text); n == 0 || n > MaxText {
		return nil, Use{}, fmt.Errorf("%w: a text of %d characters, allowed are 1 to %d", ErrInvalid, n, MaxText)
	}
	t, err := r.Terminal(id)
	if err != nil {
		return nil, Use{}, err
	}
	now := time.Now()
	if err := r.rates.take(c, v, now); err != nil {
		return nil, Use{}, err
	}
	if runes := []rune(text); len(runes) > shownText {
		text = string(runes[:shownText])
	}
	return t, Use{Terminal: id, Generation: t.State().Generation, Caller: c, Verb: v, At: now, Text: text}, nil
}

func (r *Rack) record(u Use, err error) {
	if r.opts.Record == nil || u.Caller.person() {
		return
	}
	u.Took = time.Since(u.At)
	if err != nil {
		u.Fault = err.Error()
	}
	r.opts.Record(u)
}
