package daemon

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const (
	askedLine    = `{"type":"user","uuid":"u1","sessionId":"S","timestamp":"2026-03-01T23:59:50.000Z","cwd":"/srv/demo","isSidechain":false,"message":{"role":"user","content":"Start"}}` + "\n"
	answeredLine = `{"type":"assistant","uuid":"a1","sessionId":"S","timestamp":"2026-03-02T00:00:10.000Z","cwd":"/srv/demo","isSidechain":false,"requestId":"req_1","message":{"id":"msg_1","role":"assistant","model":"claude-opus-5-5","content":[{"type":"text","text":"ok"}],"stop_reason":"end_turn","usage":{"input_tokens":10,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"output_tokens":5}}}` + "\n"
)

// A log that is read again before anything was answered must not store its
// prompts twice; and a prompt counts in the totals of every report, also where
// its own day, hour or block has no request.
func TestPrompts_CountOnceWhateverIsReadAgain(t *testing.T) {
	home := t.TempDir()
	log := filepath.Join(home, ".claude/projects/-srv-demo/S.jsonl")
	if err := os.MkdirAll(filepath.Dir(log), 0o755); err != nil {
		t.Fatal(err)
	}
	scan := func(text string, stamp int64) *Meter {
		if err := os.WriteFile(log, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(log, time.Unix(stamp, 0), time.Unix(stamp, 0)); err != nil {
			t.Fatal(err)
		}
		m := openAt(t, home)
		if _, err := m.Scan(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		r, err := m.Reconcile(t.Context(), ReconcileOptions{Zone: time.UTC})
		if err != nil || !r.OK {
			t.Errorf("reconcile: %v %+v", err, r.Checks)
		}
		return m
	}
	for stamp := range int64(3) {
		if err := scan(askedLine, 1000+stamp).Close(); err != nil {
			t.Fatal(err)
		}
	}
	m := scan(askedLine+answeredLine, 2000)
	defer m.Close()
	for _, by := range []string{"day", "week", "month", "hour", "session", "project", "model", "harness", "agent", "block"} {
		r, err := m.Usage(t.Context(), UsageQuery{By: by, Zone: time.UTC, Cost: "auto"})
		if err != nil {
			t.Fatal(err)
		}
		if r.Totals.Prompts == nil || *r.Totals.Prompts != 1 || r.Totals.Requests != 1 {
			t.Errorf("by %s: totals %+v, want one prompt and one request", by, r.Totals)
		}
	}
}

// The parts of a block are one for each harness and model, though the block is
// put together of hours.
func TestUsage_BreakdownOfABlockHasEachModelOnce(t *testing.T) {
	home := t.TempDir()
	log := filepath.Join(home, ".claude/projects/-srv-demo/S.jsonl")
	if err := os.MkdirAll(filepath.Dir(log), 0o755); err != nil {
		t.Fatal(err)
	}
	text := ""
	for i, at := range []string{"10:50", "11:10", "12:10"} {
		line := strings.ReplaceAll(answeredLine, "2026-03-02T00:00:10", "2026-03-02T"+at+":10")
		text += strings.NewReplacer("msg_1", "msg_"+at, "req_1", "req_"+at, `"a1"`, `"a`+string(rune('1'+i))+`"`).Replace(line)
	}
	if err := os.WriteFile(log, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	m := openAt(t, home)
	defer m.Close()
	if _, err := m.Scan(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	r, err := m.Usage(t.Context(), UsageQuery{By: "block", Zone: time.UTC, Cost: "auto", Breakdown: true})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Rows) != 1 || len(r.Rows[0].Breakdown) != 1 || r.Rows[0].Breakdown[0].Requests != 3 {
		t.Errorf("got %+v, want one block with one part of three requests", r.Rows)
	}
}
