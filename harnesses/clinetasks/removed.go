package clinetasks

import (
	"encoding/json"
	"time"

	"meterbridge"
)

// A restore takes messages off the end of a task and leaves one with the sum of
// what they had spent. What of it was read before the restore is in the ledger
// already, so the sum counts for the rest only. For that a task remembers the
// rows that it gave.

// memory is what is remembered of a task between readings.
type memory struct {
	// Rows are the rows that it gave, by their native ids.
	Rows map[string]*givenRow `json:"rows,omitempty"`
}

// givenRow is a row that was given.
type givenRow struct {
	// Say is the message that made it; At its time in epoch milliseconds.
	Say string `json:"say,omitempty"`
	At  int64  `json:"at"`
	// Spent is what the message tells.
	Spent worth `json:"spent"`
	// Known, of a sum, is the part of it that other rows have.
	Known *worth `json:"known,omitempty"`
	// Settled: a restore took the message away, and a sum holds it.
	Settled bool `json:"settled,omitempty"`
}

// worth is what a row spent: input, output, cache reads and writes, and decimal USD.
type worth struct {
	N    [4]int64 `json:"n"`
	Cost string   `json:"cost,omitempty"`
}

func classes(t *meterbridge.Tokens) [4]*meterbridge.Count {
	return [4]*meterbridge.Count{&t.Input, &t.Output, &t.CacheRead, &t.CacheWrite5m}
}

func worthOf(r *meterbridge.Request) (w worth) {
	for i, c := range classes(&r.Tokens) {
		w.N[i] = c.N
	}
	if r.Recorded.OK {
		w.Cost = r.Recorded.Amount.String()
	}
	return w
}

func (w *worth) add(o worth) {
	for i := range w.N {
		w.N[i] += o.N[i]
	}
	if cost := w.cost().Add(o.cost()); !cost.IsZero() {
		w.Cost = cost.String()
	}
}

// cost is the amount, 0 where there is none.
func (w *worth) cost() meterbridge.PicoUSD {
	p, err := meterbridge.ParseUSD(w.Cost)
	if err != nil {
		return meterbridge.PicoUSD{}
	}
	return p
}

// oneMicro is less than any sum of costs is exact to: they are added as floats.
const oneMicro = 1_000_000

// off takes what is known off a sum. nothing: no more is left.
func (w *worth) off(r *meterbridge.Request) (nothing bool) {
	for i, c := range classes(&r.Tokens) {
		c.N = max(0, c.N-w.N[i])
	}
	rest := r.Recorded.Amount.Add(w.cost().Times(-1))
	if r.Recorded.OK && w.Cost != "" && rest.Cmp(meterbridge.Pico(oneMicro)) < 0 {
		r.Recorded = meterbridge.NullPico{}
	} else if r.Recorded.OK {
		r.Recorded.Amount = rest
	}
	return r.Tokens.Total() == 0 && !r.Recorded.OK
}

func readMemory(state []byte) (m memory) {
	if json.Unmarshal(state, &m) != nil || m.Rows == nil {
		m.Rows = map[string]*givenRow{}
	}
	return m
}

// State implements harnesses.RememberingParser.
func (d *document) State() []byte {
	if len(d.memory.Rows) == 0 {
		return nil
	}
	b, err := json.Marshal(d.memory)
	if err != nil {
		return d.opt.State
	}
	return b
}

// Waits implements harnesses.RememberingParser.
func (d *document) Waits() bool { return false }

// sum is the message of a restore, with the row that it makes.
type sum struct {
	say     string
	at      time.Time
	request meterbridge.Request
}

// give counts a row and remembers it. A row that is read again further counts as
// the ledger has it, by its greatest output.
func (t *task) give(m *message, r meterbridge.Request) {
	t.Request(r)
	t.given[r.NativeID] = true
	was, spent := t.memory.Rows[r.NativeID], worthOf(&r)
	if was == nil || !was.Settled && spent.N[1] >= was.Spent.N[1] {
		t.memory.Rows[r.NativeID] = &givenRow{Say: m.say, At: m.at.UnixMilli(), Spent: spent}
	}
}

// restore counts the sums: what each holds beyond the rows that were read before
// and are no longer there.
func (t *task) restore() {
	for i := range t.sums {
		t.given[t.sums[i].request.NativeID] = true
	}
	for i := range t.sums {
		s := &t.sums[i]
		id := s.request.NativeID
		k := t.memory.Rows[id]
		if k == nil {
			k = &givenRow{Say: s.say, At: s.at.UnixMilli(), Spent: worthOf(&s.request), Known: t.settle(s)}
			t.memory.Rows[id] = k
		}
		rest := s.request
		if k.Known != nil && k.Known.off(&rest) {
			t.Drop(s.request, ruleKnown)
			continue
		}
		t.Request(rest)
	}
}

// settle adds up the rows that a sum new to us holds. A restore takes away the
// end of a task, so a row that is gone is in the first sum behind it.
func (t *task) settle(s *sum) *worth {
	var w worth
	for id, k := range t.memory.Rows {
		if k.Settled || t.given[id] || k.At > s.at.UnixMilli() || t.behind(k.At, s) {
			continue
		}
		k.Settled = true
		if holds(s.say, k.Say) {
			w.add(k.Spent)
		}
	}
	if w == (worth{}) {
		return nil
	}
	return &w
}

// behind reports whether a sum before s stands behind the time of a row.
func (t *task) behind(at int64, s *sum) bool {
	for i := range t.sums {
		if o := &t.sums[i]; o != s && o.at.UnixMilli() >= at && o.at.Before(s.at) {
			return true
		}
	}
	return false
}

// holds reports whether the sum that one message tells is also of what another
// had spent: Cline adds earlier sums and those of sub-agents, Roo what condensing cost.
func holds(sum, say string) bool {
	switch say {
	case "api_req_started":
		return true
	case sayDeleted, "subagent_usage":
		return sum == sayDeleted
	case "condense_context":
		return sum == sayDeletedRoo
	}
	return false
}
