package extensions

import (
	"testing"

	"meterbridge/bridge"
)

// Who turns on what is on already wants it tried again: the runtime is told, also
// where another process was asked.
func TestTurn_OnAgainIsTold(t *testing.T) {
	base := newDesk(t)
	install(t, base, pack{}, false)
	r := &runtime{entered: make(chan bridge.Invocation, 1)}
	o := base.o
	o.Runtime = r
	d := Open(o)
	told := func() bridge.Installed {
		r.mu.Lock()
		defer r.mu.Unlock()
		return r.synced[len(r.synced)-1][0]
	}
	before := told()
	if err := base.Turn("ticket-desk", "", true); err != nil {
		t.Fatal(err)
	}
	d.Refresh()
	after := told()
	if !after.Runs || after.Enabled == before.Enabled {
		t.Errorf("enabled: runs %v, %d times after %d", after.Runs, after.Enabled, before.Enabled)
	}
	if err := base.Turn("ticket-desk", "open", true); err != nil {
		t.Fatal(err)
	}
	d.Refresh()
	if got := told(); got.Enabled != after.Enabled {
		t.Errorf("a tool that is turned on: %d, want %d", got.Enabled, after.Enabled)
	}
}
