package analytics

import (
	"database/sql/driver"
	"time"

	duckdb "github.com/duckdb/duckdb-go/v2"

	"meterbridge"
)

func (c *commit) flushPrompts() error {
	return flushFacts(c, "prompt", c.prompts, func(r *promptState) *fact { return &r.fact }, func(r *promptState) []driver.Value {
		return []driver.Value{
			duckdb.UUID(r.id), c.l.mem.words.id(r.harness), r.session.id, c.l.mem.words.id(r.project), milli(r.at), r.preview, int32(r.source), r.line, r.firstSeen,
		}
	}, func(r *promptState) time.Time { return r.at })
}

// toolTypes are the types of the table's columns, in its order.
func toolTypes() []duckdb.Type {
	const i, n, u = duckdb.TYPE_INTEGER, duckdb.TYPE_BIGINT, duckdb.TYPE_UUID
	return []duckdb.Type{u, i, i, u, i, n, n, duckdb.TYPE_BOOLEAN, i, i}
}

func (c *commit) flushToolCalls() error {
	rows, err := changedFacts(c, "tool_call", c.toolCalls, func(r *toolState) *fact { return &r.fact },
		func(r *toolState) time.Time { return r.startedAt })
	if err != nil {
		return err
	}
	return c.out.insert(c.l.bulk.toolCalls, len(rows), func(i int, into *bulkRow) { rows[i].put(&c.l.mem.words, into) })
}

func (r *toolState) put(w *words, into *bulkRow) {
	into.id(r.id)
	into.ints(w.id(r.harness), r.session.id)
	if r.request != nil {
		into.id(*r.request)
	} else {
		into.null()
	}
	into.int(w.id(r.name))
	into.moment(r.startedAt)
	into.moment(r.endedAt)
	if r.ok != nil {
		into.flag(*r.ok)
	} else {
		into.null()
	}
	into.ints(int32(r.source), r.firstSeen)
}

func (c *commit) flushTurns() error {
	return flushFacts(c, "turn", c.turns, func(r *turnState) *fact { return &r.fact }, func(r *turnState) []driver.Value {
		return []driver.Value{
			duckdb.UUID(r.id), c.l.mem.words.id(r.harness), r.session.id, nullMilli(r.startedAt), nullMilli(r.endedAt), r.outcome,
			int32(r.source), r.firstSeen,
		}
	}, func(r *turnState) time.Time { return r.startedAt })
}

// flushFacts writes the rows that changed, in time order.
func flushFacts[R any](c *commit, table string, rows map[meterbridge.ID]*R, of func(*R) *fact, values func(*R) []driver.Value, at func(*R) time.Time) error {
	changed, err := changedFacts(c, table, rows, of, at)
	if err != nil {
		return err
	}
	for _, row := range changed {
		f := of(row)
		c.retell(f.session)
		c.shuffled = c.shuffled || (f.stored && f.sessionID != f.session.id)
		if err := c.out.append(table, values(row)...); err != nil {
			return err
		}
	}
	return nil
}

// changedFacts are the rows to be written, in time order; the ledger's versions of
// them are taken out.
func changedFacts[R any](c *commit, table string, rows map[meterbridge.ID]*R, of func(*R) *fact, at func(*R) time.Time) ([]*R, error) {
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
	inTimeOrder(changed, func(row *R) (time.Time, *meterbridge.ID) { return at(row), &of(row).id })
	if len(changed) > 0 {
		c.l.mem.has[table] = true
	}
	return changed, c.deleteFacts(table, old)
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
