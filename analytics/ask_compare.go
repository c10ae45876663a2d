package analytics

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"time"

	"meterbridge"
)

// CompareOptions of a comparison. The zero value is valid.
type CompareOptions struct {
	// Zone is the zone of the other report's days; nil is the ledger's.
	Zone *time.Location
	// Harness is what the other report covers; empty to find out.
	Harness string
}

// CompareReport holds each row of a ccusage report against the ledger.
type CompareReport struct {
	SchemaVersion int `json:"schemaVersion"`
	// Kind is daily, weekly, monthly, session or blocks.
	Kind     string `json:"kind"`
	Timezone string `json:"timezone"`
	// Harnesses are those compared; Guessed when the report names none.
	Harnesses []string `json:"harnesses"`
	Guessed   bool     `json:"guessed"`
	// Agree: neither side lacks what the other has, and all sums are the same.
	Agree  bool         `json:"agree"`
	Ours   CompareSums  `json:"ours"`
	Theirs CompareSums  `json:"theirs"`
	Rows   []CompareRow `json:"rows"`
	// Missing are the days, or sessions, of which the ledger has requests and the
	// report has no row: with one of them they do not agree.
	Missing []string `json:"missing"`
	// Outside is what the ledger has outside of the report's rows.
	Outside []OutsideSums `json:"outside"`
	Hints   []string      `json:"hints"`
}

// CompareSums are one side's sums; the cost is null when nothing has one.
type CompareSums struct {
	InputTokens      int64  `json:"inputTokens"`
	OutputTokens     int64  `json:"outputTokens"`
	CacheReadTokens  int64  `json:"cacheReadTokens"`
	CacheWriteTokens int64  `json:"cacheWriteTokens"`
	TotalTokens      int64  `json:"totalTokens"`
	CostMicroUSD     *int64 `json:"costMicroUsd"`
}

// CompareRow is one key on both sides; a side that lacks it is null.
type CompareRow struct {
	Key    string         `json:"key"`
	Agree  bool           `json:"agree"`
	Ours   *CompareSums   `json:"ours"`
	Theirs *CompareSums   `json:"theirs"`
	Models []CompareModel `json:"models"`
	// Causes are those of the whole row, where the other report names no models.
	Causes []Cause `json:"causes"`
}

// CompareModel is one model of a row that differs.
type CompareModel struct {
	Model  string       `json:"model"`
	Ours   *CompareSums `json:"ours"`
	Theirs *CompareSums `json:"theirs"`
	Causes []Cause      `json:"causes"`
}

// OutsideSums is what lies before, behind or between the report's rows.
type OutsideSums struct {
	Where string `json:"where"`
	CompareSums
	Requests int64 `json:"requests"`
	// Kept counts requests whose log is gone, or no longer holds them.
	Kept int64 `json:"kept"`
}

func (s spent) sums() CompareSums {
	c := CompareSums{InputTokens: s.in, OutputTokens: s.out, CacheReadTokens: s.read, CacheWriteTokens: s.write, TotalTokens: s.total()}
	if s.cost.OK {
		n := s.cost.Amount.MicroUSD()
		c.CostMicroUSD = &n
	}
	return c
}

// comparison is the work of Compare.
type comparison struct {
	peer  peerReport
	zone  *time.Location
	q     querier
	ours  ledgerSide
	scope []string
	out   CompareReport
	// examined counts the cells whose requests were loaded.
	examined int
}

// Compare explains each difference between a JSON report of ccusage and the
// ledger, as far as the ledger can tell. A text that is no such report is
// ErrReport.
func (l *Ledger) Compare(ctx context.Context, report []byte, o CompareOptions) (CompareReport, error) {
	if o.Zone == nil {
		o.Zone = l.opts.ReportZone
	}
	peer, err := readPeer(report)
	if err != nil {
		return CompareReport{}, err
	}
	c := &comparison{peer: peer, zone: o.Zone, out: CompareReport{
		SchemaVersion: SchemaVersion, Kind: peer.kind, Timezone: ZoneName(o.Zone), Agree: true, Rows: []CompareRow{}, Missing: []string{}, Outside: []OutsideSums{}, Hints: []string{},
	}}
	err = l.reading(ctx, func(q *sql.Conn) error {
		c.q = q
		if c.ours, err = c.load(ctx); err != nil {
			return err
		}
		c.choose(o.Harness)
		return c.run(ctx)
	})
	if err != nil {
		return c.out, fmt.Errorf("compare: %w", err)
	}
	return c.out, nil
}

func (c *comparison) run(ctx context.Context) error {
	for i := range c.peer.rows {
		if err := c.row(ctx, &c.peer.rows[i]); err != nil {
			return err
		}
	}
	if err := c.missing(ctx); err != nil {
		return err
	}
	if len(c.peer.sections) > 0 {
		c.hint("only the section %s was compared; the file also has %s", c.peer.kind, strings.Join(c.peer.sections, ", "))
	}
	return c.otherZone(ctx)
}

func (c *comparison) hint(format string, args ...any) {
	c.out.Hints = append(c.out.Hints, fmt.Sprintf(format, args...))
}

// row compares one row, model by model where both sides name them.
func (c *comparison) row(ctx context.Context, theirs *peerRow) error {
	key := c.ours.find(theirs.key)
	scope := c.scopeOf(theirs.agent)
	models := c.ours.cells[key].byModel(scope)
	var ours spent
	for _, m := range models {
		ours = ours.plus(m)
	}
	row := CompareRow{Key: theirs.key, Models: []CompareModel{}, Causes: []Cause{}}
	their := theirs.spent.sums()
	row.Theirs = &their
	if len(models) > 0 {
		our := ours.sums()
		row.Ours = &our
	}
	c.total(ours, theirs.spent)
	pairs, renamed := pairModels(models, theirs.models)
	row.Models = append(row.Models, renamed...)
	if row.Agree = agree(ours, theirs.spent) && len(pairs) == 0; !row.Agree {
		c.out.Agree = false
		requests, partial, err := c.requests(ctx, key, scope)
		if err != nil {
			return err
		}
		for _, p := range pairs {
			row.Models = append(row.Models, p.explain(requests, partial))
		}
		if len(theirs.models) == 0 {
			row.Causes = difference{ours, theirs.spent, requests, partial}.causes()
		}
	}
	c.out.Rows = append(c.out.Rows, row)
	return nil
}

func agree(a, b spent) bool { return a.classes == b.classes && sameCost(a.cost, b.cost) }

// total adds a row to both sides' totals.
func (c *comparison) total(ours, theirs spent) {
	add := func(sum *CompareSums, s spent) {
		o := s.sums()
		sum.InputTokens += o.InputTokens
		sum.OutputTokens += o.OutputTokens
		sum.CacheReadTokens += o.CacheReadTokens
		sum.CacheWriteTokens += o.CacheWriteTokens
		sum.TotalTokens += o.TotalTokens
		sum.CostMicroUSD = plus(sum.CostMicroUSD, o.CostMicroUSD)
	}
	add(&c.out.Ours, ours)
	add(&c.out.Theirs, theirs)
}

// modelPair is a model that differs; a side that lacks it is nil.
type modelPair struct {
	name, here   string
	ours, theirs *spent
}

// pairModels finds the models of a row that differ, and those that only have
// another name. A report that names no models has none.
func pairModels(ours map[string]spent, theirs []peerModel) (pairs []modelPair, renamed []CompareModel) {
	if len(theirs) == 0 {
		return nil, nil
	}
	seen := map[string]bool{}
	var strange []peerModel
	for _, m := range theirs {
		here := nameHere(m.name, ours)
		our, ok := ours[here]
		if seen[here] = true; !ok {
			if !m.zero() {
				strange = append(strange, m)
			}
		} else if !agree(our, m.spent) {
			pairs = append(pairs, modelPair{m.name, here, &our, &m.spent})
		}
	}
	var left []string
	for _, name := range sortedKeys(ours) {
		if !seen[name] && !ours[name].zero() {
			left = append(left, name)
		}
	}
	for _, m := range strange {
		i := slices.IndexFunc(left, func(name string) bool { return agree(ours[name], m.spent) })
		if i < 0 {
			pairs = append(pairs, modelPair{m.name, m.name, nil, &m.spent})
			continue
		}
		o, t := ours[left[i]].sums(), m.sums()
		renamed = append(renamed, CompareModel{Model: m.name, Ours: &o, Theirs: &t, Causes: []Cause{
			{Cause: "model-name", Certain: true, Detail: "the same tokens are those of " + left[i] + " here", Tokens: m.total()},
		}})
		left = slices.Delete(left, i, i+1)
	}
	for _, name := range left {
		our := ours[name]
		pairs = append(pairs, modelPair{name, name, &our, nil})
	}
	return pairs, renamed
}

func (p modelPair) explain(requests []cellRequest, partial bool) CompareModel {
	e := CompareModel{Model: p.name}
	d := difference{requests: ofModel(requests, p.here), partial: partial}
	if p.ours != nil {
		s := p.ours.sums()
		e.Ours, d.ours = &s, *p.ours
	}
	if p.theirs != nil {
		s := p.theirs.sums()
		e.Theirs, d.theirs = &s, *p.theirs
	}
	if p.ours == nil {
		e.Causes = []Cause{{Cause: "model", Detail: "the ledger has no request of a model of this name here", Tokens: p.theirs.total()}}
		return e
	}
	e.Causes = d.causes()
	return e
}

// nameHere is the ledger's name of a model: the same, or the same behind a
// label such as "[pi] " or "provider/".
func nameHere(name string, ours map[string]spent) string {
	if _, ok := ours[name]; ok {
		return name
	}
	for _, cut := range []string{"] ", "/"} {
		if _, rest, ok := strings.Cut(name, cut); ok {
			if _, ok := ours[rest]; ok {
				return rest
			}
		}
	}
	return name
}

func ofModel(requests []cellRequest, name string) (out []cellRequest) {
	for _, r := range requests {
		if r.model == name {
			out = append(out, r)
		}
	}
	return out
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

const (
	// mostExamined cells, and mostRequests in one of them, are looked at in detail.
	mostExamined = 500
	mostRequests = 50_000
)

// requests loads the requests of a cell that differs.
func (c *comparison) requests(ctx context.Context, key string, scope []string) ([]cellRequest, bool, error) {
	if c.examined++; c.examined > mostExamined {
		return nil, true, nil
	}
	w := c.ours.windows[key]
	session := ""
	if c.peer.kind == "session" {
		w.from, w.to = bounds(time.Time{}, time.Time{})
		session = key
	}
	list, err := collect(ctx, c.q, "compare_cell", scanCellRequest, w.from, w.to, session, scope, mostRequests+1)
	if len(list) > mostRequests {
		return nil, true, err
	}
	return list, false, err
}

func scanCellRequest(rows *sql.Rows, r *cellRequest) error {
	var id uuidOf
	var model *string
	err := rows.Scan(&id, text{&model}, &r.root, &r.session, &r.in, &r.out, &r.read, &r.write, &r.reasoning, &r.write1h,
		&r.recorded, &r.priced, &r.sub, &r.kept, &r.copied, &r.aborted, &r.path, &r.line)
	r.id = meterbridge.ID(id)
	if model != nil {
		r.model = *model
	}
	return err
}
