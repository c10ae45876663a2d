package daemon

import (
	"context"
	"os"
	"path/filepath"

	"meterbridge/dashboard"
	"meterbridge/harnesses"
	"meterbridge/harnesses/all"
)

// What is read on this machine, in the shapes that commands print and the API sends.
type (
	// HarnessAnswer is what is read of one harness on this machine, and how exactly.
	HarnessAnswer = dashboard.HarnessAnswer
	// RootAnswer is a place that is looked in.
	RootAnswer = dashboard.RootAnswer
	// HarnessList is the answer of `harnesses`.
	HarnessList = dashboard.HarnessList
)

// Harnesses tells what is read on this machine, from where, how exactly.
func (m *Meter) Harnesses(ctx context.Context) (HarnessList, error) {
	sources, err := m.ledger.Checkpoints(ctx)
	if err != nil {
		return HarnessList{}, err
	}
	here, gone := map[string]int64{}, map[string]int64{}
	for i := range sources {
		if sources[i].Gone {
			gone[sources[i].Harness]++
			continue
		}
		here[sources[i].Harness]++
	}
	list := HarnessList{SchemaVersion: 1, Scan: m.scanState(), Rows: []HarnessAnswer{}}
	scans := m.harnessScans()
	for _, h := range all.Harnesses() {
		row := declared(h)
		row.Roots = m.rootsOf(h)
		row.Files, row.Gone, row.Scan = here[h.ID], gone[h.ID], scans[h.ID]
		list.Rows = append(list.Rows, row)
	}
	return list, nil
}

// usageReadable reports whether a harness keeps usage that can be read; of one
// that is not known it is what the ledger holds.
func usageReadable(id string) bool {
	for _, h := range all.Harnesses() {
		if h.ID == id {
			return h.Declaration.UsageReadable
		}
	}
	return true
}

func declared(h harnesses.Harness) HarnessAnswer {
	d := h.Declaration
	return HarnessAnswer{
		Harness: h.ID, Name: h.Name, UsageReadable: d.UsageReadable, Precision: string(d.Precision),
		RequestTimes: string(d.RequestTimes), CostField: optional(d.CostField), ZeroCost: string(d.ZeroCost),
		Provider: optional(d.Provider), NeverReported: listed(d.NeverReported), Gaps: listed(d.Gaps), Layouts: listed(d.Layouts),
	}
}

func (m *Meter) rootsOf(h harnesses.Harness) []RootAnswer {
	roots := h.Roots(m.env())
	for _, s := range m.config.Sources {
		if s.Harness == h.ID {
			roots = append(roots, harnesses.Root{Path: filepath.Clean(s.Path), Machine: s.Machine})
		}
	}
	out := []RootAnswer{}
	for _, r := range roots {
		_, err := os.Stat(r.Path)
		out = append(out, RootAnswer{
			Path: r.Path, Variable: optional(r.Variable), Set: r.Set, Found: err == nil, Machine: optional(r.Machine),
		})
	}
	return out
}

func optional(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

func listed(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}
