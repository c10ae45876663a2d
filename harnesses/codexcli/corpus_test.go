package codexcli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// corpusVariable names the folder of a generated corpus (see docs/formats):
// without it the test and the benchmark of the corpus have nothing to read.
const corpusVariable = "METERBRIDGE_CORPUS"

type sums struct {
	Requests  int64 `json:"requests"`
	Input     int64 `json:"input"`
	Output    int64 `json:"output"`
	Reasoning int64 `json:"reasoning"`
	CacheRead int64 `json:"cache_read"`
}

func TestCorpus_EqualsItsTruth(t *testing.T) {
	dir := os.Getenv(corpusVariable)
	if dir == "" {
		t.Skip(corpusVariable + " is not set")
	}
	raw, err := os.ReadFile(filepath.Join(dir, "truth.json"))
	if err != nil {
		t.Fatal(err)
	}
	var truth struct {
		Codex struct {
			Totals  sums            `json:"totals"`
			Day     map[string]sums `json:"by_day_utc"`
			Model   map[string]sums `json:"by_model"`
			Project map[string]sums `json:"by_project"`
			Session map[string]sums `json:"by_session"`
		} `json:"codex"`
	}
	if err := json.Unmarshal(raw, &truth); err != nil {
		t.Fatal(err)
	}
	got := truth
	got.Codex.Totals = sums{}
	got.Codex.Day, got.Codex.Model = map[string]sums{}, map[string]sums{}
	got.Codex.Project, got.Codex.Session = map[string]sums{}, map[string]sums{}
	all := parseAll(home(t, dir), nil)
	for _, q := range all.Requests {
		plus := func(s sums) sums {
			k := q.Tokens
			return sums{
				s.Requests + 1, s.Input + k.Input.N, s.Output + k.Output.N,
				s.Reasoning + k.Reasoning.N, s.CacheRead + k.CacheRead.N,
			}
		}
		c := &got.Codex
		c.Totals = plus(c.Totals)
		c.Day[q.EndedAt.Format("2006-01-02")] = plus(c.Day[q.EndedAt.Format("2006-01-02")])
		c.Model[q.Model] = plus(c.Model[q.Model])
		c.Project[q.Project] = plus(c.Project[q.Project])
		c.Session[q.Session] = plus(c.Session[q.Session])
	}
	if diff := cmp.Diff(truth, got); diff != "" {
		t.Errorf("want - got +\n%s", diff)
	}
	t.Logf("%d requests, %d prompts, %d tool calls, %d problems", len(all.Requests), len(all.Prompts), len(all.ToolCalls), len(all.Problems))
}
