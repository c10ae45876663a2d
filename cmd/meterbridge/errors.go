package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"meterbridge/internal/control"
	"meterbridge/internal/daemon"
	"meterbridge/internal/daemon/extensions"
)

// The exit codes of the contract.
const (
	exitOK      = 0
	exitFailed  = 1
	exitUsage   = 2
	exitNothing = 3
	// exitReached: a budget is used up.
	exitReached = 4
)

// wrongUsage is an error of the command line itself.
type wrongUsage struct {
	err  error
	hint string
}

func (e *wrongUsage) Error() string { return e.err.Error() }
func (e *wrongUsage) Unwrap() error { return e.err }

func usageError(err error, hint string) error { return &wrongUsage{err: err, hint: hint} }

func usagef(hint, format string, args ...any) error {
	return usageError(fmt.Errorf(format, args...), hint)
}

func seeHelp(cmd *cobra.Command) string { return "see `" + cmd.CommandPath() + " --help`" }

// hintArgs has every command below cmd say, with a wrong number of arguments,
// whose help tells which it takes.
func hintArgs(cmd *cobra.Command) {
	if check := cmd.Args; check != nil {
		cmd.Args = func(cmd *cobra.Command, args []string) error {
			err := check(cmd, args)
			if told := (*wrongUsage)(nil); err == nil || errors.As(err, &told) {
				return err
			}
			return usageError(err, seeHelp(cmd))
		}
	}
	for _, sub := range cmd.Commands() {
		hintArgs(sub)
	}
}

// plainFlag is a fault of a flag's value without the name of Go's function.
func plainFlag(err error) error {
	text := err.Error()
	before, rest, found := strings.Cut(text, ": strconv.Parse")
	if !found {
		return err
	}
	_, reason, found := strings.Cut(rest, `": `)
	if !found {
		return err
	}
	return errors.New(before + ": " + reason)
}

// report prints an error with its hint and returns the exit code.
func (a *app) report(err error) int {
	if errors.Is(err, context.Canceled) {
		fmt.Fprintln(a.err, "meterbridge: stopped"+a.stopped)
		return exitFailed
	}
	fmt.Fprintf(a.err, "meterbridge: %v\n", err)
	code, hint := classify(err)
	if hint != "" {
		fmt.Fprintf(a.err, "hint: %s\n", strings.ReplaceAll(hint, "\n", "\n      "))
	}
	return code
}

// noRoom reports whether a disk is full; DuckDB says so in words only.
func noRoom(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || strings.Contains(err.Error(), "No space left on device")
}

func classify(err error) (code int, hint string) {
	if noRoom(err) {
		return exitFailed, "a disk is full: make room and run it again; what was read before is kept"
	}
	var usage *wrongUsage
	if errors.As(err, &usage) {
		return exitUsage, usage.hint
	}
	var fault *daemon.Fault
	if errors.As(err, &fault) {
		if fault.Wrong {
			return exitUsage, fault.Hint
		}
		if fault.Nothing {
			return exitNothing, fault.Hint
		}
		return exitFailed, fault.Hint
	}
	var extension *extensions.Fault
	if errors.As(err, &extension) {
		return classify(&daemon.Fault{Err: err, Hint: extension.Hint, Nothing: extension.Nothing, Wrong: extension.Wrong})
	}
	if strings.HasPrefix(err.Error(), "unknown command") || strings.Contains(err.Error(), "arg(s), received") {
		return exitUsage, "see `meterbridge --help`"
	}
	return exitFailed, ""
}

// noDaemon gives the error of a question to the daemon its hint.
func noDaemon(err error) error {
	if errors.Is(err, control.ErrNoDaemon) {
		return &daemon.Fault{Err: control.ErrNoDaemon, Hint: "`meterbridge serve` starts one", Nothing: true}
	}
	return err
}
