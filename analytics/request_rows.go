package analytics

import (
	"cmp"
	"database/sql"
	"fmt"
	"math"
	"slices"
	"time"

	duckdb "github.com/duckdb/duckdb-go/v2"

	"meterbridge"
)

// loadRequests reads the rows of the units' requests that the ledger has. The
// search is not bounded by time: a replay may carry another timestamp. But where
// new ids are told from old ones, most of those that are left were written a
// moment ago, so they are looked for at their time first.
func (c *commit) loadRequests() error {
	if !c.l.mem.has["request"] {
		return nil
	}
	ids := append(c.searched(func(u *unit) []meterbridge.ID { return u.requests }), c.l.known.perhaps(c.toldIDs())...)
	if len(ids) == 0 {
		return nil
	}
	in, err := c.out.idList(ids)
	if err != nil {
		return err
	}
	if err := c.findRequests(ids, in); err != nil || !c.l.mem.has["sighting"] {
		return err
	}
	return c.l.each(c.ctx, selectSighting+"id IN "+in, c.scanSighting)
}

// findRequests reads the rows with these ids, of which in is the list.
func (c *commit) findRequests(ids []meterbridge.ID, in string) error {
	const find = "SELECT " + requestColumns + " FROM request WHERE id IN "
	if len(ids) > fewIDs {
		return c.l.each(c.ctx, find+in, c.scanRequest)
	}
	if err := c.l.each(c.ctx, find+in+c.nearby(), c.scanRequest); err != nil {
		return err
	}
	missing := slices.DeleteFunc(ids, func(id meterbridge.ID) bool { return c.requests[id] != nil })
	if len(missing) == 0 {
		return nil
	}
	in, err := c.out.idList(missing)
	if err != nil {
		return err
	}
	return c.l.each(c.ctx, find+in, c.scanRequest)
}

// nearby is the time of the units' requests, a day more or less.
func (c *commit) nearby() string {
	first, last := int64(math.MaxInt64), int64(math.MinInt64)
	for _, u := range c.units {
		for i := range u.Batch.Requests {
			at := milli(u.Batch.Requests[i].EndedAt)
			first, last = min(first, at), max(last, at)
		}
	}
	return fmt.Sprintf(" AND ended_at BETWEEN %d AND %d", first-dayMillis, last+dayMillis)
}

const selectSighting = `SELECT id, source, line, "offset", line_hash, ended_at FROM sighting WHERE `

func (c *commit) scanSighting(rows *sql.Rows) error {
	var id duckdb.UUID
	var source int64
	var p sighting
	if err := rows.Scan(&id, &source, &p.Line, &p.Offset, &p.Hash, &p.endedAt); err != nil {
		return err
	}
	if row := c.requests[meterbridge.ID(id)]; row != nil {
		row.sight(source, p)
		row.was.sightings = row.sightings
	}
	return nil
}

// storedRequest is a row of the table request, as it is scanned.
type storedRequest struct {
	id                                             duckdb.UUID
	harness, session, project, model, facet, tools int32
	responseID, requestID                          sql.NullString
	startedAt                                      sql.NullInt64
	endedAt                                        int64
	tokens                                         [6]sql.NullInt64
	searches, recorded                             sql.NullInt64
	source, owner, line, offset                    int64
	hash                                           uint64
	firstSeen                                      int32
	calls                                          int64
}

const requestColumns = `id, harness, session, project, model, facet, response_id, request_id, started_at, ended_at,
  input, output, reasoning, cache_read, cache_write_5m, cache_write_1h, web_searches, recorded_pusd, tools,
  source, owner, line, "offset", line_hash, first_seen, calls`

// targets are where requestColumns are scanned to.
func (s *storedRequest) targets() []any {
	t := &s.tokens
	return []any{
		&s.id, &s.harness, &s.session, &s.project, &s.model, &s.facet, &s.responseID, &s.requestID, &s.startedAt, &s.endedAt,
		&t[0], &t[1], &t[2], &t[3], &t[4], &t[5], &s.searches, &s.recorded, &s.tools,
		&s.source, &s.owner, &s.line, &s.offset, &s.hash, &s.firstSeen, &s.calls,
	}
}

func (c *commit) scanRequest(rows *sql.Rows) error {
	var s storedRequest
	if err := rows.Scan(s.targets()...); err != nil {
		return err
	}
	if c.requests[meterbridge.ID(s.id)] != nil {
		return nil
	}
	f := c.l.mem.facets.of(s.facet)
	r := s.request(&c.l.mem.words, &f)
	r.CopiedAt = c.l.mem.aliases.copies[meterbridge.ID(s.id)]
	row := &requestState{
		id: meterbridge.ID(s.id), r: &r, sessionID: s.session, source: s.source, owner: s.owner,
		machine: f.machine, parser: int(f.parser), firstSeen: s.firstSeen, vanished: f.vanished, stored: true,
	}
	was := *row
	row.was = &was
	c.requests[row.id] = row
	return nil
}

// request is the row as a request; its session is not known here.
func (s *storedRequest) request(w *words, f *facet) meterbridge.Request {
	r := meterbridge.Request{
		Harness: w.text(s.harness), Project: w.text(s.project), Model: w.text(s.model),
		ResponseID: s.responseID.String, RequestID: s.requestID.String, EndedAt: fromMilli(s.endedAt),
		Tokens: meterbridge.Tokens{
			Input: count(s.tokens[0]), Output: count(s.tokens[1]), Reasoning: count(s.tokens[2]),
			CacheRead: count(s.tokens[3]), CacheWrite5m: count(s.tokens[4]), CacheWrite1h: count(s.tokens[5]),
		},
		WebSearches: count(s.searches), Tools: splitToolNames(w.text(s.tools)),
		Place: meterbridge.Place{Line: s.line, Offset: s.offset, Hash: s.hash},
	}
	if s.calls != 1 {
		r.Calls = meterbridge.Reported(s.calls)
	}
	f.lay(w, &r)
	if s.startedAt.Valid {
		r.StartedAt = fromMilli(s.startedAt.Int64)
	}
	if s.recorded.Valid {
		r.Recorded = meterbridge.SomePico(meterbridge.Pico(s.recorded.Int64))
	}
	return r
}

func count(n sql.NullInt64) meterbridge.Count { return meterbridge.Count{N: n.Int64, OK: n.Valid} }

// requestTypes are the types of the table's columns, in its order.
func requestTypes() []duckdb.Type {
	const i, n, t, h, u = duckdb.TYPE_INTEGER, duckdb.TYPE_BIGINT, duckdb.TYPE_VARCHAR, duckdb.TYPE_UBIGINT, duckdb.TYPE_UUID
	return []duckdb.Type{
		u, i, i, i, i, i, t, t, n, n, n, n, n, n, n, n, n,
		n, duckdb.TYPE_HUGEINT, i, i, n, n, h, i, i, n,
	}
}

// requestTexts are the texts of the row before; the zero value is the start.
type requestTexts struct {
	harness, project, model, tools column
	facet                          lastFacet
}

// put prices the row and writes it, its columns in the table's order.
func (row *requestState) put(l *Ledger, last *requestTexts, into *bulkRow) {
	w, r, t := &l.mem.words, row.r, &row.r.Tokens
	list, key := l.price(r)
	into.id(row.id)
	into.int(last.harness.id(w, r.Harness))
	into.int(row.session.id)
	into.int(last.project.id(w, r.Project))
	into.int(last.model.id(w, r.Model))
	into.int(last.facet.of(l, row, key))
	into.text(r.ResponseID)
	into.text(r.RequestID)
	into.moment(r.StartedAt)
	into.long(milli(r.EndedAt))
	for _, c := range [...]meterbridge.Count{t.Input, t.Output, t.Reasoning, t.CacheRead, t.CacheWrite5m, t.CacheWrite1h, r.WebSearches} {
		into.count(c)
	}
	into.count(recordedPico(r.Recorded))
	into.pico(list)
	into.int(last.tools.id(w, joinToolNames(r.Tools)))
	into.int(int32(row.source))
	into.long(r.Place.Line)
	into.long(r.Place.Offset)
	into.hash(r.Place.Hash)
	into.int(row.firstSeen)
	into.int(int32(row.owner))
	into.long(r.Counts())
}

// recordedPico is the recorded cost for its column, which holds what one request may cost.
func recordedPico(p meterbridge.NullPico) meterbridge.Count {
	n, fits := p.Amount.Int64()
	return meterbridge.Count{N: n, OK: p.OK && fits}
}

// flushRequests writes new and changed rows in time order. A changed row is
// taken out and put in again, which keeps recent ones at the table's end.
func (c *commit) flushRequests() error {
	var rows []*requestState
	var old []meterbridge.ID
	for _, row := range c.requests {
		if row.unchanged() {
			continue
		}
		rows = append(rows, row)
		if row.stored {
			old = append(old, row.id)
		}
	}
	inTimeOrder(rows, func(row *requestState) (time.Time, *meterbridge.ID) { return row.r.EndedAt, &row.id })
	if err := c.deleteRequests(old); err != nil {
		return err
	}
	for _, row := range rows {
		c.account(row)
		c.shuffled = c.shuffled || (row.stored && row.was.session != row.session)
	}
	c.written = rows
	c.l.stats.Requests += int64(len(rows))
	var last requestTexts
	return c.out.insert(c.l.bulk.requests, len(rows), func(i int, into *bulkRow) { rows[i].put(c.l, &last, into) })
}

func (c *commit) deleteRequests(ids []meterbridge.ID) error {
	if len(ids) == 0 {
		return nil
	}
	slices.SortFunc(ids, func(a, b meterbridge.ID) int { return cmp.Compare(string(a[:]), string(b[:])) })
	first, last := int64(1)<<62, int64(-1)<<62
	for _, id := range ids {
		at := milli(c.requests[id].was.r.EndedAt)
		first, last = min(first, at), max(last, at)
	}
	in, err := c.out.idList(ids)
	if err != nil {
		return err
	}
	return c.out.exec("DELETE FROM request WHERE ended_at BETWEEN ? AND ? AND id IN "+in, first, last)
}

// account keeps the sums beside the table in step with a row that is written.
func (c *commit) account(row *requestState) {
	m := &c.l.mem
	at := milli(row.r.EndedAt)
	c.dirty(row.r.EndedAt)
	if row.stored {
		c.dirty(row.was.r.EndedAt)
		m.touchSession(row.was.session.id)
		if was := row.was; was.session != row.session || c.bounds(was.session, milli(was.r.EndedAt), at) {
			c.remeasure[was.session.id] = true
		}
	} else {
		m.requests++
	}
	if at < m.newest {
		m.unordered++
	}
	m.newest = max(m.newest, at)
	c.spend(row.session, at)
	m.has["request"] = true
}

// bounds reports whether the session's first or last time may change when a
// request of it no longer ends at was but at now.
func (c *commit) bounds(s *sessionState, was, now int64) bool {
	return (was == s.firstAt.Int64 && now > was) || (was == s.lastAt.Int64 && now < was)
}

// fromMilli is a time out of the ledger.
func fromMilli(ms int64) time.Time { return time.UnixMilli(ms).UTC() }
