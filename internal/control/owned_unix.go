//go:build unix

package control

import (
	"fmt"
	"os"
	"syscall"
)

// owned makes sure that the folder of the socket is ours and closed to others: in
// a temporary folder somebody else may have made it first.
func owned(dir string) error {
	info, err := os.Lstat(dir)
	if err != nil {
		return fmt.Errorf("look at the folder of the socket: %w", err)
	}
	s, ok := info.Sys().(*syscall.Stat_t)
	if !info.IsDir() || (ok && int(s.Uid) != os.Getuid()) {
		return fmt.Errorf("the folder of the socket, %s, belongs to somebody else", dir)
	}
	if info.Mode().Perm()&0o077 == 0 {
		return nil
	}
	if err := os.Chmod(dir, 0o700); err != nil {
		return fmt.Errorf("close the folder of the socket to others: %w", err)
	}
	return nil
}
