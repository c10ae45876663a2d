package scanner

import (
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// machineLimits reads what inotify allows each user.
func machineLimits() Limits {
	return Limits{
		MaxWatches: kernelNumber("max_user_watches"), MaxInstances: kernelNumber("max_user_instances"), MaxQueued: kernelNumber("max_queued_events"),
	}
}

func kernelNumber(name string) int {
	text, err := os.ReadFile("/proc/sys/fs/inotify/" + name)
	if err != nil {
		return 0
	}
	n, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		return 0
	}
	return n
}

// defaultWatches is half of what the user may have: other programs watch too.
func defaultWatches(l Limits) int {
	if l.MaxWatches == 0 {
		return 4096
	}
	return l.MaxWatches / 2
}

// watchCost is what it costs to watch a folder, of the limit.
func watchCost(int) int { return 1 }

// remote reports whether a path lies on a file system that others write to
// without this machine's kernel seeing it.
func remote(path string) bool {
	var st unix.Statfs_t
	if err := unix.Statfs(path, &st); err != nil {
		return false
	}
	switch uint32(st.Type) { //nolint:unconvert // the width differs by system
	case unix.NFS_SUPER_MAGIC, unix.SMB_SUPER_MAGIC, unix.SMB2_SUPER_MAGIC, unix.CIFS_SUPER_MAGIC, unix.V9FS_MAGIC,
		unix.FUSE_SUPER_MAGIC, unix.AFS_SUPER_MAGIC, unix.AFS_FS_MAGIC, unix.CODA_SUPER_MAGIC, unix.CEPH_SUPER_MAGIC, unix.NCP_SUPER_MAGIC:
		return true
	}
	return false
}
