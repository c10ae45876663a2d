package scanner

import "golang.org/x/sys/unix"

// machineLimits are not told by kqueue.
func machineLimits() Limits { return Limits{} }

// defaultWatches is a quarter of the files that may be open: kqueue holds one
// for each entry of a folder that is watched.
func defaultWatches(Limits) int {
	var r unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &r); err != nil || r.Cur > 1<<16 {
		return 1 << 14
	}
	return int(r.Cur / 4)
}

// watchCost is what it costs to watch a folder, of the limit.
func watchCost(entries int) int { return 1 + entries }

// remote reports whether a path lies on another machine's disk.
func remote(path string) bool {
	var st unix.Statfs_t
	return unix.Statfs(path, &st) == nil && st.Flags&unix.MNT_LOCAL == 0
}
