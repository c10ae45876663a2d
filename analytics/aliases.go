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

// twins collects, for the units' requests or prompts, under which other ids the
// ledger may have them: those of copies without an original, and the times of
// records to which a copy is new.
type twins struct {
	ids []meterbridge.ID
	at  []int64
}

func (t *twins) look(a *aliases, id meterbridge.ID, copied time.Time, sign func() meterbridge.Sign) {
	if copied.IsZero() && len(a.signs) == 0 {
		return
	}
	s := sign()
	if other, ok := a.signs[s]; ok {
		t.ids = append(t.ids, other)
	}
	if _, known := a.copies[id]; !copied.IsZero() && !known {
		t.at = append(t.at, s.At)
	}
}

// where is the condition that finds them, empty when there are none; at is the
// column, or the expression, of their time.
func (t *twins) where(c *commit, at string) (string, error) {
	if len(t.ids)+len(t.at) == 0 {
		return "", nil
	}
	slices.SortFunc(t.ids, func(a, b meterbridge.ID) int { return bytes.Compare(a[:], b[:]) })
	in, err := c.out.idList(append(slices.Compact(t.ids), meterbridge.ID{}))
	return "(id IN " + in + " OR " + at + " IN " + numbers(append(t.at, -1)) + ")", err
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

// loadTwins reads the rows that turn out to be the units' records under other ids.
func (c *commit) loadTwins() error {
	a := &c.l.mem.aliases
	var requests, prompts twins
	for _, u := range c.units {
		for i := range u.Batch.Requests {
			r := &u.Batch.Requests[i]
			requests.look(a, u.requests[i], r.CopiedAt, r.Sign)
		}
		for i := range u.Batch.Prompts {
			p := &u.Batch.Prompts[i]
			prompts.look(a, u.prompts[i], p.CopiedAt, p.Sign)
		}
	}
	where, err := requests.where(c, "coalesce(started_at, ended_at)")
	if err == nil && where != "" && c.l.mem.has["request"] {
		err = c.loadTwinRequests(where)
	}
	if err != nil {
		return err
	}
	where, err = prompts.where(c, "happened_at")
	if err != nil || where == "" || !c.l.mem.has["prompt"] {
		return err
	}
	return c.l.each(c.ctx, selectPrompts+where, c.scanPrompt)
}

func (c *commit) loadTwinRequests(where string) error {
	if err := c.l.each(c.ctx, "SELECT "+requestColumns+" FROM request WHERE "+where, c.scanRequest); err != nil {
		return err
	}
	return c.l.each(c.ctx, selectSighting+"id IN (SELECT id FROM request WHERE "+where+")", c.scanSighting)
}

// twin finds the record of another id that one is a copy of, or that is a copy
// of it, and makes the younger id an alias of the elder. It returns the id under
// which the record is known. at finds the rows at hand by their signs.
func (c *commit) twin(id meterbridge.ID, copied time.Time, sign func() meterbridge.Sign, at *signs, unite func(alias, id meterbridge.ID)) meterbridge.ID {
	a := &c.l.mem.aliases
	if to := a.canonical(id); to != id {
		return to
	}
	if copied.IsZero() && len(a.signs) == 0 && at.ids == nil {
		return id
	}
	s := sign()
	other, found := a.signs[s]
	if !found && !copied.IsZero() {
		other, found = at.find(s, id)
		other = a.canonical(other)
	}
	at.add(s, id)
	switch {
	case found && other != id:
		return c.alias(other, id, s, copied, unite)
	case !found && !copied.IsZero():
		a.note(id, s, copied)
		c.aliased[id] = aliasRow{id, copied}
	}
	return id
}

// signs are the rows at hand by their signs, once a copy asked for them.
type signs struct {
	ids map[meterbridge.Sign][]meterbridge.ID
	// each calls fn with every row at hand.
	each func(fn func(meterbridge.Sign, meterbridge.ID))
}

// find returns the least id but id, so that the order of reading does not matter.
func (s *signs) find(sign meterbridge.Sign, id meterbridge.ID) (least meterbridge.ID, found bool) {
	if s.ids == nil {
		s.ids = map[meterbridge.Sign][]meterbridge.ID{}
		s.each(s.add)
	}
	for _, other := range s.ids[sign] {
		if other != id && (!found || bytes.Compare(other[:], least[:]) < 0) {
			least, found = other, true
		}
	}
	return least, found
}

func (s *signs) add(sign meterbridge.Sign, id meterbridge.ID) {
	if s.ids != nil && !slices.Contains(s.ids[sign], id) {
		s.ids[sign] = append(s.ids[sign], id)
	}
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

// requestTwin is the id under which a record of a request is known. What else a
// copy's record tells (an error, an interruption) its original tells as well.
func (c *commit) requestTwin(u *unit, id meterbridge.ID, r *meterbridge.Request) meterbridge.ID {
	if r.CopiedAt.IsZero() {
		return c.twin(id, r.CopiedAt, r.Sign, &c.requestSigns, c.uniteRequests)
	}
	own := r.ID()
	known := c.l.mem.aliases.canonical(own)
	if known == own {
		known = c.twin(own, r.CopiedAt, r.Sign, &c.requestSigns, c.uniteRequests)
	}
	if known != own {
		c.copied[linePlace{u.source, r.Place.Line}] = true
	}
	return known
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

// promptTwin is the id under which a prompt is known.
func (c *commit) promptTwin(id meterbridge.ID, p *meterbridge.Prompt) meterbridge.ID {
	if !p.CopiedAt.IsZero() {
		own := promptID(p)
		if id = c.l.mem.aliases.canonical(own); id != own {
			return id
		}
	}
	return c.twin(id, p.CopiedAt, p.Sign, &c.promptSigns, c.unitePrompts)
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
