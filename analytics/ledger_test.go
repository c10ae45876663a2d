package analytics

import (
	"path/filepath"
	"testing"
)

func open(t *testing.T, o Options) *Ledger {
	t.Helper()
	l, err := Open(t.Context(), filepath.Join(t.TempDir(), "ledger.duckdb"), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	return l
}

func TestOpen_ClosesTheInstance(t *testing.T) {
	l := open(t, Options{})
	for setting, want := range map[string]string{
		"autoinstall_known_extensions": "false",
		"autoload_known_extensions":    "false",
		"enable_external_access":       "false",
		"threads":                      "1",
	} {
		var got string
		if err := l.db.QueryRow("SELECT current_setting(?)::VARCHAR", setting).Scan(&got); err != nil {
			t.Fatal(err)
		}
		if got != want {
			t.Errorf("%s = %s, want %s", setting, got, want)
		}
	}
	if _, err := l.db.Exec("COPY (SELECT 1) TO " + quote(filepath.Join(t.TempDir(), "x.csv"))); err == nil {
		t.Error("a file outside the export folder was written")
	}
}
