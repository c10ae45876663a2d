//go:build linux || darwin

package terminal

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// signalGroup signals a process group; one that is gone is fine.
func signalGroup(group int, sig syscall.Signal) {
	if group > 1 {
		_ = unix.Kill(-group, sig)
	}
}

// signalProcess signals a process, if it is still the one that was meant.
func signalProcess(p process, sig syscall.Signal) {
	if now, ok := processOf(p.pid); ok && now.start == p.start {
		_ = unix.Kill(p.pid, sig) // it may have ended since
	}
}
