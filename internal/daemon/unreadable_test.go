package daemon

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"meterbridge/analytics"
	"meterbridge/internal/config"
)

// A harness that keeps no readable usage has times, prompts and tools, and says
// that what it spent is unknown.
func TestWindow_OfAHarnessWithoutReadableUsage(t *testing.T) {
	home, data := t.TempDir(), t.TempDir()
	folder := filepath.Join(home, ".kiro", "sessions", "cli")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	log := `{"version":"v1","kind":"Prompt","data":{"message_id":"m1","content":[{"kind":"text","data":"Fix it"}],"meta":{"timestamp":1787990400}}}` + "\n" +
		`{"version":"v1","kind":"AssistantMessage","data":{"message_id":"m2","content":[{"kind":"text","data":"Fixed."}]}}` + "\n" +
		`{"version":"v1","kind":"Prompt","data":{"message_id":"m3","content":[{"kind":"text","data":"Thanks"}],"meta":{"timestamp":1787990460}}}` + "\n"
	state := `{"cwd":"/srv/demo","session_state":{"conversation_metadata":{"user_turn_metadatas":[{"end_timestamp":1787990420,"message_ids":["m1","m2"]}]}}}`
	for name, text := range map[string]string{"k1.jsonl": log, "k1.json": state} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	m, err := Open(t.Context(), Options{Home: home, OS: "linux", Getenv: func(string) string { return "" }, Now: time.Now, Paths: &config.Paths{Data: data, Config: data}})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	if _, err := m.Scan(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	u, err := m.Window(t.Context(), "kiro:k1", time.Time{}, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	if u.UsageReadable || u.TotalTokens != nil || u.CostMicroUSD != nil || u.Prompts == nil || *u.Prompts != 2 || u.FirstPromptAt == nil {
		t.Errorf("got %+v, want no usage and two prompts", u)
	}
	s, err := m.Session(t.Context(), "kiro:k1", time.Time{}, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	u.ScannedAt, s.Usage.ScannedAt = nil, nil
	if diff := cmp.Diff(u, s.Usage, cmpopts.IgnoreUnexported(u)); diff != "" {
		t.Errorf("the session in full says something else (-its window +it):\n%s", diff)
	}
	tl, err := m.Timeline(t.Context(), "kiro:k1", time.Time{}, time.Time{})
	if err != nil || tl.UsageReadable || len(tl.Turns) != 2 {
		t.Errorf("timeline: readable %v, turns %+v, %v", tl.UsageReadable, tl.Turns, err)
	}
	// Every report counts the same prompts, whether or not a turn is known to have ended.
	for _, by := range []string{"day", "session", "project", "harness"} {
		report, err := m.Usage(t.Context(), analytics.UsageQuery{By: by})
		if err != nil || report.Totals.Prompts == nil || *report.Totals.Prompts != 2 || report.Totals.Requests != 0 || report.Totals.TotalTokens != nil {
			t.Errorf("usage by %s: %+v, %v, want two prompts and no requests", by, report.Totals, err)
		}
	}
	if r, err := m.Reconcile(t.Context(), analytics.ReconcileOptions{}); err != nil || !r.OK {
		t.Errorf("reconcile: %+v, %v", r, err)
	}
}
