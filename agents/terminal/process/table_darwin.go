package process

import "golang.org/x/sys/unix"

// zombie is the state of a process that has ended and was not waited for.
const zombie = 5

// List is the process table. Zombies are not in it: they have ended.
func List() ([]Process, error) {
	table, err := unix.SysctlKinfoProcSlice("kern.proc.all")
	if err != nil {
		return nil, err
	}
	var all []Process
	for _, k := range table {
		if k.Proc.P_stat == zombie {
			continue
		}
		p := row(k)
		p.Session, _ = unix.Getsid(p.PID)
		all = append(all, p)
	}
	return all, nil
}

// Of is the row of a living process.
func Of(pid int) (Process, bool) {
	k, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil || int(k.Proc.P_pid) != pid || k.Proc.P_stat == zombie {
		return Process{}, false
	}
	return row(*k), true
}

func row(k unix.KinfoProc) Process {
	return Process{
		PID: int(k.Proc.P_pid), Parent: int(k.Eproc.Ppid), Foreground: int(k.Eproc.Tpgid),
		Start: uint64(k.Proc.P_starttime.Sec)*1e6 + uint64(k.Proc.P_starttime.Usec),
	}
}

// Environ: the system shows no other process's environment without privileges.
func Environ(int) []string { return nil }

// Arguments is the command line of a process; nil where the system does not tell.
func Arguments(int) []string { return nil }

// Name is not needed where no environment is seen.
func Name(int) string { return "" }
