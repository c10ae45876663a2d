package crush

import (
	"database/sql"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	_ "modernc.org/sqlite" // the driver of the database's owner

	"meterbridge"
	"meterbridge/harnesses"
)

func TestPlaces_AreThoseOfTheKnownProjects(t *testing.T) {
	home := t.TempDir()
	own := filepath.Join(home, "own")
	if err := os.MkdirAll(own, 0o755); err != nil {
		t.Fatal(err)
	}
	list, err := json.Marshal(map[string]any{"projects": []map[string]string{
		{"path": filepath.Join(home, "a"), "data_dir": filepath.Join(home, "a", ".crush")},
		{"path": filepath.Join(home, "b"), "data_dir": "data"},
		{"path": filepath.Join(home, "c")},
		{"path": "relative"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(own, "projects.json"), list, 0o600); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range places(harnesses.Env{Home: home, OS: "linux", Getenv: func(n string) string { return map[string]string{"CRUSH_GLOBAL_DATA": own}[n] }}) {
		got = append(got, r.Path)
	}
	want := []string{own, filepath.Join(home, "a", ".crush"), filepath.Join(home, "b", "data"), filepath.Join(home, "c", ".crush")}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if p := projectOf(filepath.Join(home, "a", ".crush", "crush.db")); p != filepath.Join(home, "a") {
		t.Errorf("project %q", p)
	}
}

// The cost of a session grows: each reading adds what is new, and says it again.
func TestDatabase_CostsBecomeDated(t *testing.T) {
	path := filepath.Join(t.TempDir(), "crush.db")
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	exec := func(statement string) {
		t.Helper()
		if _, err := db.Exec(statement); err != nil {
			t.Fatal(err)
		}
	}
	exec("CREATE TABLE sessions (id TEXT PRIMARY KEY, parent_session_id TEXT, title TEXT, cost REAL, updated_at INTEGER, created_at INTEGER)")
	exec("INSERT INTO sessions VALUES ('s', NULL, 'x', 0.10, 1787990400, 1787990000)")
	var memory []byte
	look := func() (costs []string) {
		t.Helper()
		var out meterbridge.Batch
		next, err := openDatabase(harnesses.Options{Path: path, State: memory}).Query(t.Context(), &out)
		if err != nil {
			t.Fatal(err)
		}
		memory = next
		for _, r := range out.Requests {
			costs = append(costs, r.NativeID+" "+r.Recorded.Amount.String()+" "+r.EndedAt.Format("15:04"))
		}
		return costs
	}
	if diff := cmp.Diff([]string{"s/cost 0.10 08:00"}, look()); diff != "" {
		t.Errorf("first sight (-want +got)\n%s", diff)
	}
	exec("UPDATE sessions SET cost = 0.25, updated_at = 1787994000")
	if diff := cmp.Diff([]string{"s/cost 0.10 08:00", "s/cost@20260829T0900Z 0.15 09:00"}, look()); diff != "" {
		t.Errorf("it grew (-want +got)\n%s", diff)
	}
	exec("UPDATE sessions SET cost = 0.05, updated_at = 1787994001")
	if diff := cmp.Diff([]string{"s/cost 0.10 08:00", "s/cost@20260829T0900Z 0.15 09:00"}, look()); diff != "" {
		t.Errorf("it fell (-want +got)\n%s", diff)
	}
}
