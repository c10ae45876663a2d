//go:build !linux && !darwin && !windows

package line

import (
	"errors"
	"os"
	"os/exec"
)

// ErrNoTerminals: the system's terminals are not supported.
var ErrNoTerminals = errors.New("terminals are not supported on this system")

func startInTerminal(*exec.Cmd, int, int) (*os.File, string, error) {
	return nil, "", ErrNoTerminals
}

func setSize(*os.File, int, int) error                     { return ErrNoTerminals }
func foreground(*os.File) (int, error)                     { return 0, ErrNoTerminals }
func canonical(*os.File) (bool, error)                     { return false, ErrNoTerminals }
func exitOf(state *os.ProcessState, _ error) (int, string) { return state.ExitCode(), "" }

// Collects says of a terminal of another process whether it collects whole lines.
func Collects(string) (bool, error) { return false, ErrNoTerminals }

// ResizeDevice sets the size of a terminal of another process.
func ResizeDevice(string, int, int) error { return ErrNoTerminals }

func sizeOf(*os.File) (cols, rows int) { return 0, 0 }

func readMore(*os.File, []byte) int { return 0 }
