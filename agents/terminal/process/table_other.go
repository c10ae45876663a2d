//go:build !linux && !darwin

package process

import (
	"errors"
	"syscall"
)

// errNoTable: the process table of this system is not read yet.
var errNoTable = errors.New("processes of this system are not listed yet")

// List is the process table.
func List() ([]Process, error) { return nil, errNoTable }

// Of is the row of a process.
func Of(int) (Process, bool) { return Process{}, false }

// Environ is the environment that a process was started with.
func Environ(int) []string { return nil }

// SignalGroup signals a process group.
func SignalGroup(int, syscall.Signal) {}

// Signal signals a process.
func Signal(Process, syscall.Signal) {}

// Arguments is the command line of a process; nil where the system does not tell.
func Arguments(int) []string { return nil }

// Name is the name of a process's program.
func Name(int) string { return "" }
