//go:build unix && !linux

package host

import (
	"os/exec"
	"syscall"
)

// ownGroup has a command lead a process group of its own.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

func terminate(p *process) { _ = syscall.Kill(-p.pid, syscall.SIGTERM) }

// killTree kills the group; what has left it is not found on this system.
func killTree(p *process) { _ = syscall.Kill(-p.pid, syscall.SIGKILL) }

// weight is not known here.
func weight(*process) (resident int64, count int) { return 0, 0 }
