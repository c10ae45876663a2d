package analytics

import (
	"database/sql"
	"time"

	"meterbridge"
)

// limitKey is what two observations of a limit must share to be one: everything
// but the time. The ledger keeps the earliest.
type limitKey struct {
	session    int32
	name, plan string
	window     int64
	used       sql.NullFloat64
	resets     int64
}

// limitState is the rest of an observation.
type limitState struct {
	harness string
	at      time.Time
	source  int64
	stored  bool
	changed bool
	// stale: the source was read whole again and has not said it yet.
	stale bool
}

// eventKey is an event; a copy of its line in another file is the same one.
type eventKey struct {
	session      int32
	at           int64
	kind, detail string
}

type eventState struct {
	harness string
	source  int64
	line    int64
	stored  bool
	stale   bool
}

// loadRepeats reads the limits and events of the units' sessions, to drop repeats.
func (c *commit) loadRepeats() error {
	if err := c.resolve(); err != nil {
		return err
	}
	limits, events, whole := map[int32]bool{}, map[int32]bool{}, map[int64]bool{}
	for _, u := range c.units {
		for _, m := range u.Batch.Limits {
			c.known(limits, m.Harness, m.Session)
		}
		for _, e := range u.Batch.Events {
			c.known(events, e.Harness, e.Session)
		}
		if u.Whole {
			whole[u.source] = true
		}
	}
	where := func(sessions map[int32]bool) string {
		return " WHERE session IN " + numbers(append(sorted(sessions), 0)) + " OR source IN " + numbers(append(sorted(whole), 0))
	}
	if len(limits)+len(whole) > 0 && c.l.mem.has["rate_limit"] {
		const q = `SELECT harness, session, happened_at, name, window_ms, used_percent, resets_at, plan, source FROM rate_limit`
		if err := c.l.each(c.ctx, q+where(limits), c.scanLimit); err != nil {
			return err
		}
	}
	if len(events)+len(whole) > 0 && c.l.mem.has["event"] {
		const q = "SELECT harness, session, happened_at, kind, detail, source, line FROM event"
		return c.l.each(c.ctx, q+where(events), c.scanEvent)
	}
	return nil
}

// known notes the session's number when the ledger has the session.
func (c *commit) known(set map[int32]bool, harness, native string) {
	if s := c.l.mem.sessions[sessionKey{harness, native}]; s != nil {
		set[s.id] = true
	}
}

func (c *commit) scanLimit(rows *sql.Rows) error {
	var k limitKey
	var harness int32
	var at, source int64
	var window, resets sql.NullInt64
	err := rows.Scan(&harness, &k.session, &at, &k.name, &window, &k.used, &resets, &k.plan, &source)
	k.window, k.resets = window.Int64, resets.Int64
	c.limits[k] = &limitState{harness: c.l.mem.words.text(harness), at: fromMilli(at), source: source, stored: true}
	return err
}

func (c *commit) scanEvent(rows *sql.Rows) error {
	var k eventKey
	var harness int32
	e := &eventState{stored: true}
	err := rows.Scan(&harness, &k.session, &k.at, &k.kind, &k.detail, &e.source, &e.line)
	e.harness = c.l.mem.words.text(harness)
	c.events[k] = e
	return err
}

// limit keeps an observation that says something new.
func (c *commit) limit(u *unit, m *meterbridge.Limit) {
	k := limitKey{session: c.sessionOf(m.Harness, m.Session).id, name: m.Name, plan: m.Plan, window: m.Window.Milliseconds()}
	if m.UsedPercent != nil {
		k.used = sql.NullFloat64{Float64: *m.UsedPercent, Valid: true}
	}
	if !m.ResetsAt.IsZero() {
		k.resets = milli(m.ResetsAt)
	}
	at := whole(m.At)
	row := c.limits[k]
	if row == nil {
		c.limits[k] = &limitState{harness: m.Harness, at: at, source: u.source, changed: true}
		return
	}
	if at.Before(row.at) || (row.stale && !at.Equal(row.at)) {
		row.at, row.source, row.changed = at, u.source, true
	}
	row.stale = false
}

// event keeps an event that is not known yet.
func (c *commit) event(u *unit, e *meterbridge.Event) {
	k := eventKey{session: c.sessionOf(e.Harness, e.Session).id, at: milli(e.At), kind: e.Kind, detail: e.Detail}
	if row := c.events[k]; row != nil {
		row.stale = false
		return
	}
	if c.copied[linePlace{u.source, e.Place.Line}] {
		return
	}
	c.happened(e.At)
	c.events[k] = &eventState{harness: e.Harness, source: u.source, line: e.Place.Line}
}
