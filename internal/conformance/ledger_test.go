package conformance

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"meterbridge"
	"meterbridge/analytics"
	"meterbridge/internal/testkit"
)

// both is a sink that writes to the real ledger and to the model.
type both struct {
	*analytics.Ledger
	model *testkit.Memory
}

func (b both) Checkpoints(ctx context.Context) ([]meterbridge.Checkpoint, error) {
	if _, err := b.model.Checkpoints(ctx); err != nil {
		return nil, err
	}
	if err := b.BeginScan(ctx); err != nil {
		return nil, err
	}
	return b.Ledger.Checkpoints(ctx)
}

func (b both) Commit(ctx context.Context, units []meterbridge.Unit) error {
	theirs := slices.Clone(units) // each gives new sources numbers of its own
	if err := b.Ledger.Commit(ctx, theirs); err != nil {
		return err
	}
	if err := b.model.Commit(ctx, units); err != nil {
		return err
	}
	for i := range units {
		if units[i].Checkpoint.Source != theirs[i].Checkpoint.Source {
			return fmt.Errorf("the ledger calls %s source %d, the model %d", units[i].Checkpoint.Path, theirs[i].Checkpoint.Source, units[i].Checkpoint.Source)
		}
	}
	return nil
}

// TestLedger_ObeysTheModel grows and disrupts the logs of every fixture and
// compares the real ledger with the model after it.
func TestLedger_ObeysTheModel(t *testing.T) {
	forEachFixture(t, func(t *testing.T, f *fixture) {
		home, reference := f.build(t), &testkit.Memory{}
		f.scan(t, home.env, reference)
		logs := f.logs(t, home, reference)
		ledger, err := analytics.Open(t.Context(), filepath.Join(t.TempDir(), "ledger.duckdb"), analytics.Options{ReportZone: time.UTC})
		must(t, err)
		defer ledger.Close()
		sink := both{ledger, &testkit.Memory{}}
		look := func() {
			f.scan(t, home.env, sink)
			must(t, ledger.EndScan(t.Context()))
		}
		r := rand.New(rand.NewPCG(1, 13))
		f.grow(t, home, logs, r, seldom(5, look))
		look()
		for range min(4, len(logs)) {
			disrupt(t, logs[r.IntN(len(logs))], r)
			look()
		}
		for _, law := range []struct {
			name, query string
			rows        map[string]string
		}{
			{"requests", requestsQuery, requestTexts(sink.model)},
			{"sessions", sessionsQuery, sessionTexts(sink.model)},
		} {
			got := ask(t, ledger, law.query)
			if law.name == "sessions" {
				maps.DeleteFunc(got, func(id, _ string) bool { _, described := law.rows[id]; return !described })
			}
			if d := cmp.Diff(law.rows, got); d != "" {
				t.Errorf("%s (-model +ledger):\n%s", law.name, d)
			}
		}
	})
}

// seldom does every nth of what it is asked to.
func seldom(n int, do func()) func() {
	asked := 0
	return func() {
		if asked++; asked%n == 0 {
			do()
		}
	}
}

// ask runs a query whose first column is a key.
func ask(t *testing.T, l *analytics.Ledger, query string) map[string]string {
	t.Helper()
	r, err := l.SQL(t.Context(), query, analytics.SQLLimits{Rows: 100_000})
	must(t, err)
	out := map[string]string{}
	for _, row := range r.Rows {
		out[fmt.Sprint(row[0])] = text(row[1:])
	}
	return out
}

func text(values []any) string {
	parts := make([]string, len(values))
	for i, v := range values {
		if parts[i] = fmt.Sprint(v); v == nil {
			parts[i] = ""
		}
	}
	return strings.Join(parts, "|")
}

const requestsQuery = `SELECT replace(id::VARCHAR, '-', ''), session, model, provider, epoch_ms(ended_at), input_tokens, output_tokens,
  reasoning_tokens, cache_read_tokens, cache_write_5m_tokens, cache_write_1h_tokens, web_searches, recorded_pusd, tools, project, branch FROM requests`

func requestTexts(m *testkit.Memory) map[string]string {
	out := map[string]string{}
	for _, r := range m.Rows() {
		t := r.Tokens
		var recorded any
		if r.Recorded.OK {
			recorded = r.Recorded.Amount.Big()
		}
		out[fmt.Sprintf("%x", r.ID())] = text([]any{
			r.Session, r.Model, r.Provider, r.EndedAt.UnixMilli(), plain(t.Input), plain(t.Output), plain(t.Reasoning), plain(t.CacheRead),
			plain(t.CacheWrite5m), plain(t.CacheWrite1h), plain(r.WebSearches), recorded, strings.Join(r.Tools, ", "), r.Project, r.Branch,
		})
	}
	return out
}

func plain(c meterbridge.Count) any {
	if !c.OK {
		return nil
	}
	return c.N
}

const sessionsQuery = `SELECT session, parent_session, relation, title FROM sessions`

// sessionTexts are the sessions that logs describe; the ledger also has those
// that logs only name.
func sessionTexts(m *testkit.Memory) map[string]string {
	out := map[string]string{}
	for _, s := range m.Sessions() {
		out[s.ID] = text([]any{s.Parent, s.Relation, s.Title})
	}
	return out
}
