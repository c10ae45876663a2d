package analytics

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"time"

	duckdb "github.com/duckdb/duckdb-go/v2"

	"meterbridge"
)

type uuidOf = duckdb.UUID

// window is a half-open time in epoch milliseconds.
type window struct{ from, to int64 }

// ledgerSide is the ledger's side of a comparison.
type ledgerSide struct {
	// cells by key; windows are their times (none for sessions).
	cells   map[string]cell
	windows map[string]window
	// outside is what lies before (0), behind (1) and between (2) the windows.
	outside [3]cell
}

// cell are sums by harness and model.
type cell map[string]map[string]cellSum

type cellSum struct {
	spent
	requests, kept int64
}

func (c cell) add(harness, model string, s cellSum) {
	if c[harness] == nil {
		c[harness] = map[string]cellSum{}
	}
	old := c[harness][model]
	c[harness][model] = cellSum{old.plus(s.spent), old.requests + s.requests, old.kept + s.kept}
}

// byModel are the sums by model of some harnesses.
func (c cell) byModel(harnesses []string) map[string]spent {
	out := map[string]spent{}
	for _, h := range harnesses {
		for model, s := range c[h] {
			out[model] = out[model].plus(s.spent)
		}
	}
	return out
}

func (c cell) sum(harnesses []string) (sum cellSum) {
	for _, h := range harnesses {
		for _, s := range c[h] {
			sum = cellSum{sum.plus(s.spent), sum.requests + s.requests, sum.kept + s.kept}
		}
	}
	return sum
}

// find is the ledger's key of a row: for sessions also one that ends in the
// ledger's id (a path and a file name before it).
func (s *ledgerSide) find(key string) string {
	if _, ok := s.cells[key]; ok {
		return key
	}
	for i := range key {
		if key[i] == '-' || key[i] == '/' {
			if _, ok := s.cells[key[i+1:]]; ok {
				return key[i+1:]
			}
		}
	}
	return key
}

func (c *comparison) load(ctx context.Context) (ledgerSide, error) {
	s := ledgerSide{cells: map[string]cell{}, windows: map[string]window{}, outside: [3]cell{{}, {}, {}}}
	if c.peer.kind == "session" {
		_, err := collect(ctx, c.q, "compare_sessions", func(rows *sql.Rows, _ *struct{}) error {
			var key string
			return s.scan(rows, &key, func() cell { return s.at(key) })
		})
		return s, err
	}
	keys, list := c.windows()
	from, to := make([]int64, len(list)), make([]int64, len(list))
	for i, w := range list {
		from[i], to[i] = w.from, w.to
		s.windows[keys[i]] = w
	}
	_, err := collect(ctx, c.q, "compare_windows", func(rows *sql.Rows, _ *struct{}) error {
		var n int64
		return s.scan(rows, &n, func() cell { return s.place(n, keys) })
	}, from, to)
	return s, err
}

// place is the cell of the n-th window, or of what lies outside.
func (s *ledgerSide) place(n int64, keys []string) cell {
	switch {
	case n == 0:
		return s.outside[0]
	case n == -int64(len(keys)):
		return s.outside[1]
	case n < 0:
		return s.outside[2]
	}
	return s.at(keys[n-1])
}

func (s *ledgerSide) at(key string) cell {
	if s.cells[key] == nil {
		s.cells[key] = cell{}
	}
	return s.cells[key]
}

func (s *ledgerSide) scan(rows *sql.Rows, key any, of func() cell) error {
	var harness, model *string
	var c cellSum
	var cost meterbridge.NullPico
	err := rows.Scan(key, text{&harness}, text{&model}, number{&c.requests}, number{&c.in}, number{&c.out}, number{&c.read}, number{&c.write}, number{&c.reasoning},
		amount{&cost}, number{&c.kept})
	if err != nil {
		return err
	}
	c.cost = cost
	name := ""
	if model != nil {
		name = *model
	}
	if harness != nil {
		of().add(*harness, name, c)
	}
	return nil
}

// windows are the days, weeks, months or blocks of the report, and those
// between its first and its last.
func (c *comparison) windows() (keys []string, list []window) {
	if c.peer.kind == "blocks" {
		return c.blocks()
	}
	var first, last string
	for _, r := range c.peer.rows {
		if first == "" || r.key < first {
			first = r.key
		}
		last = max(last, r.key)
	}
	if first == "" {
		return nil, nil
	}
	step := map[string][2]int{"daily": {0, 1}, "weekly": {0, 7}, "monthly": {1, 0}}[c.peer.kind]
	layout := time.DateOnly
	if len(first) == len("2006-01") {
		layout = "2006-01"
	}
	const most = 40_000
	day, err := time.Parse(layout, first)
	for err == nil && len(keys) < most && day.Format(layout) <= last {
		next := day.AddDate(0, step[0], step[1])
		w := window{startOfDay(day, c.zone).UnixMilli(), startOfDay(next, c.zone).UnixMilli()}
		if w.from < w.to { // a zone may have left a day out
			keys, list = append(keys, day.Format(layout)), append(list, w)
		}
		day = next
	}
	return keys, list
}

func (c *comparison) blocks() (keys []string, list []window) {
	rows := slices.Clone(c.peer.rows)
	slices.SortFunc(rows, func(a, b peerRow) int { return a.from.Compare(b.from) })
	for _, r := range rows {
		w := window{r.from.UnixMilli(), r.until.UnixMilli()}
		if n := len(list); n > 0 && list[n-1].to > w.from {
			list[n-1].to = w.from
		}
		keys, list = append(keys, r.key), append(list, w)
	}
	return keys, list
}

// known are the harnesses that the ledger has requests of.
func (s *ledgerSide) known() []string {
	set := map[string]bool{}
	for _, c := range s.all() {
		for h := range c {
			set[h] = true
		}
	}
	return sortedKeys(set)
}

// all are the cells, those outside included.
func (s *ledgerSide) all() []cell {
	out := append([]cell{}, s.outside[:]...)
	for _, key := range sortedKeys(s.cells) {
		out = append(out, s.cells[key])
	}
	return out
}

// choose decides which harnesses are compared: the one that is asked for, those
// that the report names, for a report without rows all, else the one whose numbers come nearest, or all.
func (c *comparison) choose(asked string) {
	known := c.ours.known()
	switch {
	case asked != "":
		c.scope = []string{asked}
	case len(c.peer.agents) > 0:
		c.scope = []string{}
		for _, a := range c.peer.agents {
			h := harnessesOf(a, known)
			c.scope = append(c.scope, h...)
			if len(h) == 0 {
				c.hint("the report counts %q, of which the ledger has nothing", a)
			}
		}
	case len(c.peer.rows) == 0:
		c.scope = known
	default:
		c.scope, c.out.Guessed = c.nearest(known), true
	}
	c.out.Harnesses = some(c.scope)
}

// harnessesOf are the ledger's names of a harness that ccusage calls by a short one.
func harnessesOf(agent string, known []string) (out []string) {
	for _, h := range known {
		if h == agent || strings.HasPrefix(h, agent+"-") {
			out = append(out, h)
		}
	}
	return out
}

func (c *comparison) scopeOf(agent string) []string {
	if agent == "" {
		return c.scope
	}
	var out []string
	for _, h := range harnessesOf(agent, c.ours.known()) {
		if slices.Contains(c.scope, h) {
			out = append(out, h)
		}
	}
	return out
}

// nearest is the harness whose models and numbers come nearest, or all of them
// when they come nearer together.
func (c *comparison) nearest(known []string) []string {
	scopes := [][]string{}
	for _, h := range known {
		scopes = append(scopes, []string{h})
	}
	scopes = append(scopes, known)
	best := scopes[0]
	foreign, least := c.distance(best)
	for _, scope := range scopes[1:] {
		f, d := c.distance(scope)
		if f < foreign || f == foreign && d < least {
			best, foreign, least = scope, f, d
		}
	}
	return best
}

// distance is how many tokens of the report are of models that the harnesses
// never used, and by how many tokens its rows differ from theirs.
func (c *comparison) distance(scope []string) (foreign, sum int64) {
	used := map[string]spent{}
	for _, cell := range c.ours.all() {
		for name, s := range cell.byModel(scope) {
			used[name] = s
		}
	}
	for i := range c.peer.rows {
		r := &c.peer.rows[i]
		d := r.total() - c.ours.cells[c.ours.find(r.key)].sum(scope).total()
		sum += max(d, -d)
		for _, m := range r.models {
			if _, ok := used[nameHere(m.name, used)]; !ok {
				foreign += m.total()
			}
		}
	}
	return foreign, sum
}

func rowMissing(s cellSum) Cause {
	cause := Cause{Cause: "row-missing", Detail: "the report has no such row", Tokens: -s.total()}
	if s.kept == s.requests {
		cause = Cause{
			Cause: "kept-after-deletion", Certain: true, Tokens: -s.total(),
			Detail: fmt.Sprintf("all %d requests are kept here though their log is gone or no longer holds them", s.requests),
		}
	}
	return cause
}
