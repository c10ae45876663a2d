package conformance

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"meterbridge"
	"meterbridge/internal/corpus"
	"meterbridge/internal/daemon"
)

// numbered are ids that a gateway counts up (msg_0, msg_1): they are no message's
// own, and the same one may be of two requests.
func numbered(responseID string) bool { return len(responseID) <= 12 }

// byID are a subject's rows by identity.
func (f *facts) byID(t *testing.T) map[string]row {
	t.Helper()
	out := map[string]row{}
	for _, r := range f.rows {
		if _, twice := out[r.id]; twice {
			t.Errorf("%v has two rows", r)
		}
		out[r.id] = r
	}
	return out
}

// total is what every report must have.
func (f *facts) total() daemon.Numbers { return f.usage["month"].Totals }

// I-1: count per message, not per line.
func TestInvariant_I01_OneRowPerMessage(t *testing.T) {
	forEachSubject(t, 100, func(t *testing.T, f *facts) (several int) {
		responses := map[string]row{}
		for _, r := range f.byID(t) {
			other, twice := responses[r.harness+r.responseID]
			if twice && r.responseID != "" && !numbered(r.responseID) {
				t.Errorf("response %s is two requests:\n%v\n%v", r.responseID, other, r)
			}
			responses[r.harness+r.responseID] = r
		}
		rows := f.byID(t)
		for id, records := range f.raw.records {
			if len(records) > 1 {
				several++
			}
			if _, ok := rows[id]; !ok && !f.named(records[0].file) && records[0].harness != "opencode" { // there forks copy under new ids
				t.Errorf("message %s has usage and no row", records[0].id)
			}
		}
		if f.want != nil && len(f.rows) != len(f.want) {
			t.Errorf("%d rows, want.json has %d", len(f.rows), len(f.want))
		}
		calls := int64(0)
		for _, r := range f.rows {
			calls += r.calls
		}
		if got := f.total().Requests; got != calls {
			t.Errorf("the reports have %d requests, the ledger %d", got, calls)
		}
		f.forEachPart(t, func(name string, got corpus.Tok, p *corpus.Part) {
			if got.Requests != p.Totals.Requests || got.Requests == p.Naive.Requests {
				t.Errorf("%s: %d requests, want %d (usage records: %d)", name, got.Requests, p.Totals.Requests, p.Naive.Requests)
			}
		})
		return several
	})
}

// named reports whether doctor names a problem in a file: what it cannot count
// (a record without any time) it names.
func (f *facts) named(file string) bool {
	for _, p := range f.doctor.Problems {
		for _, x := range p.Examples {
			if x.Path == file {
				return true
			}
		}
	}
	return false
}

// forEachPart compares the corpus's harnesses with its truth.
func (f *facts) forEachPart(t *testing.T, law func(name string, got corpus.Tok, p *corpus.Part)) {
	t.Helper()
	for name, id := range map[string]string{"claude": "claude-code", "codex": "codex-cli", "opencode": "opencode"} {
		p := f.truth[name]
		if p == nil {
			continue
		}
		for _, r := range f.usage["harness"].Rows {
			if r.Key == id {
				law(name, tokOf(r.Numbers), p)
			}
		}
	}
}

func tokOf(n daemon.Numbers) corpus.Tok {
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

// I-2: records of one message are identical or grow: the greatest counts, not the
// first. A side chain's replay never outdoes the record of the conversation.
func TestInvariant_I02_TheGreatestRecordCounts(t *testing.T) {
	forEachSubject(t, 100, func(t *testing.T, f *facts) (grew int) {
		rows := f.byID(t)
		for id, records := range f.raw.records {
			r, ok := rows[id]
			if !ok || numbered(records[0].id) {
				continue
			}
			most := greatest(records)
			if most > records[0].tokens.output.N {
				grew++
			}
			if r.tokens.output.N != most {
				t.Errorf("%v: want the greatest output %d of its %d records", r, most, len(records))
			}
		}
		f.forEachPart(t, func(name string, got corpus.Tok, p *corpus.Part) {
			if got.Output != p.Totals.Output || (name == "claude" && got.Output == p.FirstWins.Output) {
				t.Errorf("%s: output %d, want %d (first record wins: %d)", name, got.Output, p.Totals.Output, p.FirstWins.Output)
			}
		})
		return grew
	})
}

func greatest(records []record) int64 {
	main, side := int64(-1), int64(-1)
	for _, r := range records {
		if r.side {
			side = max(side, r.tokens.output.N)
		} else {
			main = max(main, r.tokens.output.N)
		}
	}
	if main >= 0 {
		return main
	}
	return side
}

// I-4: partial snapshots are never added, and never mixed: each row is, figure by
// figure, what one record says.
func TestInvariant_I04_EachRowIsOneRecord(t *testing.T) {
	forEachSubject(t, 500, func(t *testing.T, f *facts) (checked int) {
		for _, r := range f.rows {
			records, ok := f.raw.records[r.id]
			switch {
			case r.harness == "codex-cli":
				_, ok = f.raw.counters[r.tokens]
			case !ok || f.steps(r):
				continue
			default:
				ok = hasTokens(records, r.tokens)
			}
			if checked++; !ok && !f.raw.strange[r.source] {
				t.Errorf("%v: no record says that", r)
			}
		}
		f.forEachPart(t, func(name string, got corpus.Tok, p *corpus.Part) {
			want := p.Totals
			want.Write5m, want.Write1h = 0, 0
			if got != want || got.Total >= p.Naive.Total && p.Naive.Total != want.Total {
				t.Errorf("%s: %+v, want %+v (sum of every record: %+v)", name, got, want, p.Naive)
			}
		})
		return checked
	})
}

// steps reports whether a message of several requests is told by its parts.
func (f *facts) steps(r row) bool {
	return filepath.Base(f.name) == "several-steps" && r.harness == "opencode"
}

func hasTokens(records []record, want figures) bool {
	for _, r := range records {
		if r.tokens == want {
			return true
		}
	}
	return false
}

// I-6: a reported number stands alone. A class that no record reports is null in
// every row and report, neither 0 nor an estimate, and a recorded cost is the cost.
func TestInvariant_I06_NoEstimateBesideAReport(t *testing.T) {
	forEachSubject(t, 150, func(t *testing.T, f *facts) int {
		sum := map[string]meterbridge.Count{}
		for _, r := range f.rows {
			for class, n := range map[string]meterbridge.Count{
				"input": r.tokens.input, "output": r.tokens.output, "reasoning": r.reasoning, "cacheRead": r.tokens.cacheRead, "cacheWrite": r.tokens.cacheWrite,
			} {
				sum[class] = sum[class].Plus(n)
			}
			if r.recorded != "" && r.cost != r.recorded {
				t.Errorf("%v: cost %s, its log says %s", r, r.cost, r.recorded)
			}
		}
		for class, got := range sum {
			if want, told := f.wanted(class); told && got != want {
				t.Errorf("%s: the rows have %v, want.json %v", class, got, want)
			}
		}
		for _, by := range asked {
			n := f.usage[by].Totals
			for class, p := range map[string]*int64{
				"input": n.InputTokens, "output": n.OutputTokens, "reasoning": n.ReasoningTokens, "cacheRead": n.CacheReadTokens, "cacheWrite": n.CacheWriteTokens,
			} {
				if got := pointed(p); got != sum[class] && len(f.rows) > 0 {
					t.Errorf("usage by %s, %s: %v, the rows have %v", by, class, got, sum[class])
				}
			}
		}
		return len(f.rows)
	})
}

func pointed(p *int64) meterbridge.Count {
	if p == nil {
		return meterbridge.Count{}
	}
	return meterbridge.Reported(*p)
}

// wanted is the sum of a class of want.json, null when every value is; told is
// false when want.json leaves it out.
func (f *facts) wanted(class string) (sum meterbridge.Count, told bool) {
	fields := []string{class}
	if class == "cacheWrite" {
		fields = []string{"cacheWrite5m", "cacheWrite1h"}
	}
	for _, o := range f.want {
		for _, field := range fields {
			v, ok := o[field]
			if !ok {
				return sum, false
			}
			whole, _, _ := strings.Cut(plainText(v), ".") // numbers of want.json are kept as decimals
			if n, err := strconv.ParseInt(whole, 10, 64); err == nil {
				sum = sum.Plus(meterbridge.Reported(n))
			}
		}
	}
	return sum, len(f.want) > 0
}

// I-12: that reasoning lies inside output is proved by a total, never by a name.
func TestInvariant_I12_ReasoningIsWhereTheTotalPutsIt(t *testing.T) {
	var codex, openCode atomic.Int64
	forEachSubject(t, 100, func(t *testing.T, f *facts) (proved int) {
		for _, r := range f.rows {
			// A remainder completes finer rows: its reasoning lies in their output.
			if r.reasoning.N > r.tokens.output.N && r.rule != meterbridge.RuleRemainder {
				t.Errorf("%v: reasoning %d is more than output", r, r.reasoning.N)
			}
			records := slices.Clone(f.raw.records[r.id])
			if r.harness == "codex-cli" {
				records = append(records, record{tokens: r.tokens, total: f.raw.counters[r.tokens], reasoning: reported(r.reasoning)})
			}
			for _, rec := range records {
				if !rec.total.OK || rec.tokens != r.tokens || rec.reasoning.N == 0 {
					continue
				}
				if rec.total.N != r.tokens.total() {
					t.Errorf("%v: its record's total is %d, its figures add up to %d", r, rec.total.N, r.tokens.total())
				}
				proved++
				if r.harness == "codex-cli" {
					codex.Add(1) // reasoning inside output
				} else {
					openCode.Add(1) // beside it
				}
			}
		}
		return proved
	})
	if !testing.Short() && (codex.Load() == 0 || openCode.Load() == 0) {
		t.Errorf("totals prove where reasoning lies of %d requests of Codex and %d of OpenCode, want both", codex.Load(), openCode.Load())
	}
}
