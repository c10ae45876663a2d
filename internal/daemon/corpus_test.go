package daemon

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"meterbridge/internal/config"
	"meterbridge/internal/corpus"
)

// corpusSize is what continuous integration can afford; METERBRIDGE_CORPUS
// names another size for a run by hand.
func corpusSize(t *testing.T) int64 {
	text := os.Getenv("METERBRIDGE_CORPUS")
	switch {
	case text != "":
	case testing.Short():
		text = "20MB"
	default:
		text = "100MB"
	}
	n, err := corpus.ParseSize(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// openAt opens an installation whose logs and ledger are below home.
func openAt(t *testing.T, home string) *Meter {
	t.Helper()
	m, err := Open(t.Context(), Options{
		Home: home, OS: "linux", Now: time.Now, Getenv: func(string) string { return "" },
		Paths: &config.Paths{Data: filepath.Join(home, "meterbridge"), Config: filepath.Join(home, "meterbridge")},
	})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestCorpus_ExactByDayModelProjectAndSession(t *testing.T) {
	home := t.TempDir()
	truth, err := corpus.Generate(corpus.Options{Out: home, Size: corpusSize(t)})
	if err != nil {
		t.Fatal(err)
	}
	m := openAt(t, home)
	defer m.Close()
	if _, err := m.Scan(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	for part, id := range map[string]string{"claude": "claude-code", "codex": "codex-cli", "opencode": "opencode"} {
		p := truth[part]
		for by, want := range map[string]corpus.Group{
			"day": p.ByDay, "model": p.ByModel, "project": p.ByProject, "session": p.BySession,
		} {
			checkCorpus(t, m, id, by, want, p.Totals)
		}
	}
}

func checkCorpus(t *testing.T, m *Meter, id, by string, want corpus.Group, totals corpus.Tok) {
	t.Helper()
	r, err := m.Usage(t.Context(), UsageQuery{By: by, Filter: Filter{Harness: id}, Zone: time.UTC, Cost: "auto"})
	if err != nil {
		t.Fatalf("%s by %s: %v", id, by, err)
	}
	got := map[string]corpus.Tok{}
	for _, row := range r.Rows {
		key := row.Key
		if by == "project" && id == "claude-code" {
			key = strings.ReplaceAll(key, "/", "-")
		}
		got[key] = tokOf(row.Numbers)
	}
	wrong := 0
	for _, key := range slices.Sorted(maps.Keys(want)) {
		w := *want[key]
		w.Write5m, w.Write1h = 0, 0
		if got[key] != w {
			if wrong++; wrong <= 3 {
				t.Errorf("%s by %s, %s:\nwant %+v\ngot  %+v", id, by, key, w, got[key])
			}
		}
		delete(got, key)
	}
	if wrong > 0 || len(got) > 0 {
		t.Errorf("%s by %s: %d of %d keys wrong, %d keys too many", id, by, wrong, len(want), len(got))
	}
	totals.Write5m, totals.Write1h = 0, 0
	if g := tokOf(r.Totals); g != totals {
		t.Errorf("%s by %s, totals:\nwant %+v\ngot  %+v", id, by, totals, g)
	}
}

// tokOf counts null as 0, as the truth does.
func tokOf(n Numbers) corpus.Tok {
	zero := func(p *int64) int64 {
		if p == nil {
			return 0
		}
		return *p
	}
	return corpus.Tok{
		Requests: n.Requests, Input: zero(n.InputTokens), Output: zero(n.OutputTokens), Reasoning: zero(n.ReasoningTokens),
		CacheRead: zero(n.CacheReadTokens), CacheWrite: zero(n.CacheWriteTokens), Total: zero(n.TotalTokens),
	}
}
