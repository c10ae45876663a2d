package daemon

import (
	"os"
	"path/filepath"
	"testing"

	"meterbridge/internal/demo"
)

// Switching texts off removes those that an earlier scan stored, and a later
// scan brings none back.
func TestPrivacy_TextsGoWhenSwitchedOff(t *testing.T) {
	home := t.TempDir()
	if err := os.CopyFS(home, demo.Home()); err != nil {
		t.Fatal(err)
	}
	texts := func() int64 {
		m := openAt(t, home)
		defer m.Close()
		if _, err := m.Scan(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		r, err := m.SQL(t.Context(), `SELECT (SELECT count(*) FROM sessions WHERE title IS NOT NULL OR last_reply IS NOT NULL)
			+ (SELECT count(*) FROM prompts WHERE preview IS NOT NULL)`, SQLLimits{})
		if err != nil {
			t.Fatal(err)
		}
		return r.Rows[0][0].(int64)
	}
	if n := texts(); n == 0 {
		t.Fatal("the example has no texts to begin with")
	}
	settings := filepath.Join(home, "meterbridge", "config.toml")
	if err := os.WriteFile(settings, []byte("[privacy]\nstore_text = false\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if n := texts(); n != 0 {
			t.Errorf("%d texts are still there", n)
		}
	}
}

func TestPrivacy_OnlyTheUserReadsTheLedger(t *testing.T) {
	home := t.TempDir()
	m := openAt(t, home)
	defer m.Close()
	info, err := os.Stat(filepath.Join(home, "meterbridge", "ledger.duckdb"))
	if err != nil {
		t.Fatal(err)
	}
	if mode := info.Mode().Perm(); mode != 0o600 {
		t.Errorf("got mode %o", mode)
	}
}
