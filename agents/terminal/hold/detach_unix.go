//go:build linux || darwin

package hold

import (
	"os"
	"os/exec"
	"syscall"
)

// detach gives a holder a session of its own, so that no signal to the daemon's
// terminal or group reaches it.
func detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

// hangups are the signals that a holder outlives.
func hangups() []os.Signal { return []os.Signal{syscall.SIGHUP} }

// umask sets what this process, which makes no files of its own any more, hands to its
// program.
func umask(mask int) { syscall.Umask(mask) }
