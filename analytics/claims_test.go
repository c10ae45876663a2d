package analytics

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"meterbridge"
)

const suppliedRows = `SELECT r.output, r.input, s.native, o.path, f.path FROM request r
	JOIN session s ON s.id = r.session JOIN source o ON o.id = r.owner JOIN source f ON f.id = r.source ORDER BY ALL`

// The owner's log holds only the request's begin; two others hold its end, with
// inputs by which they are told apart. Each case gives the rows of any order.
func TestCommit_OfEqualCopiesTheSameOneCounts(t *testing.T) {
	log := func(name, session, machine string, minute int, out, in int64) meterbridge.Unit {
		u := modified(logOf("/logs/"+name+".jsonl", tokens(said(session, "a", 0, 1), in, out, 0, 0)), minute)
		u.Checkpoint.Machine = machine
		return u
	}
	begun := log("begun", "S1", "", 1, 1, 10)
	fork := log("fork", "S3", "", 3, 9, 30)
	fork.Batch.Sessions = []meterbridge.Session{{Harness: "claude-code", ID: "S3", Parent: "S2", Relation: meterbridge.Fork}}
	twice := log("twice", "S2", "", 2, 1, 11)
	twice.Batch.Requests = append(twice.Batch.Requests, tokens(said("S2", "a", 0, 2), 20, 9, 0, 0))
	for _, c := range []struct {
		name  string
		first []meterbridge.Unit
		units []meterbridge.Unit
		want  string
	}{
		{"the older source", nil, []meterbridge.Unit{begun, log("x", "S2", "", 4, 9, 20), log("y", "S3", "", 3, 9, 30)}, "9 30 S1 /logs/begun.jsonl /logs/y.jsonl"},
		{"the smaller path", nil, []meterbridge.Unit{begun, log("x", "S2", "", 3, 9, 20), log("y", "S3", "", 3, 9, 30)}, "9 20 S1 /logs/begun.jsonl /logs/x.jsonl"},
		{"this machine", nil, []meterbridge.Unit{begun, log("x", "S2", "desk", 3, 9, 20), log("y", "S3", "", 4, 9, 30)}, "9 30 S1 /logs/begun.jsonl /logs/y.jsonl"},
		{"the origin of a fork", nil, []meterbridge.Unit{begun, log("x", "S2", "", 4, 9, 20), fork}, "9 20 S1 /logs/begun.jsonl /logs/x.jsonl"},
		{"the older source, when the owner was known", []meterbridge.Unit{begun}, []meterbridge.Unit{log("x", "S2", "", 4, 9, 20), log("y", "S3", "", 3, 9, 30)}, "9 30 S1 /logs/begun.jsonl /logs/y.jsonl"},
		{"what an earlier scan saw", []meterbridge.Unit{begun, log("x", "S2", "", 4, 9, 20)}, []meterbridge.Unit{log("y", "S3", "", 3, 9, 30)}, "9 20 S1 /logs/begun.jsonl /logs/x.jsonl"},
		{"the owner's, as soon as it is finished", nil, []meterbridge.Unit{log("begun", "S1", "", 1, 9, 10), log("x", "S2", "", 4, 9, 20), log("y", "S3", "", 3, 9, 30)}, "9 10 S1 /logs/begun.jsonl /logs/begun.jsonl"},
		{"a log that grew beside a new one", []meterbridge.Unit{begun, log("twice", "S2", "", 1, 1, 11)}, []meterbridge.Unit{twice, log("y", "S3", "", 1, 9, 30)}, "9 30 S1 /logs/begun.jsonl /logs/y.jsonl"},
		{"a finished record before a begun owner", nil, []meterbridge.Unit{log("x", "S2", "", 4, 9, 20), log("y", "S3", "", 3, 9, 30), log("z", "S4", "", 5, 9, 40), begun}, "9 30 S1 /logs/begun.jsonl /logs/y.jsonl"},
	} {
		for _, order := range orders(c.units) {
			l := open(t, Options{ReportZone: time.UTC})
			if len(c.first) > 0 {
				scanned(t, l, c.first...)
			}
			scanned(t, l, order...)
			if diff := cmp.Diff([]string{c.want}, dump(t, l, suppliedRows)); diff != "" {
				t.Errorf("%s, read in the order %s (-want +got):\n%s", c.name, names(order), diff)
			}
		}
	}
}

// orders are all orders of the units.
func orders(units []meterbridge.Unit) [][]meterbridge.Unit {
	if len(units) < 2 {
		return [][]meterbridge.Unit{units}
	}
	var all [][]meterbridge.Unit
	for i, u := range units {
		rest := append(append([]meterbridge.Unit{}, units[:i]...), units[i+1:]...)
		for _, order := range orders(rest) {
			all = append(all, append([]meterbridge.Unit{u}, order...))
		}
	}
	return all
}

func names(units []meterbridge.Unit) string {
	paths := make([]string, len(units))
	for i := range units {
		paths[i] = strings.TrimSuffix(strings.TrimPrefix(units[i].Checkpoint.Path, "/logs/"), ".jsonl")
	}
	return strings.Join(paths, ", ")
}

// copies draws logs that hold the same requests, more or less finished.
func copies(r *rapid.T, label string) []meterbridge.Unit {
	var units []meterbridge.Unit
	for log := range rapid.IntRange(2, 5).Draw(r, label) {
		u := modified(logOf(fmt.Sprintf("/logs/%s%d.jsonl", label, log)), rapid.IntRange(0, 2).Draw(r, "minute"))
		u.Checkpoint.Machine = rapid.SampledFrom([]string{"", "", "desk"}).Draw(r, "machine")
		session := fmt.Sprint("S", rapid.IntRange(0, 2).Draw(r, "session"))
		for _, native := range []string{"a", "b"} {
			if rapid.IntRange(0, 4).Draw(r, "holds") == 0 {
				continue
			}
			q := tokens(said(session, native, 0, 1), int64(10*log), int64(rapid.IntRange(1, 2).Draw(r, "out")), 0, 0)
			q.Side = rapid.IntRange(0, 4).Draw(r, "side") == 0
			u.Batch.Requests = append(u.Batch.Requests, q)
		}
		units = append(units, u)
	}
	return units
}

// Whatever the order in which one scan reads logs, and however it commits them,
// the same record counts and the same one owns.
func TestCommit_AnyOrderOfReadingGivesTheSameRows(t *testing.T) {
	o := Options{ReportZone: time.UTC}
	one, other := open(t, o), open(t, o)
	rapid.Check(t, func(r *rapid.T) {
		var held [][]string
		before, units := copies(r, "before"), copies(r, "units")
		shuffled := rapid.Permutation(units).Draw(r, "order")
		portion := rapid.IntRange(1, len(units)).Draw(r, "portion")
		for i, l := range []*Ledger{one, other} {
			emptied(t, l)
			for _, scan := range [][]meterbridge.Unit{before, [][]meterbridge.Unit{units, shuffled}[i]} {
				inPortions(t, l, scan, portion)
			}
			held = append(held, dump(t, l, suppliedRows))
		}
		if diff := cmp.Diff(held[0], held[1]); diff != "" {
			r.Fatalf("in the order %s (-) and %s (+), after %s:\n%s", names(units), names(shuffled), names(before), diff)
		}
	})
}

// inPortions commits the units in one scan, some at a time.
func inPortions(t *testing.T, l *Ledger, units []meterbridge.Unit, portion int) {
	t.Helper()
	if err := l.BeginScan(t.Context()); err != nil {
		t.Fatal(err)
	}
	for len(units) > 0 {
		n := min(portion, len(units))
		if err := l.Commit(t.Context(), append([]meterbridge.Unit{}, units[:n]...)); err != nil {
			t.Fatal(err)
		}
		units = units[n:]
	}
	if err := l.EndScan(t.Context()); err != nil {
		t.Fatal(err)
	}
}
