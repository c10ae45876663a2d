package host

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"meterbridge/bridge/sandbox"
)

// Variables of every extension's environment.
const (
	nameVariable     = "METERBRIDGE_EXTENSION"
	protocolVariable = "METERBRIDGE_PROTOCOL"
	// markVariable tells the processes of one start from all others.
	markVariable = "METERBRIDGE_EXTENSION_RUN"
)

// protocol is the version of the hosting protocol.
const protocol = 1

// environment is all that an extension finds in its environment.
func environment(x *extension, mark string, getenv func(string) string) []string {
	env := []string{
		"HOME=" + x.Data, "TMPDIR=" + filepath.Join(x.Data, "tmp"),
		nameVariable + "=" + x.Name, fmt.Sprintf("%s=%d", protocolVariable, protocol), markVariable + "=" + mark,
	}
	names := []string{"PATH", "LANG", "TZ"}
	if runtime.GOOS == "windows" {
		names = append(names, "SYSTEMROOT", "PATHEXT", "COMSPEC") // nothing starts without them
	}
	for _, name := range names {
		if value := getenv(name); value != "" {
			env = append(env, name+"="+value)
		}
	}
	for _, name := range x.Env {
		if value := getenv(name); value != "" {
			env = append(env, name+"="+value)
		}
	}
	return env
}

// The limits of a process.
const (
	mostOpenFiles  = 256
	mostCPUSeconds = 600
	mostResident   = 1 << 30
	mostProcesses  = 64
)

// fence is what an extension's process may reach.
func fence(x *extension, programs, more []string) sandbox.Policy {
	p := sandbox.Policy{
		Read: append(append(systemFolders(), x.Folder), more...), Write: []string{x.Data, "/dev/null"},
		Connect: x.may("network") || x.may("network.local"), Files: mostOpenFiles, CPUSeconds: mostCPUSeconds,
	}
	for _, program := range programs {
		if found, err := filepath.EvalSymlinks(program); err == nil {
			// An interpreter of the user's own has its library beside its folder.
			bin := filepath.Dir(found)
			p.Read = append(p.Read, program, bin, filepath.Join(filepath.Dir(bin), "lib"))
		}
	}
	return p
}

// systemFolders hold the programs and libraries of the system.
func systemFolders() []string {
	return []string{
		"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt", "/nix", "/etc", "/proc", "/sys/devices/system/cpu", "/sys/fs/cgroup",
		"/run/systemd/resolve", "/dev/urandom", "/dev/random", "/dev/zero",
	}
}

// folders makes the folders that an extension may write to.
func folders(x *extension) error {
	for _, dir := range []string{x.Data, filepath.Join(x.Data, "tmp")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return fmt.Errorf("make the folder of an extension: %w", err)
		}
	}
	return nil
}
