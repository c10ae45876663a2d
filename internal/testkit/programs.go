package testkit

import (
	"os"
	"os/exec"
	"testing"
)

// Program is the path of a program that tests run, installed out of the Debian
// package when it is missing. A test without its program fails: it must not
// look as if it had passed.
func Program(t testing.TB, name, debian string) string {
	t.Helper()
	if path, err := exec.LookPath(name); err == nil {
		return path
	}
	if os.Getuid() != 0 {
		t.Fatalf("%s is needed: apt-get install %s", name, debian)
	}
	for _, args := range [][]string{{"update", "-q"}, {"install", "-y", "-q", "--no-install-recommends", debian}} {
		install := exec.CommandContext(t.Context(), "apt-get", args...)
		install.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive")
		if out, err := install.CombinedOutput(); err != nil {
			t.Fatalf("apt-get %v: %v\n%s", args, err, out)
		}
	}
	path, err := exec.LookPath(name)
	if err != nil {
		t.Fatalf("%s is not in the package %s: %v", name, debian, err)
	}
	return path
}
