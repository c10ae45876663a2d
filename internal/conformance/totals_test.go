package conformance

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"meterbridge/harnesses"
	"meterbridge/internal/testkit"
	"meterbridge/scanner"
)

// watched is a session whose log holds running totals, and a ledger that looks at
// it now and then.
type watched struct {
	f      *fixture
	h      home
	ledger *testkit.Memory
}

func (w *watched) write(t *testing.T, path, content string) {
	t.Helper()
	path = filepath.Join(w.h.dir, filepath.FromSlash(path))
	must(t, os.MkdirAll(filepath.Dir(path), 0o755))
	replace(t, path, []byte(content))
}

// rows are the requests in short: id, input, output, end.
func (w *watched) rows(t *testing.T) (out []string) {
	t.Helper()
	w.f.scan(t, w.h.env, w.ledger)
	for _, r := range w.ledger.Rows() {
		text := fmt.Sprintf("%s %d %d %s", r.NativeID, r.Tokens.Input.N, r.Tokens.Output.N, r.EndedAt.UTC().Format("15:04:05"))
		if r.Vanished {
			text += " vanished"
		}
		out = append(out, text)
	}
	return out
}

func (w *watched) want(t *testing.T, when string, want ...string) {
	t.Helper()
	if d := cmp.Diff(want, w.rows(t)); d != "" {
		t.Errorf("%s (-want +got):\n%s", when, d)
	}
}

const droidFolder = ".factory/sessions/-srv/"

func (w *watched) droid(t *testing.T, id, head string, in, out int, times ...string) {
	t.Helper()
	lines := []string{fmt.Sprintf(`{"type":"session_start","id":%q,"cwd":"/srv"%s}`, id, head)}
	if head != "" {
		lines = append(lines, `{"type":"compaction_state"}`)
	}
	for i, at := range times {
		lines = append(lines, fmt.Sprintf(`{"type":"message","id":"%s%d","timestamp":"2026-08-25T%sZ","message":{"role":"assistant","content":[]}}`, id, i, at))
	}
	w.write(t, droidFolder+id+".jsonl", strings.Join(lines, "\n")+"\n")
	w.write(t, droidFolder+id+".settings.json", fmt.Sprintf(`{"model":"m","tokenUsage":{"inputTokens":%d,"outputTokens":%d}}`, in, out))
	late := time.Date(2026, 8, 26, 0, 0, 0, 0, time.UTC)
	must(t, os.Chtimes(filepath.Join(w.h.dir, droidFolder, id+".settings.json"), late, late))
}

// A session's total is one row at first sight; what it grows later lies in the
// stretches between the looks, whatever is read again in between.
func TestTotals_GrowWithTheSession(t *testing.T) {
	f := &fixture{harness: byID(t, "droid")}
	dir := t.TempDir()
	w := &watched{f: f, h: home{env: harnesses.Env{Home: dir, OS: "linux", Getenv: func(string) string { return "" }}, dir: dir}, ledger: &testkit.Memory{}}
	w.droid(t, "a", "", 100, 10, "08:00:00", "08:10:00")
	w.want(t, "first sight", "a 100 10 08:10:00")
	w.droid(t, "a", "", 150, 30, "08:00:00", "08:10:00", "09:20:00")
	w.want(t, "it grew", "a 100 10 08:10:00", "a@20260825T0915Z 50 20 09:20:00")
	w.f.harness.ParserVersion++
	w.want(t, "another version of the parser", "a 100 10 08:10:00", "a@20260825T0915Z 50 20 09:20:00")
	w.droid(t, "a", "", 90, 9, "08:00:00")
	w.want(t, "an older copy", "a 100 10 08:10:00", "a@20260825T0915Z 50 20 09:20:00")
	w.write(t, droidFolder+"a.settings.json", `{"tokenUsage":{"inp`)
	w.want(t, "half written", "a 100 10 08:10:00", "a@20260825T0915Z 50 20 09:20:00")
	w.droid(t, "a", "", 160, 33, "08:00:00", "08:10:00", "09:20:00", "09:25:00")
	w.want(t, "the same quarter", "a 100 10 08:10:00", "a@20260825T0915Z 60 23 09:25:00")

	// The successor of a compaction waits for its parent, then counts its own.
	w.droid(t, "c", `,"parent":"b"`, 500, 50, "10:00:00")
	w.want(t, "no parent", "a 100 10 08:10:00", "a@20260825T0915Z 60 23 09:25:00")
	w.droid(t, "b", "", 400, 45, "09:50:00")
	w.want(t, "the parent", "a 100 10 08:10:00", "a@20260825T0915Z 60 23 09:25:00", "b 400 45 09:50:00", "c 100 5 10:00:00")
	w.explains(t, droidFolder+"a.settings.json")
}

// explains: a trace tells of every row that the ledger has of a source.
func (w *watched) explains(t *testing.T, path string) {
	t.Helper()
	if d := cmp.Diff([]string{"counted a 10", "counted a@20260825T0915Z 23"}, w.traces(t, path)); d != "" {
		t.Errorf("traces (-want +got):\n%s", d)
	}
}

// traces are what explain is told of a source: verdict, id, output.
func (w *watched) traces(t *testing.T, path string) (got []string) {
	t.Helper()
	path = filepath.Join(w.h.dir, filepath.FromSlash(path))
	s, err := scanner.New(w.ledger, scanner.Options{Env: w.h.env, Harnesses: []harnesses.Harness{w.f.harness}, StoreText: true})
	must(t, err)
	must(t, s.Trace(t.Context(), []scanner.Source{{Harness: w.f.harness.ID, Path: path}}, func(x scanner.Traced) error {
		for _, tr := range x.Batch.Traces {
			got = append(got, fmt.Sprintf("%s %s %d", tr.Verdict, tr.NativeID, tr.Tokens.Output.N))
		}
		return x.Err
	}))
	return got
}
