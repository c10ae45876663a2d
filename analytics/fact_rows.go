package analytics

import (
	"cmp"
	"database/sql/driver"
	"slices"

	duckdb "github.com/duckdb/duckdb-go/v2"

	"meterbridge"
)

func (c *commit) flushPrompts() error {
	return flushFacts(c, "prompt", c.prompts, func(r *promptState) *fact { return &r.fact }, func(r *promptState) []driver.Value {
		return []driver.Value{
			duckdb.UUID(r.id), c.l.mem.words.id(r.harness), r.session.id, milli(r.at), r.preview, int32(r.source), r.line, r.firstSeen,
		}
	}, func(a, b *promptState) int { return a.at.Compare(b.at) })
}

func (c *commit) flushToolCalls() error {
	return flushFacts(c, "tool_call", c.toolCalls, func(r *toolState) *fact { return &r.fact }, func(r *toolState) []driver.Value {
		var request, ok any
		if r.request != nil {
			request = duckdb.UUID(*r.request)
		}
		if r.ok != nil {
			ok = *r.ok
		}
		w := &c.l.mem.words
		return []driver.Value{
			duckdb.UUID(r.id), w.id(r.harness), r.session.id, request, w.id(r.name), nullMilli(r.startedAt), nullMilli(r.endedAt), ok,
			int32(r.source), r.firstSeen,
		}
	}, func(a, b *toolState) int { return a.startedAt.Compare(b.startedAt) })
}

func (c *commit) flushTurns() error {
	return flushFacts(c, "turn", c.turns, func(r *turnState) *fact { return &r.fact }, func(r *turnState) []driver.Value {
		return []driver.Value{
			duckdb.UUID(r.id), c.l.mem.words.id(r.harness), r.session.id, nullMilli(r.startedAt), nullMilli(r.endedAt), r.outcome,
			int32(r.source), r.firstSeen,
		}
	}, func(a, b *turnState) int { return a.startedAt.Compare(b.startedAt) })
}

// flushFacts writes the rows that changed, in the order of less.
func flushFacts[R any](c *commit, table string, rows map[meterbridge.ID]*R, of func(*R) *fact, values func(*R) []driver.Value, less func(a, b *R) int) error {
	var changed []*R
	var old []meterbridge.ID
	for _, row := range rows {
		f := of(row)
		if !f.changed {
			continue
		}
		changed = append(changed, row)
		if f.stored {
			old = append(old, f.id)
		}
	}
	if err := c.deleteFacts(table, old); err != nil {
		return err
	}
	slices.SortFunc(changed, func(a, b *R) int {
		x, y := of(a).id, of(b).id
		return cmp.Or(less(a, b), cmp.Compare(string(x[:]), string(y[:])))
	})
	for _, row := range changed {
		if err := c.out.append(table, values(row)...); err != nil {
			return err
		}
		c.l.mem.has[table] = true
	}
	return nil
}

func (c *commit) deleteFacts(table string, ids []meterbridge.ID) error {
	if len(ids) == 0 {
		return nil
	}
	in, err := c.out.idList(ids)
	if err != nil {
		return err
	}
	return c.out.exec("DELETE FROM " + table + " WHERE id IN " + in)
}
