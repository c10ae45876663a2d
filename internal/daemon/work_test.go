package daemon

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"meterbridge/internal/corpus"
)

// A report over logs that did not change does no work but its own: no file is
// opened, nothing is committed, and the ledger's file stays as it is.
func TestUsage_OfUnchangedLogsWritesNothing(t *testing.T) {
	home := t.TempDir()
	if _, err := corpus.Generate(corpus.Options{Out: home, Size: 5_000_000}); err != nil {
		t.Fatal(err)
	}
	first := scanAndAsk(t, home)
	if first.Opened == 0 || first.Requests == 0 {
		t.Fatalf("the first scan read nothing: %+v", first)
	}
	ledger := filepath.Join(home, "meterbridge", "ledger.duckdb")
	before := stateOf(t, ledger)
	again := scanAndAsk(t, home)
	if again.Files != first.Files {
		t.Errorf("%d files, want the %d of the first scan", again.Files, first.Files)
	}
	again.Files = 0
	if again != (work{}) {
		t.Errorf("work over unchanged logs: %+v, want none", again)
	}
	if after := stateOf(t, ledger); after != before {
		t.Errorf("the ledger's file was written: %+v, before %+v", after, before)
	}
	if _, err := os.Stat(ledger + ".wal"); err == nil {
		t.Error("a write-ahead log was left")
	}
}

type work struct {
	Files, Opened, Requests, Rows, Units, Commits int
	BytesRead                                     int64
}

// scanAndAsk is what `meterbridge usage` does.
func scanAndAsk(t *testing.T, home string) work {
	t.Helper()
	m := openAt(t, home)
	defer m.Close()
	r, err := m.Scan(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Usage(t.Context(), UsageQuery{By: "day", Zone: time.UTC, Cost: "auto"}); err != nil {
		t.Fatal(err)
	}
	n := r.Total()
	return work{n.Files, n.Opened, n.Requests, n.Rows, r.Units, r.Commits, n.BytesRead}
}

type fileState struct {
	size    int64
	modTime time.Time
}

func stateOf(t *testing.T, path string) fileState {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return fileState{size: info.Size(), modTime: info.ModTime()}
}
