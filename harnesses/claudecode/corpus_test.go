package claudecode

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// corpusVariable names a folder that the corpus generator filled; the test of
// the whole corpus lives elsewhere, this one is for work on the parser alone.
const corpusVariable = "METERBRIDGE_CORPUS"

func TestCorpus_EqualsItsTruth(t *testing.T) {
	home := os.Getenv(corpusVariable)
	if home == "" {
		t.Skip("no " + corpusVariable)
	}
	truth := readTruth(t, filepath.Join(home, "truth.json"))
	for name, at := range map[string]cut{"whole": whole, "every 7 lines": every(7)} {
		tr := readTree(t, at, filepath.Join(home, ".claude"))
		if diff := cmp.Diff(truth.Totals.sums(), tr.sums()); diff != "" {
			t.Errorf("%s: totals (-want +got):\n%s", name, diff)
		}
		day, model, session := map[string]sums{}, map[string]sums{}, map[string]sums{}
		for _, q := range tr.requests {
			root, _, _ := strings.Cut(q.Session, "/")
			for key, group := range map[string]map[string]sums{q.EndedAt.Format("2006-01-02"): day, q.Model: model, root: session} {
				s := group[key]
				s.add(q.Tokens)
				group[key] = s
			}
		}
		for _, c := range []struct {
			by   string
			want map[string]truthSums
			got  map[string]sums
		}{{"day", truth.ByDay, day}, {"model", truth.ByModel, model}, {"session", truth.BySession, session}} {
			want := map[string]sums{}
			for k, v := range c.want {
				want[k] = v.sums()
			}
			if diff := cmp.Diff(want, c.got); diff != "" {
				t.Errorf("%s: by %s (-want +got):\n%s", name, c.by, diff)
			}
		}
		if n := len(tr.batch.Problems); n > 0 {
			t.Errorf("%s: %d problems, the first: %+v", name, n, tr.batch.Problems[0])
		}
	}
}

type truthSums struct {
	Requests  int64 `json:"requests"`
	Input     int64 `json:"input"`
	Output    int64 `json:"output"`
	Reasoning int64 `json:"reasoning"`
	CacheRead int64 `json:"cache_read"`
	Write5m   int64 `json:"cache_write_5m"`
	Write1h   int64 `json:"cache_write_1h"`
}

func (s truthSums) sums() sums { return sums(s) }

type truth struct {
	Totals    truthSums            `json:"totals"`
	ByDay     map[string]truthSums `json:"by_day_utc"`
	ByModel   map[string]truthSums `json:"by_model"`
	BySession map[string]truthSums `json:"by_session"`
}

func readTruth(t *testing.T, path string) truth {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var all struct {
		Claude truth `json:"claude"`
	}
	if err := json.Unmarshal(b, &all); err != nil {
		t.Fatal(err)
	}
	return all.Claude
}
