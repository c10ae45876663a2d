package analytics

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"meterbridge"
)

// mirrors joins calls that two harnesses logged: one that drives another writes
// its own log of what the inner one did. Where both hold the provider's id of
// the response, the inner harness's row counts, and the other log is a further
// place in which it was seen (a sighting), whichever of the two was read first.
type mirrors struct {
	// own are rows of harnesses that drive none, driven those of the others, by
	// response id; nil while no row of a driving harness has such an id.
	own    map[string]*requestState
	driven map[string][]*requestState
	// replaced are stored rows that became sightings.
	replaced []*requestState
}

// mirrorMillis is how far the ends of a call may lie apart in two logs.
const mirrorMillis = 3_600_000

// drives reports whether a harness can run another one inside.
func (c *commit) drives(harness string) bool { return slices.Contains(c.l.opts.Drivers, harness) }

// loadMirrors reads the rows that may be the units' requests in another log.
func (c *commit) loadMirrors() error {
	if len(c.l.opts.Drivers) == 0 {
		return nil
	}
	own, driven := responseSet{c: c}, responseSet{c: c, drivers: true}
	for _, u := range c.units {
		own.add(u)
		driven.add(u)
	}
	known, err := c.knowsDriven()
	if err != nil || (!known && len(driven.ids) == 0) {
		return err
	}
	if known = known || len(driven.ids) > 0; known {
		c.l.mem.driven = &known
	}
	c.mirrors = mirrors{own: map[string]*requestState{}, driven: map[string][]*requestState{}}
	for _, s := range []responseSet{own, driven} {
		if err := s.load(); err != nil {
			return err
		}
	}
	for _, row := range c.requests {
		c.answer(row)
	}
	return nil
}

// answer notes a row under its response id.
func (c *commit) answer(row *requestState) {
	id := row.r.ResponseID
	switch {
	case id == "" || c.mirrors.own == nil:
	case c.drives(row.r.Harness):
		if !slices.Contains(c.mirrors.driven[id], row) {
			c.mirrors.driven[id] = append(c.mirrors.driven[id], row)
		}
	case c.mirrors.own[id] == nil || bytes.Compare(row.id[:], c.mirrors.own[id].id[:]) < 0: // of several always the same
		c.mirrors.own[id] = row
	}
}

// knowsDriven reports whether the ledger has rows of driving harnesses that may
// have been made by others.
func (c *commit) knowsDriven() (bool, error) {
	if c.l.mem.driven == nil {
		known := false
		q := "SELECT EXISTS (SELECT 1 FROM request WHERE response_id <> '' AND harness IN " + c.driverWords() + ")"
		if err := c.l.w.QueryRowContext(c.ctx, q).Scan(&known); err != nil {
			return false, fmt.Errorf("look for mirrored requests: %w", err)
		}
		c.l.mem.driven = &known
	}
	return *c.l.mem.driven, nil
}

func (c *commit) driverWords() string { return numbersOf(c.l.opts.Drivers) }

// numbersOf are the numbers of words, as SQL.
func numbersOf(list []string) string {
	texts := []string{"''"} // what no harness is called
	for _, text := range list {
		texts = append(texts, quote(text))
	}
	return "(SELECT id FROM word WHERE text IN (" + strings.Join(texts, ", ") + "))"
}

// responseSet are the response ids of the units' requests of one kind, and the
// time in which they ended.
type responseSet struct {
	c           *commit
	drivers     bool
	ids         []string
	first, last int64
}

func (s *responseSet) add(u *unit) {
	for i := range u.Batch.Requests {
		r := &u.Batch.Requests[i]
		if r.ResponseID == "" || s.c.drives(r.Harness) != s.drivers {
			continue
		}
		at := milli(r.EndedAt)
		if len(s.ids) == 0 {
			s.first, s.last = at, at
		}
		s.ids = append(s.ids, r.ResponseID)
		s.first, s.last = min(s.first, at), max(s.last, at)
	}
}

// load reads the rows of the other kind with these ids.
func (s *responseSet) load() error {
	c := s.c
	if len(s.ids) == 0 || !c.l.mem.has["request"] {
		return nil
	}
	slices.Sort(s.ids)
	texts := make([]string, 0, len(s.ids))
	for _, id := range slices.Compact(s.ids) {
		texts = append(texts, quote(id))
	}
	not := "NOT "
	if !s.drivers {
		not = ""
	}
	where := fmt.Sprintf("harness %sIN %s AND ended_at BETWEEN %d AND %d AND response_id IN (%s)",
		not, c.driverWords(), s.first-mirrorMillis, s.last+mirrorMillis, strings.Join(texts, ", "))
	if err := c.l.each(c.ctx, "SELECT "+requestColumns+" FROM request WHERE "+where, c.scanRequest); err != nil {
		return err
	}
	return c.l.each(c.ctx, selectSighting+"id IN (SELECT id FROM request WHERE "+where+")", c.scanSighting)
}

// mirrored makes a record of a driving harness a sighting of the row that the
// inner harness logged; false when there is none.
func (c *commit) mirrored(u *unit, i int) bool {
	r := &u.Batch.Requests[i]
	if c.mirrors.own == nil || r.ResponseID == "" || !c.drives(r.Harness) {
		return false
	}
	row := c.mirrors.own[r.ResponseID]
	if row == nil {
		return false
	}
	if was := c.requests[u.requests[i]]; was != nil {
		c.unite(was, row)
	}
	c.sightMirror(row, u.source, sighting{r.Place, milli(r.EndedAt)})
	u.requests[i] = row.id
	return true
}

// originated makes sightings of the rows of driving harnesses that the request's
// row stands for.
func (c *commit) originated(row *requestState) {
	if c.mirrors.own == nil {
		return
	}
	c.answer(row)
	id := row.r.ResponseID
	if c.mirrors.own[id] != row {
		return
	}
	for _, twin := range c.mirrors.driven[id] {
		c.unite(twin, row)
	}
	delete(c.mirrors.driven, id)
}

// unite makes the row of a driving harness a sighting of another row.
func (c *commit) unite(mirror, row *requestState) {
	for source, p := range mirror.sightings {
		c.sightMirror(row, source, p)
	}
	if !mirror.vanished {
		c.sightMirror(row, mirror.source, sighting{mirror.r.Place, milli(mirror.r.EndedAt)})
	}
	delete(c.requests, mirror.id)
	if mirror.stored {
		c.mirrors.replaced = append(c.mirrors.replaced, mirror)
	}
}

func (c *commit) sightMirror(row *requestState, source int64, p sighting) {
	if source != row.source {
		row.sightAlso(source, p)
		c.index(row, source)
	}
}

// flushMirrors takes out the rows that became sightings.
func (c *commit) flushMirrors() error {
	ids := make([]meterbridge.ID, 0, len(c.mirrors.replaced))
	for _, row := range c.mirrors.replaced {
		ids = append(ids, row.id)
		c.dirty(row.was.r.EndedAt)
		c.remeasure[row.was.session.id] = true
		c.l.mem.requests--
	}
	if err := c.deleteFacts("request", ids); err != nil {
		return err
	}
	return c.deleteFacts("sighting", ids)
}
