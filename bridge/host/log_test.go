package host

import (
	"os"
	"strings"
	"testing"

	"meterbridge/bridge"
	"meterbridge/bridge/sandbox"
)

func TestTail_Since(t *testing.T) {
	log := &tail{}
	for _, part := range []string{"one\n", "two\n"} {
		begun := log.length()
		_, _ = log.Write([]byte(part))
		if got := log.since(begun); got != part {
			t.Errorf("since %d: %q, want %q", begun, got, part)
		}
	}
	begun := log.length()
	_, _ = log.Write([]byte(strings.Repeat("x", 2*keptLog)))
	if got := len(log.since(begun)); got == 0 || got > 2*keptLog {
		t.Errorf("after much: %d", got)
	}
	if got := log.since(log.length()); got != "" {
		t.Errorf("nothing since: %d", len(got))
	}
}

func TestWords(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", ""},
		{"starting\nready\n", "ready"},
		{"node:fs:448\nError: EACCES: permission denied, open '/home/x'\n    at Object.open\n\nNode.js v20\n", "Error: EACCES: permission denied, open '/home/x'"},
		{"Traceback\nPermissionError: [Errno 13] Permission denied: '/x'\n", "PermissionError: [Errno 13] Permission denied: '/x'"},
		{"\x1b[31mred\x00\n", "[31mred"},
		{strings.Repeat("é", 400), strings.Repeat("é", 300) + "…"},
	} {
		if got := words(c.text); got != c.want {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
}

// What its fence refuses ends an imported server or an extension: its reason says which
// file that was, and what the fence allows.
func TestCrash_TellsItsLastWords(t *testing.T) {
	w := newWorld(t, "refused", func(o *Options, _ *bridge.Installed) { o.Sandbox = os.Args[0] })
	if _, err := w.call(t.Context(), "echo", `{}`); code(err) != bridge.CodeUnavailable {
		t.Errorf("got %v", err)
	}
	r := w.until(bridge.StateCrashed)
	if !strings.Contains(r.Reason, "/etc/shadow-of-a-test: permission denied") {
		t.Errorf("reason %q", r.Reason)
	}
	if fenced := sandbox.Level() > 0; strings.Contains(r.Reason, "fence") != fenced {
		t.Errorf("fenced %v, reason %q", fenced, r.Reason)
	}
}
