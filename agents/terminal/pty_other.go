//go:build !linux && !darwin

package terminal

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
)

// errNoTerminals: the system's terminals are not supported yet. On Windows they
// are to be ConPTYs, which repaint and wrap what a program wrote: no exact output.
var errNoTerminals = errors.New("terminals are not supported on this system yet")

func startInTerminal(*exec.Cmd, int, int) (*os.File, error) { return nil, errNoTerminals }
func setSize(*os.File, int, int) error                      { return errNoTerminals }
func foreground(*os.File) (int, error)                      { return 0, errNoTerminals }
func canonical(*os.File) (bool, error)                      { return false, errNoTerminals }
func exitOf(state *os.ProcessState, _ error) (int, string)  { return state.ExitCode(), "" }
func isHangup(error) bool                                   { return false }
func signalGroup(int, syscall.Signal)                       {}
func signalProcess(process, syscall.Signal)                 {}
func processes() ([]process, error)                         { return nil, errNoTerminals }
func environOf(int) []string                                { return nil }
