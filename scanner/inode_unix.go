//go:build unix

package scanner

import (
	"io/fs"
	"syscall"
)

// deviceInode identifies a file beyond its path; 0, 0 where the system cannot.
func deviceInode(info fs.FileInfo) (device, inode uint64) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, 0
	}
	return uint64(st.Dev), uint64(st.Ino) //nolint:unconvert // the widths differ by system
}
