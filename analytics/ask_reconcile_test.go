package analytics

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// summed marks every day of the requests as to be summed, as a commit would.
func (w *world) summed() {
	w.t.Helper()
	w.exec("INSERT INTO rollup_dirty SELECT DISTINCT (ended_at // 86400000)::INTEGER FROM request")
	w.l.dirtied.Add(1)
}

func (w *world) exec(query string, args ...any) {
	w.t.Helper()
	if _, err := w.l.db.Exec(query, args...); err != nil {
		w.t.Fatalf("%s: %v", query, err)
	}
}

func (w *world) reconcile(o ReconcileOptions) ReconcileReport {
	w.t.Helper()
	r, err := w.l.Reconcile(w.t.Context(), o)
	if err != nil {
		w.t.Fatal(err)
	}
	return r
}

// broken are the names of the checks that do not hold.
func (r ReconcileReport) broken() []string {
	var out []string
	for _, c := range r.Checks {
		if !c.OK {
			out = append(out, c.Name)
		}
	}
	return out
}

// In: 10+20+5+12+100+1. Out: 120+80+40+60+10+2. Reasoning 30+4. Read 9000+9500+
// 100+9700+50. Written 700+0+60+300. Cost 1234567+2000001+5000000+7000000+1,
// by lists 9000000 for the 7000000 that are recorded.
func TestReconcile_Agrees(t *testing.T) {
	w := shop(t)
	w.summed()
	for _, zone := range []string{"UTC", "America/Los_Angeles", "Asia/Kathmandu"} {
		z, err := time.LoadLocation(zone)
		if err != nil {
			t.Fatal(err)
		}
		r := w.reconcile(ReconcileOptions{Zone: z})
		want := ExactTotals{Totals: Totals{6, 148, 312, 34, 28350, 1060}, CostPicoUSD: "15234569", RecordedPicoUSD: "7000000", ListPicoUSD: "17234569"}
		if !r.OK || r.Totals != (ReportTotals{want, 3}) || len(r.Checks) != 29 || len(r.Warnings) != 0 {
			t.Errorf("in %s: ok %v, %d checks, broken %v, warnings %v, totals %+v, want %+v", zone, r.OK, len(r.Checks), r.broken(), r.Warnings, r.Totals, want)
		}
	}
}

func TestReconcile_Cells(t *testing.T) {
	w := shop(t)
	w.summed()
	got := w.reconcile(ReconcileOptions{})
	want := []Cell{
		{Harness: "claude-code", Month: "2026-10", ExactTotals: ExactTotals{Totals{4, 47, 300, 30, 28300, 1060}, "8234568", "0", "8234568"}},
		{Harness: "claude-code", Machine: ptr("laptop"), Month: "2026-09", ExactTotals: ExactTotals{Totals{1, 1, 2, 0, 0, 0}, "1", "0", "1"}},
		{Harness: "codex-cli", Month: "2026-10", ExactTotals: ExactTotals{Totals{1, 100, 10, 4, 50, 0}, "7000000", "7000000", "9000000"}},
	}
	if d := cmp.Diff(want, got.Cells); d != "" {
		t.Errorf("cells (-want +got):\n%s", d)
	}
}

func TestReconcile_FindsWhatIsBroken(t *testing.T) {
	byDay := []string{"usage by day", "usage by week", "usage by month", "usage by project", "usage by model", "usage by harness", "the stored sums of days are those of their requests"}
	tests := []struct {
		why, change string
		want        []string
	}{
		{"a request twice", "INSERT INTO request SELECT * FROM request WHERE line = 6", append(byDay, "every request is there once")},
		{
			"a request without a session", "UPDATE request SET session = 99 WHERE line = 6",
			[]string{"usage by session", "usage by agent", "the stored sums of prompts are those of their prompts", "every request has a session"},
		},
		{"a stored sum that is wrong", "UPDATE rollup_day SET output = output + 1", byDay},
		{"a list price beside a recorded cost", "UPDATE request SET list_pusd = list_pusd + 1 WHERE recorded_pusd IS NOT NULL", byDay},
		{"a stored list price that is wrong", "UPDATE rollup_day SET list_pusd = list_pusd + 1 WHERE recorded_n > 0", byDay},
		{"a stored recorded cost that is wrong", "UPDATE rollup_day SET recorded_pusd = recorded_pusd + 1 WHERE recorded_n > 0", byDay},
		{"a stored number of prices that is wrong", "UPDATE rollup_day SET list_n = list_n + 1", byDay[len(byDay)-1:]},
		{
			"a stored number of prompts that is wrong", "UPDATE rollup_prompt SET prompts = prompts + 1",
			[]string{"usage by day", "usage by week", "usage by month", "usage by model", "usage by harness", "the stored sums of prompts are those of their prompts"},
		},
		{"a day that was not summed", "DELETE FROM rollup_day WHERE day = (SELECT min(day) FROM rollup_day)", byDay},
		{"a sub-agent under another root", "UPDATE session SET root = 3 WHERE native = 'aaaa-1/a9f'", []string{"sessions one by one, in windows", "every session folds into a root"}},
		{"a root that is none", "UPDATE session SET root = 77 WHERE native = 'bbbb-1'", []string{"the list of sessions, in windows", "every session folds into a root"}},
		{
			"a request of another harness than its session", "UPDATE session SET harness = (SELECT harness FROM session WHERE native = 'bbbb-1') WHERE native = 'aaaa-2'",
			[]string{"the list of sessions, in windows", "sessions one by one, in windows", "every request is of its session's harness"},
		},
		{
			"a prompt without a session", "UPDATE prompt SET session = 99 WHERE happened_at = (SELECT max(happened_at) FROM prompt)",
			[]string{
				"usage by hour", "usage by session", "usage by project", "usage by agent", "usage by block",
				"the stored sums of prompts are those of their prompts", "every prompt has a session",
			},
		},
		{"a source that is missing", "DELETE FROM source WHERE id = 4", []string{"every request has a source"}},
		{"a sighting of nothing", "INSERT INTO sighting SELECT uuid(), source, line, \"offset\", line_hash, ended_at FROM sighting", []string{"every further sighting is of a request"}},
		{"a session's time that is too short", "UPDATE session SET last_at = first_at WHERE native = 'aaaa-1'", []string{"sessions one by one, in windows", "no request lies outside its session's time"}},
		{"reasoning beyond output", "UPDATE request SET reasoning = output + 1 WHERE line = 6", append(byDay, "reasoning is a part of output")},
	}
	for _, tt := range tests {
		w := shop(t)
		w.summed()
		w.reconcile(ReconcileOptions{})
		w.exec(tt.change)
		r := w.reconcile(ReconcileOptions{})
		if d := cmp.Diff(tt.want, r.broken()); d != "" || r.OK {
			t.Errorf("%s: ok %v (-want +got):\n%s", tt.why, r.OK, d)
		}
	}
}

// The laptop's September loses its only request, 3 tokens: a warning, again at
// the next proof, until it is accepted.
func TestReconcile_WarnsOfMonthsThatFall(t *testing.T) {
	w := shop(t)
	w.summed()
	w.reconcile(ReconcileOptions{})
	w.exec("DELETE FROM request WHERE source = 5")
	w.exec("DELETE FROM rollup_day WHERE day = (SELECT min(day) FROM rollup_day)")
	for range 2 {
		r := w.reconcile(ReconcileOptions{})
		if !r.OK || len(r.Warnings) != 1 || !strings.HasPrefix(r.Warnings[0], "claude-code on laptop: 2026-09 fell by 100.0 %") {
			t.Fatalf("ok %v, warnings %q, want one of laptop's September", r.OK, r.Warnings)
		}
		last := r.Cells[len(r.Cells)-1]
		if last.FellPercent != 100 || last.Was == nil || *last.Was != (CellSums{Requests: 1, TotalTokens: 3, CostPicoUSD: "1"}) {
			t.Errorf("the cell is %s, want what was there", pretty(last))
		}
	}
	w.reconcile(ReconcileOptions{Accept: true})
	if r := w.reconcile(ReconcileOptions{}); len(r.Warnings) != 0 {
		t.Errorf("after it was accepted: %q", r.Warnings)
	}
}

// A fall of one percent is shown and does not warn; a rise is remembered.
func TestReconcile_ToleratesTwoPercent(t *testing.T) {
	w := newWorld(t, Options{ReportZone: time.UTC})
	end := at("2026-10-05T08:00:00Z")
	w.session(sessionRow{id: 1, harness: "codex-cli", native: "s", first: end, last: end})
	w.source(1, "codex-cli", "/srv/logs/rollout.jsonl", "", false)
	w.request(requestRow{native: "a", harness: "codex-cli", session: 1, end: end, in: 900, out: 100, source: 1, line: 1})
	for _, tt := range []struct {
		out      int
		fell     float64
		warnings int
	}{{100, 0, 0}, {90, 1, 0}, {1100, 0, 0}, {1059, 2.05, 1}} {
		w.exec("UPDATE request SET output = ?", tt.out)
		w.summed()
		r := w.reconcile(ReconcileOptions{})
		if got := r.Cells[0].FellPercent; got != tt.fell || len(r.Warnings) != tt.warnings || !r.OK {
			t.Errorf("output %d: fell by %v, warnings %q; want %v, %d", tt.out, got, r.Warnings, tt.fell, tt.warnings)
		}
	}
}

func TestReconcile_EmptyLedger(t *testing.T) {
	w := newWorld(t, Options{})
	if r := w.reconcile(ReconcileOptions{}); !r.OK || r.Totals.CostPicoUSD != "0" {
		t.Errorf("an empty ledger: ok %v, broken %v, totals %+v", r.OK, r.broken(), r.Totals)
	}
}
