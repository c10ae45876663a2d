package daemon

import (
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"testing"

	_ "modernc.org/sqlite" // writes the database as its owner would

	"meterbridge/scanner"
)

// A database is looked into once for each change of it or of its log, and never
// because of what our own looking leaves beside it: while its owner has it open
// and after the owner has closed it.
func TestLive_DatabaseIsNotReadBecauseItWasRead(t *testing.T) {
	home := t.TempDir()
	text, err := os.ReadFile("../../testdata/harnesses/opencode/several-steps/opencode.db.sql")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(home, ".local", "share", "opencode", "opencode.db")
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", path+"?_pragma=journal_mode(WAL)")
	if err != nil {
		t.Fatal(err)
	}
	exec := func(statement string) {
		t.Helper()
		if _, err := db.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	exec(string(text))
	exec("CREATE TABLE notes (text TEXT)")
	m := openAt(t, home)
	defer m.Close()
	live, err := m.Live(LiveOptions{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- live.Run(ctx) }()
	defer func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}()
	rest := func(when string) {
		t.Helper()
		for range 2 {
			opened(t, live)
		}
		before := opened(t, live)
		for range 5 {
			if n := opened(t, live); n != before {
				t.Errorf("%s: opened %d more times though nothing was written", when, n-before)
			}
		}
	}
	if opened(t, live) == 0 {
		t.Fatal("the database was not looked into")
	}
	rest("after the first scan")
	for range 10 {
		before := opened(t, live)
		exec("INSERT INTO notes VALUES ('x')")
		if opened(t, live) == before {
			t.Error("a row was written and nobody looked")
		}
	}
	rest("while its owner has it open")
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	rest("when its owner has closed it")
}

// opened is how many sources of all harnesses were opened, when everything on
// disk is committed.
func opened(t *testing.T, live *scanner.Live) (n int64) {
	t.Helper()
	if _, err := live.Refresh(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	for _, h := range live.State().Harnesses {
		n += h.Opened
	}
	return n
}
