package host

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"meterbridge/bridge"
	"meterbridge/bridge/sandbox"
)

// fenced is a world whose extension runs inside the fence and tries what the test
// asks for.
func fenced(t *testing.T, granted ...bridge.Permission) *world {
	t.Helper()
	if sandbox.Level() == 0 {
		t.Log("this kernel has no Landlock: only what is reported is tested")
	}
	return newWorld(t, "", func(o *Options, x *bridge.Installed) {
		o.Sandbox, x.Granted = os.Args[0], granted
		if err := os.MkdirAll(x.Folder, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(x.Folder, "part"), []byte("code"), 0o600); err != nil {
			t.Fatal(err)
		}
	})
}

// TestSandbox_WriteOutsideFails: what is fenced in writes to its own folder only,
// and reads neither the user's files nor connects.
func TestSandbox_WriteOutsideFails(t *testing.T) {
	w := fenced(t)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	outside := filepath.Join(t.TempDir(), "outside")
	if err := os.WriteFile(outside, []byte("private"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		try, at string
		allowed bool
	}{
		{"write", filepath.Join(w.x.Data, "own"), true},
		{"write", filepath.Join(w.x.Data, "tmp", "own"), true},
		{"write", "/dev/null", true},
		{"write", filepath.Join(w.x.Folder, "part"), false},
		{"write", outside, false},
		{"read", filepath.Join(w.x.Folder, "part"), true},
		{"read", "/etc/hostname", true},
		{"read", outside, false},
		{"connect", listener.Addr().String(), false},
		{"files", "", true},
	} {
		got := w.say("echo", `{"text":"try","try":"`+c.try+`","at":"`+c.at+`"}`)
		want := c.allowed || sandbox.Level() == 0 || c.try == "connect" && sandbox.Level() < 4
		if (got == "ok") != want {
			t.Errorf("%s %s: %s, want allowed %v", c.try, c.at, got, want)
		}
	}
	r := w.host.Report(name)
	if sandbox.Level() > 0 && !strings.Contains(r.Confinement, "Landlock") || r.Confinement == "" {
		t.Errorf("confinement %q", r.Confinement)
	}
}

func TestSandbox_ConnectsWithPermission(t *testing.T) {
	w := fenced(t, bridge.Permission{ID: "network", Hosts: []string{"tickets.example.com"}})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	if got := w.say("echo", `{"text":"try","try":"connect","at":"`+listener.Addr().String()+`"}`); got != "ok" {
		t.Error(got)
	}
}

// TestSandbox_ReportedWhenAbsent: what runs without a fence is said to.
func TestSandbox_ReportedWhenAbsent(t *testing.T) {
	w := newWorld(t, "", nil)
	w.say("echo", `{"text":"up"}`)
	if r := w.host.Report(name); !strings.HasPrefix(r.Confinement, "not confined") {
		t.Errorf("confinement %q", r.Confinement)
	}
}

// The hidden command is of no use to others.
func TestSandbox_RefusesOthers(t *testing.T) {
	for _, args := range [][]string{nil, {"{}"}, {"{}", "ls"}, {"no", "--", "/bin/true"}} {
		if got := sandbox.Main(args); got != 126 {
			t.Errorf("%v: %d", args, got)
		}
	}
}
