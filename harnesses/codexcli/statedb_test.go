package codexcli

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"meterbridge"
	"meterbridge/harnesses"
	"meterbridge/harnesses/fixtures"
)

// homeOf builds the case "names", which has two state databases.
func homeOf(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if _, err := fixtures.Build(os.DirFS(filepath.Join(cases, "names")), dir); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, ".codex")
}

func query(t *testing.T, path string, state []byte) ([]meterbridge.Session, []byte, error) {
	t.Helper()
	var out meterbridge.Batch
	p := openDatabase(harnesses.Kind{Name: kindState}, harnesses.Options{Path: path, State: state})
	next, err := p.Query(context.Background(), &out)
	return out.Sessions, next, err
}

func TestStateDB_HighestNumberCounts(t *testing.T) {
	dir := homeOf(t)
	got, _, err := query(t, filepath.Join(dir, "state_4.sqlite"), nil)
	if err != nil || len(got) != 0 {
		t.Errorf("state_4 beside state_5: %v, %v; want nothing", got, err)
	}
	if err := os.Remove(filepath.Join(dir, "state_5.sqlite")); err != nil {
		t.Fatal(err)
	}
	got, _, err = query(t, filepath.Join(dir, "state_4.sqlite"), nil)
	if err != nil || len(got) != 1 || got[0].Title != "Old name" {
		t.Errorf("state_4 alone: %v, %v; want the thread with its old name", got, err)
	}
}

func TestStateDB_ReadsWhatChanged(t *testing.T) {
	path := filepath.Join(homeOf(t), "state_5.sqlite")
	all, state, err := query(t, path, nil)
	if err != nil || len(all) != 4 { // three threads and one edge
		t.Fatalf("%d facts, %v; want 4: %v", len(all), err, all)
	}
	if diff := cmp.Diff(`{"since":1772442020000}`, string(state)); diff != "" {
		t.Errorf("state: want - got +\n%s", diff)
	}
	later := []byte(`{"since":1772442999000}`)
	some, next, err := query(t, path, later)
	if err != nil || len(some) != 1 || some[0].Relation != meterbridge.SubAgent || string(next) != string(later) {
		t.Errorf("nothing changed since: %v, state %s, %v; want the edge only", some, next, err)
	}
}

func TestStateDB_BadFiles(t *testing.T) {
	dir := t.TempDir()
	for name, content := range map[string]string{"state_1.sqlite": "", "state_2.sqlite": "this is no database at all", "state_3.sqlite": "SQLite format 3\x00cut off"} {
		path := filepath.Join(dir, name[:7], name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		got, state, err := query(t, path, []byte(`{"since":7}`))
		if err == nil || len(got) != 0 || string(state) != `{"since":7}` {
			t.Errorf("%q: %v, state %s, %v; want an error and the old state", content, got, state, err)
		}
	}
}
