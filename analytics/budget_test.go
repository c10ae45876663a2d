package analytics

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"meterbridge"
)

func berlin(t *testing.T) *time.Location {
	t.Helper()
	zone, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	return zone
}

// spentShop has one request for each window that holds now, Wednesday
// 2026-10-14 17:00 in Berlin, and each with a figure of its own: 1 in the month,
// 10 the Sunday before, 100 on Monday, 1000 on the day, 10000 (without a price)
// and 100000 in the blocks of two harnesses.
func spentShop(t *testing.T) *world {
	w := newWorld(t, Options{ReportZone: time.UTC, Now: func() time.Time { return instant("2026-10-14T15:00:00Z") }})
	w.together(func() {
		w.session(sessionRow{id: 1, harness: "claude-code", native: "a", first: at("2026-09-30T22:00:00Z"), last: at("2026-10-14T12:30:00Z")})
		w.session(sessionRow{id: 2, harness: "codex-cli", native: "b", first: at("2026-10-14T13:10:00Z"), last: at("2026-10-14T13:10:00Z")})
		for _, r := range []struct {
			at string
			n  int64
		}{
			{"2026-09-30T21:59:59Z", 7},
			{"2026-09-30T22:00:00Z", 1},
			{"2026-10-11T21:59:59Z", 10},
			{"2026-10-11T22:00:00Z", 100},
			{"2026-10-13T22:00:00Z", 1000},
			{"2026-10-14T12:30:00Z", 100_000},
		} {
			w.request(requestRow{native: r.at, harness: "claude-code", session: 1, project: "/p", model: "m", end: at(r.at), in: r.n, list: r.n * 1_000_000})
		}
		w.request(requestRow{native: "x", harness: "codex-cli", session: 2, project: "/q", model: "n", end: at("2026-10-14T13:10:00Z"), in: int64(10_000)})
	})
	w.summed()
	return w
}

func TestBudgets_SumTheirWindow(t *testing.T) {
	w, zone := spentShop(t), berlin(t)
	for _, c := range []struct {
		why    string
		budget Budget
		week   time.Weekday
		want   string
	}{
		{"the day in Berlin", Budget{Window: WindowDay}, time.Monday, "2026-10-14T00:00 to 2026-10-15T00:00 calendar 111000 tokens 101000 partial=true"},
		{"the week", Budget{Window: WindowWeek}, time.Monday, "2026-10-12T00:00 to 2026-10-19T00:00 calendar 111100 tokens 101100 partial=true"},
		{"the week from Sunday", Budget{Window: WindowWeek}, time.Sunday, "2026-10-11T00:00 to 2026-10-18T00:00 calendar 111110 tokens 101110 partial=true"},
		{"the month", Budget{Window: WindowMonth}, time.Monday, "2026-10-01T00:00 to 2026-11-01T00:00 calendar 111111 tokens 101111 partial=true"},
		{"the blocks of both", Budget{Window: WindowBlock}, time.Monday, "2026-10-14T14:00 to 2026-10-14T20:00 inferred 110000 tokens 100000 partial=true"},
		{"one harness", Budget{Window: WindowBlock, Filter: Filter{Harness: "codex-cli"}}, time.Monday, "2026-10-14T15:00 to 2026-10-14T20:00 inferred 10000 tokens none partial=false"},
		{"a harness without a block", Budget{Window: WindowBlock, Filter: Filter{Harness: "opencode"}}, time.Monday, "no window 0 tokens none partial=false"},
		{"a project", Budget{Window: WindowMonth, Filter: Filter{Project: "/p"}}, time.Monday, "2026-10-01T00:00 to 2026-11-01T00:00 calendar 101111 tokens 101111 partial=false"},
		{"a model", Budget{Window: WindowMonth, Filter: Filter{Model: "n"}}, time.Monday, "2026-10-01T00:00 to 2026-11-01T00:00 calendar 10000 tokens none partial=false"},
	} {
		got := budgetsOf(t, w.l, BudgetQuery{Budgets: []Budget{c.budget}, Zone: zone, WeekStart: c.week})[0]
		if text := budgetText(got); text != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.why, text, c.want)
		}
	}
}

func budgetsOf(t *testing.T, l *Ledger, q BudgetQuery) []BudgetState {
	t.Helper()
	states, err := l.Budgets(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	return states
}

func budgetText(s BudgetState) string {
	window, cost := "no window", "none"
	if s.Since != nil {
		window = fmt.Sprintf("%s to %s %s", s.Since.Format("2006-01-02T15:04"), s.Until.Format("2006-01-02T15:04"), *s.ResetSource)
	}
	if s.UsedMicroUSD != nil {
		cost = fmt.Sprint(*s.UsedMicroUSD)
	}
	return fmt.Sprintf("%s %d tokens %s partial=%v", window, s.UsedTokens, cost, s.CostPartial)
}

// A limit is reached when all of it is used, to the pico-USD; the limit that is
// nearest gives the ratio.
func TestBudgets_ReachTheirLimit(t *testing.T) {
	w := spentShop(t)
	usd := func(pico int64) *meterbridge.PicoUSD { p := meterbridge.Pico(pico); return &p }
	const spent = 101_000_000_000 // pico-USD of the day
	for _, c := range []struct {
		why     string
		budget  Budget
		reached bool
		ratio   float64
	}{
		{"exactly", Budget{MaxUSD: usd(spent)}, true, 1},
		{"one pico short", Budget{MaxUSD: usd(spent + 1)}, false, float64(spent) / float64(spent+1)},
		{"half", Budget{MaxUSD: usd(2 * spent)}, false, 0.5},
		{"tokens exactly", Budget{MaxTokens: ptr(int64(111_000))}, true, 1},
		{"tokens one short", Budget{MaxTokens: ptr(int64(111_001))}, false, 111_000.0 / 111_001},
		{"the nearer limit", Budget{MaxUSD: usd(4 * spent), MaxTokens: ptr(int64(222_000))}, false, 0.5},
		{"one of two", Budget{MaxUSD: usd(spent / 2), MaxTokens: ptr(int64(222_000))}, true, 2},
		{"nothing at all", Budget{MaxTokens: ptr(int64(0))}, true, 1},
	} {
		c.budget.Window = WindowDay
		got := budgetsOf(t, w.l, BudgetQuery{Budgets: []Budget{c.budget}, Zone: berlin(t)})[0]
		if got.Reached != c.reached || got.UsedRatio < c.ratio-1e-9 || got.UsedRatio > c.ratio+1e-9 {
			t.Errorf("%s: reached %v, ratio %v; want %v, %v", c.why, got.Reached, got.UsedRatio, c.reached, c.ratio)
		}
	}
}

// 60 tokens each ten minutes for two hours in a block from 13:00 to 18:00: at
// 15:00 720 are used and 18 stretches are left, so it ends with 1800, and 1000
// are reached 280/60 stretches (46 min 40 s) from now.
func TestBudgets_ForecastASteadyPace(t *testing.T) {
	w := newWorld(t, Options{ReportZone: time.UTC, Now: func() time.Time { return instant("2026-10-14T15:00:00Z") }})
	w.together(func() {
		w.session(sessionRow{id: 1, harness: "claude-code", native: "a", first: at("2026-10-14T13:05:00Z"), last: at("2026-10-14T14:55:00Z")})
		for i := range int64(12) {
			w.request(requestRow{native: fmt.Sprint(i), harness: "claude-code", session: 1, model: "m", end: at("2026-10-14T13:05:00Z") + i*600_000, in: int64(60)})
		}
	})
	w.summed()
	got := budgetsOf(t, w.l, BudgetQuery{Budgets: []Budget{{Window: WindowBlock, MaxTokens: ptr(int64(1000))}}, Zone: time.UTC})[0].Forecast
	at := instant("2026-10-14T15:46:40Z")
	want := &Forecast{Stretches: 12, StretchMs: 600_000, Tokens: Range{1800, 1800, 1800}, ReachedAt: &ReachedAt{&at, &at, &at}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("forecast (-want +got):\n%s", diff)
	}
}

// Two stretches with spending tell no pace.
func TestBudgets_NoForecastFromLittle(t *testing.T) {
	w := spentShop(t)
	if f := budgetsOf(t, w.l, BudgetQuery{Budgets: []Budget{{Window: WindowDay}}, Zone: time.UTC})[0].Forecast; f != nil {
		t.Errorf("forecast %+v of two requests, want none", f)
	}
}

// Stretches of 0 and 2 in turn: mean 1, variance 12/11. Four stretches on, the
// interval is 1.2816·√(12/11·(4+16/12)) = 3.09 to both sides of 4.
func TestPace_WidensWithTheSpread(t *testing.T) {
	var p pace
	for i := range p {
		p[i] = float64(2 * (i % 2))
	}
	if got, want := p.at(0, 4, 1), (Range{Low: 1, Likely: 4, High: 8}); got != want {
		t.Errorf("after 4 stretches %+v, want %+v", got, want)
	}
	if got, want := p.at(100, 0, 1), (Range{100, 100, 100}); got != want {
		t.Errorf("at once %+v, want %+v", got, want)
	}
}

// The newest observation counts as a whole; of a window that is over nothing is known.
func TestLimits_AreTheNewestSeen(t *testing.T) {
	w := spentShop(t)
	w.together(func() {
		for _, r := range []row{
			{"name": "primary", "happened_at": at("2026-10-14T12:00:00Z"), "window_ms": 18_000_000, "used_percent": 10.0, "resets_at": at("2026-10-14T16:00:00Z"), "plan": "pro"},
			{"name": "primary", "happened_at": at("2026-10-14T14:00:00Z"), "window_ms": 18_000_000, "used_percent": 40.0, "resets_at": at("2026-10-14T16:00:00Z"), "plan": "pro"},
			{"name": "secondary", "happened_at": at("2026-10-13T00:00:00Z"), "window_ms": 604_800_000, "used_percent": 70.0, "resets_at": at("2026-10-14T15:00:00Z")},
			{"name": "secondary", "happened_at": at("2026-10-12T00:00:00Z"), "window_ms": 604_800_000, "used_percent": 60.0, "resets_at": at("2026-10-20T00:00:00Z")},
		} {
			r["harness"], r["session"] = w.word("codex-cli"), 2
			w.insert("rate_limit", r)
		}
	})
	got, err := w.l.Limits(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := []VendorLimit{
		{
			Harness: "codex-cli", Name: "primary", SeenAt: instant("2026-10-14T14:00:00Z"), WindowMs: ptr(int64(18_000_000)),
			UsedPercent: ptr(40.0), ResetsAt: ptr(instant("2026-10-14T16:00:00Z")), Plan: ptr("pro"),
		},
		{
			Harness: "codex-cli", Name: "secondary", SeenAt: instant("2026-10-13T00:00:00Z"), WindowMs: ptr(int64(604_800_000)),
			ResetsAt: ptr(instant("2026-10-14T15:00:00Z")), Over: true,
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("limits (-want +got):\n%s", diff)
	}
}
