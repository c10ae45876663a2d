package analytics

import (
	"database/sql"
	"time"

	duckdb "github.com/duckdb/duckdb-go/v2"

	"meterbridge"
)

// fact is what prompts, tool calls and turns have in common: a copy of one in a
// fork is the same one, and belongs to whoever owns it by the rule of requests.
type fact struct {
	id        meterbridge.ID
	harness   string
	session   *sessionState
	sessionID int32
	source    int64
	firstSeen int32
	// stored: the ledger has the row; changed: it must be written.
	stored, changed bool
}

type promptState struct {
	fact
	project string
	at      time.Time
	preview string
	line    int64
	// copied is when the record was copied that owns the prompt; zero for an original.
	copied time.Time
}

type toolState struct {
	fact
	request            *meterbridge.ID
	name               string
	startedAt, endedAt time.Time
	ok                 *bool
}

type turnState struct {
	fact
	startedAt, endedAt time.Time
	outcome            string
}

// fresh is a fact that this unit is the first to tell.
func (c *commit) fresh(u *unit, id meterbridge.ID, harness, session string) fact {
	return fact{
		id: id, harness: harness, session: c.sessionOf(harness, session), source: u.source,
		firstSeen: c.l.scan.number, changed: true,
	}
}

// taken reports whether a further record of the fact takes it over.
func (c *commit) taken(f *fact, u *unit, session string) bool {
	if c.own(f.harness, c.claimOf(f.source, f.session.key.native, f.firstSeen), c.claim(u, session)) != meterbridge.NewOwns {
		return false
	}
	c.l.mem.touchSession(f.session.id)
	f.session, f.source, f.changed = c.sessionOf(f.harness, session), u.source, true
	return true
}

func promptID(p *meterbridge.Prompt) meterbridge.ID {
	return meterbridge.NewID(p.Harness, "prompt", p.NativeID)
}

func (c *commit) prompt(u *unit, id meterbridge.ID, p *meterbridge.Prompt) {
	row := c.prompts[id]
	if row == nil {
		c.prompts[id] = &promptState{
			fact: c.fresh(u, id, p.Harness, p.Session), project: p.Project, at: whole(p.At), preview: p.Preview, line: p.Place.Line, copied: p.CopiedAt,
		}
		c.happened(p.At)
		return
	}
	if c.takenPrompt(row, u, p) {
		c.happened(row.at)
		row.project, row.at, row.preview, row.line = p.Project, whole(p.At), p.Preview, p.Place.Line
		c.happened(row.at)
	}
}

// takenPrompt reports whether a further record of a prompt takes it over: an
// original always takes it from a copy.
func (c *commit) takenPrompt(row *promptState, u *unit, p *meterbridge.Prompt) bool {
	if row.copied.Equal(p.CopiedAt) {
		return c.taken(&row.fact, u, p.Session)
	}
	if row.copied.Before(p.CopiedAt) {
		return false
	}
	session := c.sessionOf(p.Harness, p.Session)
	c.fork(row.session, session)
	row.session, row.source, row.changed, row.copied = session, u.source, true, p.CopiedAt
	return true
}

func (c *commit) toolCall(u *unit, id meterbridge.ID, t *meterbridge.ToolCall) {
	request, known := c.requestOf(u, t)
	if _, alias := c.l.mem.aliases.of[request]; alias {
		return // the original tells of its calls
	}
	row := c.toolCalls[id]
	if row == nil {
		row = &toolState{fact: c.fresh(u, id, t.Harness, t.Session)}
		c.toolCalls[id] = row
	} else {
		c.taken(&row.fact, u, t.Session)
	}
	if t.Name != "" && t.Name != row.name {
		row.name, row.changed = t.Name, true
	}
	row.changed = span(&row.startedAt, &row.endedAt, t.StartedAt, t.EndedAt) || row.changed
	if t.OK != nil && (row.ok == nil || *row.ok != *t.OK) {
		ok := *t.OK
		row.ok, row.changed = &ok, true
	}
	if known && (row.request == nil || *row.request != request) {
		row.request, row.changed = &request, true
	}
}

// requestOf is the id of the request that asked for the call. Calls come in the
// order of their requests, so it mostly is that of the call before or the next
// one of the unit, whose id was made before.
func (c *commit) requestOf(u *unit, t *meterbridge.ToolCall) (meterbridge.ID, bool) {
	store, known := c.l.mem.stores[t.Harness]
	if t.Request == "" || !known {
		return meterbridge.ID{}, false
	}
	for i := u.asking; i < min(u.asking+nextRequests, len(u.own)); i++ {
		if r := &u.Batch.Requests[i]; r.NativeID == t.Request && r.Store == store && r.Harness == t.Harness {
			u.asking = i
			return u.own[i], true
		}
	}
	return meterbridge.NewID(t.Harness, store, t.Request), true
}

// nextRequests is how many requests of a unit are looked at for that of a call.
const nextRequests = 8

func (c *commit) turn(u *unit, id meterbridge.ID, t *meterbridge.Turn) {
	row := c.turns[id]
	if row == nil {
		row = &turnState{fact: c.fresh(u, id, t.Harness, t.Session)}
		c.turns[id] = row
	} else {
		c.taken(&row.fact, u, t.Session)
	}
	if span(&row.startedAt, &row.endedAt, t.StartedAt, t.EndedAt) {
		row.changed = true
		c.happened(row.endedAt)
	}
	if t.Outcome != "" && t.Outcome != row.outcome {
		row.outcome, row.changed = t.Outcome, true
	}
}

// span takes over the times that are said, the earliest start and the latest
// end, and reports a change.
func span(start, end *time.Time, newStart, newEnd time.Time) (changed bool) {
	newStart, newEnd = whole(newStart), whole(newEnd)
	if !newStart.IsZero() && (start.IsZero() || newStart.Before(*start)) {
		*start, changed = newStart, true
	}
	if !newEnd.IsZero() && newEnd.After(*end) {
		*end, changed = newEnd, true
	}
	return changed
}

func (c *commit) loadPrompts() error {
	ids := c.searched(func(u *unit) []meterbridge.ID { return u.prompts })
	return c.loadFacts("prompt", promptColumns, ids, c.scanPrompt)
}

// promptColumns follow those of fact.
const (
	promptColumns = "project, happened_at, preview, line"
	selectPrompts = "SELECT id, harness, session, source, first_seen, " + promptColumns + " FROM prompt WHERE "
)

func (c *commit) scanPrompt(rows *sql.Rows) error {
	row := &promptState{}
	var project int32
	var at int64
	err := row.scan(c, rows, &project, &at, &row.preview, &row.line)
	row.project, row.at, row.copied = c.l.mem.words.text(project), fromMilli(at), c.l.mem.aliases.copies[row.id]
	if c.prompts[row.id] == nil {
		c.prompts[row.id] = row
	}
	return err
}

func (c *commit) loadToolCalls() error {
	ids := c.searched(func(u *unit) []meterbridge.ID { return u.toolCalls })
	return c.loadFacts("tool_call", "request, name, started_at, ended_at, ok", ids, func(rows *sql.Rows) error {
		row := &toolState{}
		var request sql.Null[duckdb.UUID]
		var name int32
		var start, end sql.NullInt64
		var ok sql.NullBool
		err := row.scan(c, rows, &request, &name, &start, &end, &ok)
		row.name, row.startedAt, row.endedAt = c.l.mem.words.text(name), fromNull(start), fromNull(end)
		if request.Valid {
			id := meterbridge.ID(request.V)
			row.request = &id
		}
		if ok.Valid {
			row.ok = &ok.Bool
		}
		c.toolCalls[row.id] = row
		return err
	})
}

func (c *commit) loadTurns() error {
	ids := c.searched(func(u *unit) []meterbridge.ID { return u.turns })
	return c.loadFacts("turn", "started_at, ended_at, outcome", ids, func(rows *sql.Rows) error {
		row := &turnState{}
		var start, end sql.NullInt64
		err := row.scan(c, rows, &start, &end, &row.outcome)
		row.startedAt, row.endedAt = fromNull(start), fromNull(end)
		c.turns[row.id] = row
		return err
	})
}

// loadFacts reads the rows with these ids, the columns of fact first.
func (c *commit) loadFacts(table, columns string, ids []meterbridge.ID, scan func(*sql.Rows) error) error {
	if len(ids) == 0 || !c.l.mem.has[table] {
		return nil
	}
	in, err := c.out.idList(ids)
	if err != nil {
		return err
	}
	return c.l.each(c.ctx, "SELECT id, harness, session, source, first_seen, "+columns+" FROM "+table+" WHERE id IN "+in, scan)
}

func (f *fact) scan(c *commit, rows *sql.Rows, more ...any) error {
	var id duckdb.UUID
	var harness int32
	err := rows.Scan(append([]any{&id, &harness, &f.sessionID, &f.source, &f.firstSeen}, more...)...)
	f.id, f.harness, f.stored = meterbridge.ID(id), c.l.mem.words.text(harness), true
	return err
}

func fromNull(n sql.NullInt64) time.Time {
	if !n.Valid {
		return time.Time{}
	}
	return fromMilli(n.Int64)
}
