package process

import (
	"bytes"
	"os"
	"strconv"
	"strings"
)

// List is the process table. Zombies are not in it: they have ended.
func List() ([]Process, error) {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil, err
	}
	var all []Process
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		if p, ok := Of(pid); ok {
			all = append(all, p)
		}
	}
	return all, nil
}

// Of is the row of a living process. /proc/PID/stat has its name in brackets, which
// may hold blanks and brackets itself.
func Of(pid int) (Process, bool) {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return Process{}, false
	}
	f := strings.Fields(string(b[bytes.LastIndexByte(b, ')')+1:]))
	if len(f) < 20 || f[0] == "Z" || f[0] == "X" {
		return Process{}, false
	}
	p := Process{PID: pid}
	p.Parent, _ = strconv.Atoi(f[1])
	p.Session, _ = strconv.Atoi(f[3])
	p.Foreground, _ = strconv.Atoi(f[5])
	p.Start, _ = strconv.ParseUint(f[19], 10, 64)
	return p, true
}

// Environ is the environment that a process of this user was started with; nil when
// it is not to be seen.
func Environ(pid int) []string {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
	if err != nil {
		return nil
	}
	return strings.Split(string(b), "\x00")
}

// Arguments is the command line of a process; nil when it is not to be seen.
func Arguments(pid int) []string {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline")
	if err != nil {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(b), "\x00"), "\x00")
}

// Name is the name of a process's program, as the kernel keeps it: at most 15 bytes.
func Name(pid int) string {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/comm")
	if err != nil {
		return ""
	}
	return strings.TrimSuffix(string(b), "\n")
}
