package analytics

import (
	"bytes"
	"database/sql"
	"slices"
	"time"

	duckdb "github.com/duckdb/duckdb-go/v2"

	"meterbridge"
)

// aliases are the requests and prompts that have a second id: a harness that
// forks a session copies its records under new ids. A copy that its parser saw
// beside its original never comes here. One whose original was not there counts
// as itself until the original is seen, before or after; from then on its id is
// an alias of the original's, whichever of the two was read first.
type aliases struct {
	// of is what an id is an alias of, which may itself be one.
	of map[meterbridge.ID]meterbridge.ID
	// copies are the copies without a known original, and when they were copied;
	// signs finds them.
	copies map[meterbridge.ID]time.Time
	signs  map[meterbridge.Sign]meterbridge.ID
}

// canonical is the id that an id stands for.
func (a *aliases) canonical(id meterbridge.ID) meterbridge.ID {
	for {
		to, ok := a.of[id]
		if !ok {
			return id
		}
		id = to
	}
}

// note remembers a copy whose original is not known.
func (a *aliases) note(id meterbridge.ID, sign meterbridge.Sign, copied time.Time) {
	a.copies[id], a.signs[sign] = copied, id
}

// loadAliases reads the aliases, and the signs of copies without an original.
func (c *commit) loadAliases() error {
	a := &c.l.mem.aliases
	if a.of != nil {
		return nil
	}
	*a = aliases{of: map[meterbridge.ID]meterbridge.ID{}, copies: map[meterbridge.ID]time.Time{}, signs: map[meterbridge.Sign]meterbridge.ID{}}
	err := c.l.each(c.ctx, "SELECT id, canonical, copied_at FROM alias", func(rows *sql.Rows) error {
		var id, canonical duckdb.UUID
		var copied int64
		err := rows.Scan(&id, &canonical, &copied)
		if id == canonical {
			a.copies[meterbridge.ID(id)] = fromMilli(copied)
		} else {
			a.of[meterbridge.ID(id)] = meterbridge.ID(canonical)
		}
		return err
	})
	if err != nil || len(a.copies) == 0 {
		return err
	}
	const copies = "id IN (SELECT id FROM alias WHERE canonical = id)"
	err = c.l.each(c.ctx, "SELECT "+requestColumns+" FROM request WHERE "+copies, func(rows *sql.Rows) error {
		var s storedRequest
		err := rows.Scan(s.targets()...)
		f := c.l.mem.facets.of(s.facet)
		r := s.request(&c.l.mem.words, &f)
		a.signs[r.Sign()] = meterbridge.ID(s.id)
		return err
	})
	if err != nil {
		return err
	}
	return c.l.each(c.ctx, "SELECT id, harness, project, happened_at FROM prompt WHERE "+copies, func(rows *sql.Rows) error {
		var id duckdb.UUID
		var harness, project int32
		var at int64
		err := rows.Scan(&id, &harness, &project, &at)
		w := &c.l.mem.words
		a.signs[meterbridge.Sign{Harness: w.text(harness), Project: w.text(project), At: at}] = meterbridge.ID(id)
		return err
	})
}

// resolveIDs gives the units' rows the ids that they are known under.
func (c *commit) resolveIDs() error {
	if err := c.loadAliases(); err != nil || len(c.l.mem.aliases.of) == 0 {
		return err
	}
	for _, u := range c.units {
		for _, ids := range [][]meterbridge.ID{u.requests, u.prompts} {
			for i := range ids {
				ids[i] = c.l.mem.aliases.canonical(ids[i])
			}
		}
	}
	return nil
}

// aliasRow is what the table alias says of an id: a copy without an original
// stands for itself.
type aliasRow struct {
	canonical meterbridge.ID
	copied    time.Time
}

// alias makes the younger of two ids an alias of the elder, which it returns.
func (c *commit) alias(other, id meterbridge.ID, s meterbridge.Sign, copied time.Time, unite func(alias, id meterbridge.ID)) meterbridge.ID {
	a := &c.l.mem.aliases
	young, elder, elderCopied := other, id, copied
	if meterbridge.Elder(other, a.copies[other], id, copied) {
		young, elder, elderCopied = id, other, a.copies[other]
	}
	c.aliased[young] = aliasRow{elder, a.copies[young]}
	delete(a.copies, young)
	delete(a.signs, s)
	a.of[young] = elder
	if !elderCopied.IsZero() {
		a.note(elder, s, elderCopied)
		c.aliased[elder] = aliasRow{elder, elderCopied}
	}
	unite(young, elder)
	return elder
}

// linePlace is a record of a source.
type linePlace struct{ source, line int64 }

// uniteRequests makes one row of two.
func (c *commit) uniteRequests(alias, id meterbridge.ID) {
	for tool, row := range c.toolCalls {
		if row.request != nil && *row.request == alias {
			delete(c.toolCalls, tool)
		}
	}
	old, row := c.requests[alias], c.requests[id]
	if old == nil {
		return
	}
	delete(c.requests, alias)
	c.l.mem.touchSession(old.session.id)
	if old.stored {
		c.replaced = append(c.replaced, old)
	}
	for k, e := range c.events {
		if !e.stored && e.source == old.source && e.line == old.r.Place.Line {
			delete(c.events, k)
		}
	}
	if row == nil {
		fresh := *old
		fresh.id, fresh.stored, fresh.was, fresh.sighted = id, false, nil, len(old.sightings) > 0
		row = &fresh
		c.requests[id] = row
		c.noteClaims(row, c.ownerClaim(old), c.countsClaim(old))
	} else {
		row.firstSeen = min(row.firstSeen, old.firstSeen)
		for source, p := range old.sightings {
			row.sightAlso(source, p)
		}
		if !old.vanished {
			row.sightAlso(old.source, sighting{old.r.Place, milli(old.r.EndedAt)})
		}
		row.dropSighting(row.source)
	}
	for source := range row.sightings {
		c.index(row, source)
	}
	c.index(row, row.source)
}

// fork says of the session that holds a copy where it came from.
func (c *commit) fork(copy, original *sessionState) {
	if copy != original && copy.parentID == 0 && !c.derives(original.key.harness, original.key.native, copy.key.native) {
		c.session(&meterbridge.Session{Harness: copy.key.harness, ID: copy.key.native, Parent: original.key.native, Relation: meterbridge.Fork})
	}
}

func (row *promptState) sign() meterbridge.Sign {
	return meterbridge.Sign{Harness: row.harness, Project: row.project, At: milli(row.at)}
}

func (c *commit) unitePrompts(alias, id meterbridge.ID) {
	old := c.prompts[alias]
	if old == nil {
		return
	}
	delete(c.prompts, alias)
	c.l.mem.touchSession(old.session.id)
	if old.stored {
		c.unasked = append(c.unasked, alias)
	}
	c.happened(old.at)
	if row := c.prompts[id]; row != nil {
		row.firstSeen = min(row.firstSeen, old.firstSeen)
		row.changed = true
		return
	}
	fresh := *old
	fresh.id, fresh.stored, fresh.changed = id, false, true
	c.prompts[id] = &fresh
}

// flushAliases writes the aliases, and takes out what lay under them.
func (c *commit) flushAliases() error {
	if len(c.aliased) == 0 {
		return nil
	}
	ids := make([]meterbridge.ID, 0, len(c.aliased))
	for id := range c.aliased {
		ids = append(ids, id)
	}
	slices.SortFunc(ids, func(a, b meterbridge.ID) int { return bytes.Compare(a[:], b[:]) })
	if err := c.deleteFacts("alias", ids); err != nil {
		return err
	}
	for _, id := range ids {
		row := c.aliased[id]
		copied := int64(0)
		if !row.copied.IsZero() {
			copied = milli(row.copied)
		}
		if err := c.out.append("alias", duckdb.UUID(id), duckdb.UUID(row.canonical), copied); err != nil {
			return err
		}
	}
	if err := c.deleteFacts("prompt", c.unasked); err != nil {
		return err
	}
	return c.flushReplaced()
}

// flushReplaced takes out the rows of requests that live on under another id,
// with what hangs on them.
func (c *commit) flushReplaced() error {
	var ids []meterbridge.ID
	for _, row := range c.replaced {
		ids = append(ids, row.id)
		c.dirty(row.was.r.EndedAt)
		c.remeasure[row.was.session.id] = true
		c.l.mem.requests--
		for _, source := range append(sorted(row.was.sightings), row.was.source) {
			place := row.was.r.Place
			if p, ok := row.was.sightings[source]; ok {
				place = p.Place
			}
			if err := c.out.exec("DELETE FROM event WHERE session = ? AND source = ? AND line = ?", row.was.session.id, source, place.Line); err != nil {
				return err
			}
		}
	}
	if len(ids) == 0 {
		return nil
	}
	for _, table := range []string{"request", "sighting"} {
		if err := c.deleteFacts(table, ids); err != nil {
			return err
		}
	}
	in, err := c.out.idList(ids)
	if err != nil {
		return err
	}
	return c.out.exec("DELETE FROM tool_call WHERE request IN " + in)
}
