package conformance

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"meterbridge/internal/daemon"
)

// I-10: a verdict holds for one machine and one harness. Each sum of reconcile
// and each place of doctor is of exactly one of both, and none is left out.
func TestInvariant_I10_VerdictsNameHarnessAndMachine(t *testing.T) {
	forEachSubject(t, 150, func(t *testing.T, f *facts) int {
		rows := map[string]int64{}
		for _, r := range f.rows {
			rows[r.harness+"|"+r.machine] += r.calls
		}
		cells, seen := map[string]int64{}, map[string]bool{}
		for _, c := range f.reconcile.Cells {
			key := place(c.Harness, c.Machine)
			cells[key] += c.Requests
			if c.Harness == "" || seen[key+c.Month] {
				t.Errorf("the sums of %q in %s are named twice or of nobody", key, c.Month)
			}
			seen[key+c.Month] = true
		}
		if fmt.Sprint(cells) != fmt.Sprint(rows) {
			t.Errorf("requests by harness and machine: reconcile %v, the rows %v", cells, rows)
		}
		places := map[string]bool{}
		for _, p := range f.doctor.Places {
			key := place(p.Harness, p.Machine)
			if p.Harness == "" || places[key] {
				t.Errorf("doctor names the place %q twice or not at all", key)
			}
			places[key] = true
		}
		for key := range rows {
			if !places[key] {
				t.Errorf("doctor has no place %q", key)
			}
		}
		for _, g := range f.doctor.Problems {
			if !places[place(g.Harness, g.Machine)] {
				t.Errorf("the problem %s is of no place: %q", g.Reason, place(g.Harness, g.Machine))
			}
		}
		return len(f.rows)
	})
	t.Run("two machines", twoMachines)
}

func place(harness string, machine *string) string {
	if machine == nil {
		return harness + "|" // this machine
	}
	return harness + "|" + *machine
}

// twoMachines: the copy of a laptop's logs falls; the verdict on this machine and
// on the other harness stays good.
func twoMachines(t *testing.T) {
	s, data := plainSubject("two machines"), t.TempDir()
	home, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	laptop := filepath.Join(home, "laptop")
	must(t, os.WriteFile(filepath.Join(data, "config.toml"), []byte(
		"[[source]]\nharness = \"claude-code\"\npath = \""+laptop+"\"\nmachine = \"laptop\"\n"), 0o644))
	here, there := filepath.Join(home, ".claude/projects/-srv-demo/H.jsonl"), filepath.Join(laptop, "projects/-srv-demo/L.jsonl")
	writeLog(t, here, claudeRecord("H", "msg_here_0000001", "2026-10-05T08:00:00Z", 1, 10_000))
	writeLog(t, there, claudeRecord("L", "msg_laptop_00001", "2026-10-05T08:00:00Z", 1, 10_000))
	m := openAt(t, s, home, data)
	defer m.Close()
	m.look(t)
	holds(t, "at first", m.prove(t))
	appendTo(t, there, []byte(claudeRecord("L", "msg_laptop_00001", "2026-10-05T08:00:09Z", 2, 10)))
	m.look(t)
	r := m.prove(t)
	if len(r.Warnings) != 1 || !strings.HasPrefix(r.Warnings[0], "claude-code on laptop: 2026-10 fell by ") {
		t.Errorf("warnings %q, want one of the laptop", r.Warnings)
	}
	for _, c := range r.Cells {
		if fell := c.FellPercent > 0; fell != (c.Machine != nil && *c.Machine == "laptop") {
			t.Errorf("%s fell by %v %%", place(c.Harness, c.Machine), c.FellPercent)
		}
	}
	d, err := m.Doctor(t.Context(), time.UTC)
	must(t, err)
	if len(d.Places) != 2 || d.Places[0].Requests != 1 || d.Places[1].Requests != 1 {
		t.Errorf("doctor: %+v, want two places with a request each", d.Places)
	}
}

// I-11: what has no price is an error to report, not zero. Such requests are in
// `pricing missing` and `doctor`, their models in the reports, and a sum of
// nothing that has a price is null.
func TestInvariant_I11_UnpricedIsReportedNotZero(t *testing.T) {
	forEachSubject(t, 20, func(t *testing.T, f *facts) (unpriced int) {
		models, missing := map[string]bool{}, map[string]int64{}
		priced := 0
		for _, r := range f.rows {
			switch {
			case r.tokens.total() == 0 && !r.fee && r.recorded == "":
			case r.cost == "":
				unpriced++
				missing[r.harness+"|"+r.model]++
				if r.model != "" {
					models[r.model] = true
				}
			default:
				priced++
			}
		}
		checkUnpriced(t, f.total(), models, priced, unpriced)
		for what, list := range map[string][]daemon.UnpricedName{"pricing missing": f.unpriced, "doctor": f.doctor.Unpriced} {
			got := map[string]int64{}
			for _, u := range list {
				model := ""
				if u.Model != nil {
					model = *u.Model
				}
				got[u.Harness+"|"+model] += u.Requests
			}
			if fmt.Sprint(got) != fmt.Sprint(missing) {
				t.Errorf("%s: %v, want %v", what, got, missing)
			}
		}
		return unpriced
	})
}

func checkUnpriced(t *testing.T, n daemon.Numbers, models map[string]bool, priced, unpriced int) {
	t.Helper()
	got := slices.DeleteFunc(slices.Clone(n.UnpricedModels), func(m string) bool { return m == "" })
	for _, m := range got {
		if !models[m] {
			t.Errorf("%q is called unpriced and has a price", m)
		}
	}
	if len(got) != len(models) {
		t.Errorf("unpricedModels %q, want %v", n.UnpricedModels, models)
	}
	if isNull := n.CostMicroUSD == nil; isNull != (priced == 0) || n.CostPartial != (priced > 0 && unpriced > 0) {
		t.Errorf("cost null: %v, partial: %v; %d requests have a price, %d have none", isNull, n.CostPartial, priced, unpriced)
	}
}
