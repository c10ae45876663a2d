package daemon

import "testing"

// A link leads to an address that a browser can open and that the guard lets pass.
func TestReachable_IsNeverEveryAddress(t *testing.T) {
	for addr, want := range map[string]string{
		"[::]:7433":             "127.0.0.1:7433",
		"0.0.0.0:7433":          "127.0.0.1:7433",
		"127.0.0.1:7433":        "127.0.0.1:7433",
		"[::1]:7433":            "[::1]:7433",
		"192.0.2.7:80":          "192.0.2.7:80",
		"[fe80::1%eth0]:7433":   "[fe80::1%eth0]:7433",
		"[::ffff:0.0.0.0]:7433": "127.0.0.1:7433",
	} {
		if got := reachable(addr); got != want {
			t.Errorf("%s: got %s, want %s", addr, got, want)
		}
	}
}
