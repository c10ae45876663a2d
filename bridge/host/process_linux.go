package host

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// ownGroup has a command lead a process group of its own and die with its parent.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

func terminate(p *process) { _ = syscall.Kill(-p.pid, syscall.SIGTERM) }

// killTree kills the group, and whatever has left it: descendants, and processes
// with the mark in their environment, whose parent may have gone. A process that
// cleared its environment after its parent ended gets away.
func killTree(p *process) {
	for range 8 { // those that are being started while it looks
		found := tree(p)
		select {
		case <-p.exited: // the group's id may be another's by now, unless somebody is left in it
		default:
			_ = syscall.Kill(-p.pid, syscall.SIGKILL)
		}
		for _, pid := range found {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		if len(found) == 0 {
			return
		}
	}
}

// tree lists the living processes of p besides its own.
func tree(p *process) []int {
	entries, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return nil
	}
	living := map[int]relation{}
	for _, path := range entries {
		pid, _ := strconv.Atoi(strings.Split(path, "/")[2])
		if r, alive := relationOf(path); alive {
			living[pid] = r
		}
	}
	var found []int
	for pid, r := range living {
		if pid != p.pid && (r.group == p.pid || descends(living, pid, p.pid) || marked(pid, p.mark)) {
			found = append(found, pid)
		}
	}
	return found
}

// relation is where a process belongs.
type relation struct{ parent, group int }

// relationOf reads the parent and the group of a process; a zombie does not live.
func relationOf(path string) (r relation, alive bool) {
	text, err := os.ReadFile(path)
	if err != nil {
		return r, false
	}
	// The name in parentheses may hold anything.
	_, rest, ok := strings.Cut(string(text[bytes.LastIndexByte(text, ')')+1:]), " ")
	fields := strings.Fields(rest)
	if !ok || len(fields) < 3 || fields[0] == "Z" || fields[0] == "X" {
		return r, false
	}
	r.parent, _ = strconv.Atoi(fields[1])
	r.group, err = strconv.Atoi(fields[2])
	return r, err == nil
}

func descends(living map[int]relation, pid, from int) bool {
	for range len(living) {
		r, ok := living[pid]
		if !ok || r.parent <= 1 {
			return false
		}
		if r.parent == from {
			return true
		}
		pid = r.parent
	}
	return false
}

// marked tells whether a process was started with the mark.
func marked(pid int, mark string) bool {
	env, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
	return err == nil && bytes.Contains(env, []byte(markVariable+"="+mark+"\x00"))
}

// weight is the resident memory of a process and all that it started, in bytes,
// and their number.
func weight(p *process) (resident int64, count int) {
	page := int64(os.Getpagesize())
	for _, pid := range append(tree(p), p.pid) {
		text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/statm")
		if err != nil {
			continue
		}
		if fields := strings.Fields(string(text)); len(fields) > 1 {
			pages, _ := strconv.ParseInt(fields[1], 10, 64)
			resident += pages * page
			count++
		}
	}
	return resident, count
}
