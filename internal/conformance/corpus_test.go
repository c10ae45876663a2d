package conformance

import (
	"maps"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"meterbridge/harnesses"
	"meterbridge/harnesses/all"
	"meterbridge/harnesses/fixtures"
	"meterbridge/internal/corpus"
	"meterbridge/internal/testkit"
)

// TestCorpus_GrownAndDisrupted lets the logs of a generated corpus grow in
// random pieces and then be deleted, cut, replaced and restored: after every look
// at all of it the sums are those of the corpus' own truth.
func TestCorpus_GrownAndDisrupted(t *testing.T) {
	dir := t.TempDir()
	size := int64(6e6)
	if testing.Short() {
		size = 2e6
	}
	truth, err := corpus.Generate(corpus.Options{Out: dir, Size: size, Seed: 3})
	must(t, err)
	for part, id := range map[string]string{"claude": "claude-code", "codex": "codex-cli", "opencode": "opencode"} {
		t.Run(id, func(t *testing.T) {
			recipe := fixtures.Recipe{}
			f := &fixture{harness: byID(t, id)}
			grown(t, f, home{recipe.Environment(dir), dir}, truth[part])
		})
	}
}

func byID(t *testing.T, id string) harnesses.Harness {
	t.Helper()
	for _, h := range all.Harnesses() {
		if h.ID == id {
			return h
		}
	}
	t.Fatalf("no harness %s", id)
	return harnesses.Harness{}
}

func grown(t *testing.T, f *fixture, h home, truth *corpus.Part) {
	t.Helper()
	reference := &testkit.Memory{}
	f.scan(t, h.env, reference)
	logs := f.logs(t, h, reference)
	check(t, "one look", reference, truth)
	r := rand.New(rand.NewPCG(5, 17))
	ledger := &testkit.Memory{}
	look := func() { f.scan(t, h.env, ledger) }
	f.grow(t, h, logs, r, seldom(1+len(logs)/20, look))
	look()
	check(t, "grown in pieces", ledger, truth)
	for range 20 {
		for range 1 + len(logs)/30 {
			disrupt(t, logs[r.IntN(len(logs))], r)
		}
		look()
	}
	check(t, "disrupted", ledger, truth)
	for _, l := range logs {
		replace(t, l.path, l.content)
	}
	look()
	check(t, "restored", ledger, truth)
}

// check compares a ledger with the truth, in all and by day and model. Sessions
// are left out: who owns a shared request depends on what was seen first.
func check(t *testing.T, when string, m *testkit.Memory, truth *corpus.Part) {
	t.Helper()
	got := map[string]corpus.Tok{}
	for _, r := range m.Rows() {
		k := r.Tokens
		one := corpus.Tok{
			Requests: 1, Input: k.Input.N, Output: k.Output.N, Reasoning: k.Reasoning.N, CacheRead: k.CacheRead.N,
			CacheWrite: k.CacheWrite().N, Total: k.Total(),
		}
		for _, key := range []string{"all", "day " + r.EndedAt.UTC().Format("2006-01-02"), "model " + r.Model} {
			got[key] = sum(got[key], one)
		}
	}
	want := map[string]corpus.Tok{"all": truth.Totals}
	for day, k := range truth.ByDay {
		want["day "+day] = *k
	}
	for model, k := range truth.ByModel {
		want["model "+model] = *k
	}
	for key, k := range maps.Clone(want) {
		k.Write5m, k.Write1h = 0, 0
		want[key] = k
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("%s (-truth +ledger):\n%s", when, d)
	}
}

func sum(a, b corpus.Tok) corpus.Tok {
	return corpus.Tok{
		Requests: a.Requests + b.Requests, Input: a.Input + b.Input, Output: a.Output + b.Output, Reasoning: a.Reasoning + b.Reasoning,
		CacheRead: a.CacheRead + b.CacheRead, CacheWrite: a.CacheWrite + b.CacheWrite, Total: a.Total + b.Total,
	}
}
