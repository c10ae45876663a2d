package daemon

import (
	"errors"
	"fmt"
	"strings"
	"syscall"

	"meterbridge/analytics"
	"meterbridge/internal/config"
)

// Fault is an error that a person can do something about.
type Fault struct {
	Err error
	// Hint says what to do; only commands print it.
	Hint string
	// Nothing: there is no such thing, rather than something wrong (exit code 3).
	Nothing bool
	// Wrong: what was asked for cannot be (exit code 2).
	Wrong bool
}

func (f *Fault) Error() string { return f.Err.Error() }
func (f *Fault) Unwrap() error { return f.Err }

func settingsFault(err error) error {
	var wrong *config.Error
	if errors.As(err, &wrong) {
		return &Fault{Err: fmt.Errorf("settings: %w", err), Hint: wrong.Hint}
	}
	f := &Fault{Err: fmt.Errorf("settings: %w", err)}
	if errors.Is(err, syscall.ENOTDIR) {
		f.Hint = "METERBRIDGE_HOME (or the folder of settings) names a file: it must be a folder, which is made when it is not there"
	}
	return f
}

func ledgerFault(err error) error {
	switch {
	case errors.Is(err, analytics.ErrBusy):
		return &Fault{Err: err, Hint: "wait for the other program, or end it"}
	case errors.Is(err, analytics.ErrNewer):
		return &Fault{Err: err, Hint: "install the newer version of meterbridge, or point METERBRIDGE_HOME at another folder"}
	case strings.Contains(err.Error(), "not a valid DuckDB database file"):
		return &Fault{Err: err, Hint: "the file is damaged or is no ledger: move it away, and the next scan makes a new one from the logs"}
	}
	return &Fault{Err: err, Hint: "the ledger lies in the data folder; METERBRIDGE_HOME names another one"}
}

// answerFault gives a question's error its hint and says whether there is
// nothing of that name.
func answerFault(err error) error {
	if err == nil {
		return nil
	}
	f := &Fault{Err: err, Nothing: errors.Is(err, analytics.ErrUnknown)}
	f.Wrong = errors.Is(err, analytics.ErrView) || errors.Is(err, analytics.ErrEmpty) || errors.Is(err, analytics.ErrQuery)
	if f.Nothing {
		f.Hint = "`meterbridge sessions` lists the sessions"
	}
	var hinted *analytics.HintError
	if errors.As(err, &hinted) {
		f.Hint = hinted.Hint
	}
	return f
}
