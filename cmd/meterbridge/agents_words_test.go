//go:build linux

package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// What a person is told about agents: each answer with its exit code, and no word of
// the machinery.
func TestAgents_TellWhatHappened(t *testing.T) {
	m := newMachine(t)
	m.bare("sh", "cat")
	if _, errOut, code := m.ask("agents", "usage", "nobody"); code != 3 || strings.Count(errOut, "\n") != 2 || !strings.Contains(errOut, "no such agent or session") {
		t.Errorf("usage of nobody without logs: %d, %q", code, errOut)
	}
	d := m.serve()
	for _, c := range []struct {
		args        []string
		out, errOut string
		code        int
	}{
		{[]string{"agents", "start", "--name", "once", "--", "sh", "-c", "echo last words; exit 7"}, "exited (7)", "last words\nmeterbridge: its program has ended at once", 0},
		{[]string{"screen", "once"}, "last words\n", "its program has ended", 0},
		{[]string{"agents", "start", "--name", "stays", "--", "cat"}, "Status", "", 0},
		{[]string{"agents", "remove", "stays"}, "", "the agent runs", 1},
		{[]string{"agents", "remove", "once"}, "is forgotten", "", 0},
		{[]string{"agents", "attach", "once"}, "", "no such agent", 3},
		{[]string{"agents", "usage", "once"}, "", "no such agent", 3},
		{[]string{"screen", "stays", "--lines", "0"}, "", "--lines 0 shows nothing", 2},
		{[]string{"agents", "start", "--name", "missing", "--", "no-such-program-here"}, "", "not on the PATH", 1},
		{[]string{"agents", "start", "claude-code"}, "", "not on the PATH", 1},
	} {
		out, errOut, code := m.ask(c.args...)
		if !strings.Contains(out, c.out) || !strings.Contains(errOut, c.errOut) || code != c.code {
			t.Errorf("%v: %d, %q, %q; want %d, %q, %q", c.args, code, out, errOut, c.code, c.out, c.errOut)
		}
		if strings.Contains(errOut, ": unknown") {
			t.Errorf("%v ends in a word of the machinery: %q", c.args, errOut)
		}
	}
	if folders, _ := filepath.Glob(filepath.Join(m.dir, "data", "agents", "ag-*")); len(folders) != 1 {
		t.Errorf("folders %v, want that of the agent that runs alone: none of those that never ran, or are removed", folders)
	}
	if err := d.process.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	<-d.ended
	out, errOut, code := m.ask("agents", "list")
	if code != 0 || strings.Contains(out, "exited") || !strings.Contains(out, "stays") || !strings.Contains(errOut, "No daemon runs") {
		t.Errorf("list without a daemon, while a holder holds: %d, %q, %q", code, out, errOut)
	}
	m.over(m.serve())
}

// bare leaves the machine without logs, and with these programs alone.
func (m *machine) bare(programs ...string) {
	m.t.Helper()
	bin := m.t.TempDir()
	for _, name := range programs {
		path, err := exec.LookPath(name)
		if err == nil {
			err = os.Symlink(path, filepath.Join(bin, name))
		}
		if err != nil {
			m.t.Fatal(err)
		}
	}
	if err := errors.Join(os.RemoveAll(m.home), os.Mkdir(m.home, 0o755)); err != nil {
		m.t.Fatal(err)
	}
	m.env[len(m.env)-1] = "PATH=" + bin
}
