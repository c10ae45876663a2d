package analytics

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"meterbridge"
)

// An empty file is version 0; what a newer program wrote is refused.
func TestOpen_Migrates(t *testing.T) {
	path := filepath.Join(t.TempDir(), "deep", "er", "ledger.duckdb")
	l, err := Open(t.Context(), path, Options{ReportZone: time.UTC})
	if err != nil {
		t.Fatal(err)
	}
	if got := dump(t, l, "SELECT value FROM meta WHERE key = 'version'"); len(got) != 1 || got[0] != "1" {
		t.Errorf("version %q, want 1", got)
	}
	// Version 0 as another process would have left it: no table at all.
	for _, kind := range []string{"VIEW", "TABLE"} {
		for _, name := range dump(t, l, "SELECT table_name FROM information_schema.tables WHERE table_schema = 'main' AND (table_type = 'VIEW') = ('"+kind+"' = 'VIEW')") {
			if _, err := l.w.ExecContext(t.Context(), "DROP "+kind+" "+name); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if l, err = Open(t.Context(), path, Options{ReportZone: time.UTC}); err != nil {
		t.Fatalf("open version 0: %v", err)
	}
	scanned(t, l, logOf("/logs/a.jsonl", said("S1", "a", 1, 1)))
	if err := l.transact(t.Context(), func() error { return l.setMeta(t.Context(), "version", "99") }); err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), path, Options{}); !errors.Is(err, ErrNewer) {
		t.Errorf("open version 99 = %v, want %v", err, ErrNewer)
	}
}

func TestOpen_RefusesWhatIsNoLedger(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ledger.duckdb")
	if err := os.WriteFile(path, []byte(strings.Repeat("no database ", 1000)), 0o600); err != nil {
		t.Fatal(err)
	}
	if l, err := Open(t.Context(), path, Options{}); err == nil {
		t.Error("a text file was opened as a ledger", l.Close())
	}
	if _, err := Open(t.Context(), t.TempDir(), Options{}); err == nil {
		t.Error("a folder was opened as a ledger")
	}
}

// DuckDB can neither load nor read nor write anything but the ledger and its
// export folder.
func TestOpen_KeepsDuckDBIn(t *testing.T) {
	l := open(t, Options{ReportZone: time.UTC})
	secret := filepath.Join(t.TempDir(), "secret.csv")
	if err := os.WriteFile(secret, []byte("a,b\n1,2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, q := range []string{
		"SELECT * FROM read_csv(" + quote(secret) + ")",
		"SELECT * FROM " + quote(secret),
		"ATTACH " + quote(filepath.Join(filepath.Dir(secret), "other.duckdb")),
		"INSTALL sqlite", "LOAD sqlite", "SELECT * FROM sqlite_scan('x', 'y')",
		"SET GLOBAL enable_external_access = true",
	} {
		if _, err := l.db.ExecContext(t.Context(), q); err == nil {
			t.Errorf("%s: it worked", q)
		}
	}
	if err := os.MkdirAll(l.ExportDir(), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := l.db.ExecContext(t.Context(), "COPY (SELECT 1 AS one) TO "+quote(filepath.Join(l.ExportDir(), "one.csv"))); err != nil {
		t.Errorf("export: %v", err)
	}
}

// A commit that fails in a scan that has written before leaves one scan, and
// what comes after it is read as if it had not been.
func TestCommit_GoesOnAfterAFailure(t *testing.T) {
	l := open(t, Options{ReportZone: time.UTC})
	if err := l.BeginScan(t.Context()); err != nil {
		t.Fatal(err)
	}
	unit := logOf("/logs/a.jsonl", said("S1", "a", 1, 1))
	if err := l.Commit(t.Context(), []meterbridge.Unit{unit}); err != nil {
		t.Fatal(err)
	}
	if _, err := l.w.ExecContext(t.Context(), "ALTER TABLE event RENAME TO event_elsewhere"); err != nil {
		t.Fatal(err)
	}
	broken := logOf("/logs/b.jsonl", said("S1", "a", 1, 1), said("S2", "b", 1, 2))
	broken.Batch.Events = []meterbridge.Event{{Harness: "claude-code", Session: "S2", At: said("S2", "b", 1, 3).EndedAt, Kind: "error"}}
	if err := l.Commit(t.Context(), []meterbridge.Unit{broken}); err == nil {
		t.Fatal("a commit without its table worked")
	}
	if _, err := l.w.ExecContext(t.Context(), "ALTER TABLE event_elsewhere RENAME TO event"); err != nil {
		t.Fatal(err)
	}
	if err := l.Commit(t.Context(), []meterbridge.Unit{broken}); err != nil {
		t.Fatal(err)
	}
	if err := l.EndScan(t.Context()); err != nil {
		t.Fatal(err)
	}
	got := dump(t, l, "SELECT (SELECT count(*) FROM scan), (SELECT count(*) FROM requests), (SELECT count(*) FROM source), (SELECT count(*) FROM event), (SELECT sum(requests) FROM rollup_day)")
	if got[0] != "1 2 2 1 2" {
		t.Errorf("scans, requests, sources, events, summed: %s, want 1 2 2 1 2", got[0])
	}
}
