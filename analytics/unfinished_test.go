package analytics

import (
	"database/sql"
	"os"
	"path/filepath"
	"testing"
	"time"

	"meterbridge"
)

// A disk that is full while the ledger is made leaves the beginnings of a file.
func TestOpen_AfterTheLedgerCouldNotBeMade(t *testing.T) {
	whole := filepath.Join(t.TempDir(), "whole.duckdb")
	l, err := Open(t.Context(), whole, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(whole)
	if err != nil {
		t.Fatal(err)
	}
	for _, size := range []int{0, 4096, 8192} {
		path := filepath.Join(t.TempDir(), "ledger.duckdb")
		if err := os.WriteFile(path, content[:size], 0o600); err != nil {
			t.Fatal(err)
		}
		l, err := Open(t.Context(), path, Options{})
		if err != nil {
			t.Errorf("%d bytes of a new file: %v", size, err)
			continue
		}
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestOpen_LeavesFilesThatAreNoLedger(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ledger.duckdb")
	if err := os.WriteFile(path, []byte("a person's notes"), 0o600); err != nil {
		t.Fatal(err)
	}
	if l, err := Open(t.Context(), path, Options{}); err == nil {
		t.Error("opened", l.Close())
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != "a person's notes" {
		t.Errorf("the file is %q, %v", text, err)
	}
}

// Whatever is asked of a ledger that was closed is answered by an error.
func TestLedger_IsClosed(t *testing.T) {
	l, err := Open(t.Context(), filepath.Join(t.TempDir(), "ledger.duckdb"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	for name, ask := range map[string]func() error{
		"Settle": func() error { return l.Settle(ctx) }, "Idle": func() error { return l.Idle(ctx) },
		"BeginScan": func() error { return l.BeginScan(ctx) }, "BeginPass": func() error { return l.BeginPass(ctx) },
		"EndScan": func() error { return l.EndScan(ctx) }, "EndPass": func() error { return l.EndPass(ctx) },
		"Usage":       func() error { _, err := l.Usage(ctx, UsageQuery{By: "day"}); return err },
		"Doctor":      func() error { _, err := l.Doctor(ctx, time.UTC); return err },
		"SQL":         func() error { _, err := l.SQL(ctx, "SELECT 1", SQLLimits{}); return err },
		"Sessions":    func() error { _, err := l.Sessions(ctx, SessionFilter{}); return err },
		"Session":     func() error { _, err := l.Session(ctx, "x", time.Time{}, time.Time{}); return err },
		"Timeline":    func() error { _, err := l.Timeline(ctx, "x", time.Time{}, time.Time{}); return err },
		"Window":      func() error { _, err := l.Window(ctx, "x", time.Time{}, time.Time{}); return err },
		"Reconcile":   func() error { _, err := l.Reconcile(ctx, ReconcileOptions{}); return err },
		"Budgets":     func() error { _, err := l.Budgets(ctx, BudgetQuery{}); return err },
		"Counters":    func() error { _, err := l.Counters(ctx, false); return err },
		"Checkpoints": func() error { _, err := l.Checkpoints(ctx); return err },
		"State":       func() error { _, err := l.State(ctx, 1); return err },
		"Commit":      func() error { return l.Commit(ctx, []meterbridge.Unit{{}}) },
		"Receive":     func() error { return l.Receive(ctx, []meterbridge.Unit{{}}) },
		"ForgetTexts": func() error { return l.ForgetTexts(ctx) },
		"Limits":      func() error { _, err := l.Limits(ctx); return err },
		"Close":       func() error { _ = l.Close(); return sql.ErrConnDone },
	} {
		// A scan that is not open ends without asking anything.
		if err := ask(); err == nil && name != "EndScan" && name != "EndPass" {
			t.Errorf("%s: no error", name)
		}
	}
}
