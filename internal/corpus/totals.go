package corpus

import (
	"time"
)

// Tok holds token counts in one convention for every harness: Input is the
// uncached input, Output includes reasoning.
type Tok struct {
	Requests   int64 `json:"requests"`
	Input      int64 `json:"input"`
	Output     int64 `json:"output"`
	Reasoning  int64 `json:"reasoning"`
	CacheRead  int64 `json:"cache_read"`
	CacheWrite int64 `json:"cache_write"`
	Write5m    int64 `json:"cache_write_5m,omitempty"`
	Write1h    int64 `json:"cache_write_1h,omitempty"`
	Total      int64 `json:"total"`
}

func (t *Tok) add(o Tok) {
	t.Requests += o.Requests
	t.Input += o.Input
	t.Output += o.Output
	t.Reasoning += o.Reasoning
	t.CacheRead += o.CacheRead
	t.CacheWrite += o.CacheWrite
	t.Write5m += o.Write5m
	t.Write1h += o.Write1h
	t.Total += o.Total
}

// Group maps a key of a report to its sums.
type Group map[string]*Tok

func (g Group) add(k string, o Tok) {
	t := g[k]
	if t == nil {
		t = &Tok{}
		g[k] = t
	}
	t.add(o)
}

// Part is the truth about one harness's share of a corpus.
type Part struct {
	Totals     Tok              `json:"totals"`
	Naive      Tok              `json:"naive_sum_of_every_usage_record"`
	FirstWins  Tok              `json:"first_record_wins"`
	Traps      map[string]int64 `json:"traps"`
	Files      int64            `json:"files"`
	Bytes      int64            `json:"bytes"`
	Lines      int64            `json:"lines"`
	UsageLines int64            `json:"usage_lines"`
	UsageBytes int64            `json:"usage_bytes"`
	ByDay      Group            `json:"by_day_utc"`
	ByModel    Group            `json:"by_model"`
	ByDayModel Group            `json:"by_day_model"`
	ByProject  Group            `json:"by_project"`
	BySession  Group            `json:"by_session"`
}

func newPart() *Part {
	return &Part{Traps: map[string]int64{}, ByDay: Group{}, ByModel: Group{}, ByDayModel: Group{}, ByProject: Group{}, BySession: Group{}}
}

func (h *Part) count(ts time.Time, model, project, session string, t Tok) {
	d := ts.UTC().Format("2006-01-02")
	h.Totals.add(t)
	h.ByDay.add(d, t)
	h.ByModel.add(model, t)
	h.ByDayModel.add(d+"|"+model, t)
	h.ByProject.add(project, t)
	h.BySession.add(session, t)
}
