package analytics

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"meterbridge"
)

// paid is a request of one token of a model, in a session, with a recorded cost
// in pico-USD unless that is 0.
func paid(session, native, model string, recorded int64) meterbridge.Request {
	r := said(session, native, 0, 1)
	r.Model, r.Tokens = model, meterbridge.Tokens{Input: meterbridge.Reported(1)}
	if recorded != 0 {
		r.Recorded = meterbridge.SomePico(meterbridge.Pico(recorded))
	}
	return r
}

// costs is what a row says of money.
type costs struct {
	Micro    *int64
	Partial  bool
	Basis    string
	Unpriced []string
}

func costsOf(n Numbers) costs {
	return costs{n.CostMicroUSD, n.CostPartial, n.CostBasis, n.UnpricedModels}
}

func TestUsage_RoundsUpOncePerFigure(t *testing.T) {
	// M-09: each request costs 0.6 micro-USD.
	l := open(t, Options{ReportZone: time.UTC, Prices: flat{"1", map[string]int64{"m1": 600_000}}})
	scanned(t, l, logOf("/logs/a.jsonl", paid("S1", "a", "m1", 0), paid("S2", "b", "m1", 0), paid("S2", "c", "m1", 0)))
	r := usageOf(t, l, UsageQuery{By: "session"})
	got := map[string]int64{"totals": *r.Totals.CostMicroUSD}
	for _, row := range r.Rows {
		got[row.Key] = *row.CostMicroUSD
	}
	if diff := cmp.Diff(map[string]int64{"S1": 1, "S2": 2, "totals": 2}, got); diff != "" {
		t.Errorf("micro-USD (-want +got):\n%s", diff)
	}
}

func TestUsage_CostsByMode(t *testing.T) {
	// N-09: 10000 recorded, 4500 list, an unknown model, and 2 recorded for it.
	l := open(t, Options{ReportZone: time.UTC, Prices: flat{"1", map[string]int64{"m1": 4_500_000_000}}})
	free := paid("S1", "e", "m9", 0)
	free.Tokens = meterbridge.Tokens{Input: meterbridge.Reported(0)}
	scanned(t, l, logOf("/logs/a.jsonl",
		paid("S1", "a", "m1", 10_000_000_000), paid("S1", "b", "m1", 0), paid("S1", "c", "m9", 0), paid("S1", "d", "m9", 2_000_000), free,
		paid("S2", "f", "m9", 0)))
	n := func(v int64) *int64 { return &v }
	none := costs{nil, false, "none", []string{"m9"}}
	for _, c := range []struct {
		mode           CostMode
		s1, s2, totals costs
	}{
		{CostAuto, costs{n(14502), true, "mixed", []string{"m9"}}, none, costs{n(14502), true, "mixed", []string{"m9"}}},
		{CostRecorded, costs{n(10002), true, "recorded", []string{"m1", "m9"}}, none, costs{n(10002), true, "recorded", []string{"m1", "m9"}}},
		{CostList, costs{n(9000), true, "list", []string{"m9"}}, none, costs{n(9000), true, "list", []string{"m9"}}},
	} {
		want := []costs{c.s1, c.s2, c.totals}
		r := usageOf(t, l, UsageQuery{By: "session", Cost: c.mode})
		got := []costs{costsOf(r.Rows[0].Numbers), costsOf(r.Rows[1].Numbers), costsOf(r.Totals)}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("--cost %s (-want +got):\n%s", c.mode, diff)
		}
		// The rollup tells the same.
		day := usageOf(t, l, UsageQuery{By: "day", Cost: c.mode})
		if diff := cmp.Diff(c.totals, costsOf(day.Totals)); diff != "" {
			t.Errorf("--cost %s by day (-want +got):\n%s", c.mode, diff)
		}
	}
}

func TestUsage_SumsBeyond64Bits(t *testing.T) {
	// Twelve times 999,999 USD are 1.2e19 pico-USD, more than 64 bits hold, and
	// the list price of one request alone is 5e18 tokens at 7 pico-USD.
	l := open(t, Options{ReportZone: time.UTC, Prices: flat{"1", map[string]int64{"m2": 7}}})
	var requests []meterbridge.Request
	for i := range 12 {
		requests = append(requests, paid("S1", string(rune('a'+i)), "m1", 999_999_000_000_000_000))
	}
	huge := paid("S2", "z", "m2", 0)
	huge.Tokens = meterbridge.Tokens{Input: meterbridge.Reported(5_000_000_000_000_000_000)}
	huge2 := huge
	huge2.NativeID = "y"
	scanned(t, l, logOf("/logs/a.jsonl", append(requests, huge, huge2)...))
	r := usageOf(t, l, UsageQuery{By: "session"})
	if got, want := *r.Rows[0].CostMicroUSD, int64(12*999_999_000_000); got != want {
		t.Errorf("recorded %d micro-USD, want %d", got, want)
	}
	if got, want := *r.Rows[1].CostMicroUSD, int64(70_000_000_000_000); got != want {
		t.Errorf("list %d micro-USD, want %d", got, want)
	}
	// Tokens stop at the largest number instead of failing every report.
	if got, want := *r.Rows[1].InputTokens, int64(1<<63-1); got != want {
		t.Errorf("%d tokens, want %d", got, want)
	}
}

func TestOpen_NewPricesReplaceListPricesOnly(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ledger.duckdb")
	var got []string
	for i, prices := range []flat{
		{"1", map[string]int64{"m1": 1_000_000}}, {"1", map[string]int64{"m1": 9_000_000}}, {"2", map[string]int64{"m1": 3_000_000, "m9": 5_000_000}},
	} {
		l, err := Open(t.Context(), path, Options{ReportZone: time.UTC, Prices: prices})
		if err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			scanned(t, l, logOf("/logs/a.jsonl", paid("S1", "a", "m1", 0), paid("S1", "b", "m9", 0), paid("S1", "c", "m9", 77_000_000)))
		}
		got = append(got, dump(t, l, "SELECT price_table, sum(recorded_pusd), sum(list_pusd), count(list_pusd) FROM requests GROUP BY 1")...)
		if r := usageOf(t, l, UsageQuery{By: "day"}); i == 2 && *r.Totals.CostMicroUSD != 3+5+77 {
			t.Errorf("the rollup costs %d micro-USD, want 85", *r.Totals.CostMicroUSD)
		}
		if rates := ratesOf(t, l); i == 1 && rates != "1" || i == 2 && rates != "2" {
			t.Errorf("%s rates in round %d", rates, i)
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
	// Another table has another version; the same version is not computed again.
	want := []string{"1 77000000 1000000 1", "1 77000000 1000000 1", "2 77000000 13000000 3"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("prices (-want +got):\n%s", diff)
	}
}

// ratesOf is the number of rows of the view prices as `sql` shows it.
func ratesOf(t *testing.T, l *Ledger) string {
	t.Helper()
	r, err := l.SQL(t.Context(), "SELECT count(*) AS n FROM prices", SQLLimits{})
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(r.Rows[0][0])
}
