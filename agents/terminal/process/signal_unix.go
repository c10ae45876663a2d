//go:build linux || darwin

package process

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// SignalGroup signals a process group; one that is gone is fine.
func SignalGroup(group int, sig syscall.Signal) {
	if group > 1 {
		_ = unix.Kill(-group, sig)
	}
}

// Signal signals a process, if it is still the one that was meant.
func Signal(p Process, sig syscall.Signal) {
	if Alive(p) {
		_ = unix.Kill(p.PID, sig) // it may have ended since
	}
}
