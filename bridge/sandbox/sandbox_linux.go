package sandbox

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Level is the version of Landlock that the kernel has, 0 for none.
func Level() int {
	abi, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return 0
	}
	return int(abi)
}

// become limits and fences this process and replaces it by the program.
func become(p Policy, argv []string) error {
	runtime.LockOSThread() // the fence is the thread's
	if err := limit(p); err != nil {
		return err
	}
	unix.Umask(0o077)
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("give up privileges: %w", err)
	}
	if err := fence(p, Level()); err != nil {
		return err
	}
	if err := syscall.Exec(argv[0], argv, os.Environ()); err != nil {
		return fmt.Errorf("start %s: %w", argv[0], err)
	}
	return nil
}

func limit(p Policy) error {
	for _, l := range []struct {
		what  int
		most  uint64
		unset bool
	}{
		{unix.RLIMIT_NOFILE, p.Files, p.Files == 0},
		{unix.RLIMIT_CPU, p.CPUSeconds, p.CPUSeconds == 0},
		{unix.RLIMIT_CORE, 0, false},
	} {
		if l.unset {
			continue
		}
		if err := syscall.Setrlimit(l.what, &syscall.Rlimit{Cur: l.most, Max: l.most}); err != nil {
			return fmt.Errorf("set a limit: %w", err)
		}
	}
	return nil
}

// fence is the Landlock ruleset of a policy; without Landlock there is none.
func fence(p Policy, level int) error {
	if level == 0 {
		return nil
	}
	attr := unix.LandlockRulesetAttr{Handled_access_fs: handled(level)}
	if level >= 4 && !p.Connect {
		attr.Handled_access_net = unix.LANDLOCK_ACCESS_NET_CONNECT_TCP
	}
	if level >= 6 {
		attr.Scoped = unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET | unix.LANDLOCK_SCOPE_SIGNAL
	}
	fd, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), attrSize(level), 0)
	if errno != 0 {
		return fmt.Errorf("make the fence: %w", errno)
	}
	defer unix.Close(int(fd))
	for _, path := range p.Read {
		if err := allow(int(fd), path, readAccess, attr.Handled_access_fs); err != nil {
			return err
		}
	}
	for _, path := range p.Write {
		if err := allow(int(fd), path, attr.Handled_access_fs, attr.Handled_access_fs); err != nil {
			return err
		}
	}
	if _, _, errno := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, fd, 0, 0); errno != 0 {
		return fmt.Errorf("take the fence: %w", errno)
	}
	return nil
}

// attrSize is the size of the ruleset's attributes that a kernel of that level knows.
func attrSize(level int) uintptr {
	switch {
	case level >= 6:
		return 24
	case level >= 4:
		return 16
	}
	return 8
}

const readAccess = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_READ_DIR

// fileAccess are the rights that a single file can have.
const fileAccess = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_WRITE_FILE |
	unix.LANDLOCK_ACCESS_FS_TRUNCATE | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV

// handled are all rights that a kernel of that level can take away.
func handled(level int) uint64 {
	rights := uint64(1)<<13 - 1 // the thirteen of the first version
	if level >= 2 {
		rights |= unix.LANDLOCK_ACCESS_FS_REFER
	}
	if level >= 3 {
		rights |= unix.LANDLOCK_ACCESS_FS_TRUNCATE
	}
	if level >= 5 {
		rights |= unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	}
	return rights
}

func allow(ruleset int, path string, access, known uint64) error {
	fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ENOTDIR) || errors.Is(err, unix.EACCES) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("allow %s: %w", path, err)
	}
	defer unix.Close(fd)
	var stat unix.Stat_t
	if err := unix.Fstat(fd, &stat); err != nil {
		return fmt.Errorf("allow %s: %w", path, err)
	}
	if stat.Mode&unix.S_IFMT != unix.S_IFDIR {
		access &= fileAccess
	}
	rule := unix.LandlockPathBeneathAttr{Allowed_access: access & known, Parent_fd: int32(fd)}
	if _, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(ruleset), unix.LANDLOCK_RULE_PATH_BENEATH,
		uintptr(unsafe.Pointer(&rule)), 0, 0, 0); errno != 0 {
		return fmt.Errorf("allow %s: %w", path, errno)
	}
	return nil
}
