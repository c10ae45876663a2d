//go:build !linux && !darwin

package hold

import (
	"os"
	"os/exec"
)

func detach(*exec.Cmd) {}

func hangups() []os.Signal { return nil }

func umask(int) {}
