package terminal

import "golang.org/x/sys/unix"

// processes is the process table. Zombies are not in it: they have ended.
func processes() ([]process, error) {
	table, err := unix.SysctlKinfoProcSlice("kern.proc.all")
	if err != nil {
		return nil, err
	}
	const zombie = 5
	var all []process
	for _, k := range table {
		if k.Proc.P_stat == zombie {
			continue
		}
		p := process{pid: int(k.Proc.P_pid), parent: int(k.Eproc.Ppid)}
		p.session, _ = unix.Getsid(p.pid)
		p.start = uint64(k.Proc.P_starttime.Sec)*1e6 + uint64(k.Proc.P_starttime.Usec)
		all = append(all, p)
	}
	return all, nil
}

func processOf(pid int) (process, bool) {
	k, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil || int(k.Proc.P_pid) != pid {
		return process{}, false
	}
	return process{pid: pid, start: uint64(k.Proc.P_starttime.Sec)*1e6 + uint64(k.Proc.P_starttime.Usec)}, true
}

// environOf: the system shows no other process's environment without privileges.
func environOf(int) []string { return nil }
