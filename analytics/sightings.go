package analytics

import (
	"cmp"
	"slices"

	duckdb "github.com/duckdb/duckdb-go/v2"

	"meterbridge"
)

// sighting is the place of a request in a further source, and when the answer
// ended as that has it, in epoch milliseconds: a late replay has a time of its own.
type sighting struct {
	meterbridge.Place
	endedAt int64
}

// flushSightings writes the further sources of the requests whose set changed.
func (c *commit) flushSightings() error {
	var rows []*requestState
	var old []meterbridge.ID
	for _, row := range c.requests {
		if !row.sighted {
			continue
		}
		rows = append(rows, row)
		if row.was != nil && len(row.was.sightings) > 0 {
			old = append(old, row.id)
		}
	}
	if err := c.deleteFacts("sighting", old); err != nil {
		return err
	}
	slices.SortFunc(rows, func(a, b *requestState) int { return cmp.Compare(string(a.id[:]), string(b.id[:])) })
	for _, row := range rows {
		for _, source := range sorted(row.sightings) {
			p := row.sightings[source]
			if err := c.out.append("sighting", duckdb.UUID(row.id), int32(source), p.Line, p.Offset, p.Hash, p.endedAt); err != nil {
				return err
			}
			c.l.mem.has["sighting"] = true
		}
	}
	return nil
}

// loadPlaces reads the rows of sources that were read whole, or that are gone
// while other sources hold their requests as well.
func (c *commit) loadPlaces() error {
	var whole, gone []int64
	for _, u := range c.units {
		if u.Whole && !u.fresh {
			whole = append(whole, u.source)
		}
		if u.Checkpoint.Gone {
			gone = append(gone, u.source)
		}
	}
	c.places = len(whole)+len(gone) > 0
	if !c.places || !c.l.mem.has["request"] {
		return nil
	}
	list := func(sources []int64) string { return numbers(append(sources, 0)) }
	where := "WHERE source IN " + list(whole) + " OR (source IN " + list(gone) + " AND id IN (SELECT id FROM sighting))" +
		" OR id IN (SELECT id FROM sighting WHERE source IN " + list(whole) + ")"
	if err := c.l.each(c.ctx, "SELECT "+requestColumns+" FROM request "+where, c.scanRequest); err != nil {
		return err
	}
	return c.l.each(c.ctx, selectSighting+"id IN (SELECT id FROM request "+where+")", c.scanSighting)
}

// index notes the rows of each source, when some source is to be left.
func (c *commit) index(row *requestState, source int64) {
	if c.places {
		c.at[source] = append(c.at[source], row)
	}
}

// indexStored does so for the rows out of the ledger.
func (c *commit) indexStored() error {
	for _, row := range c.requests {
		c.index(row, row.source)
		for source := range row.sightings {
			c.index(row, source)
		}
	}
	return nil
}

// leave looks at the rows of the unit's source that it no longer holds. A gone
// log says nothing of them: they move to another source that holds them, if one
// does. What a whole log lacks moves too, or else is flagged; it never goes.
func (c *commit) leave(u *unit) {
	if u.Checkpoint.Gone {
		for _, row := range c.at[u.source] {
			if row.source == u.source {
				c.moveOn(row)
			}
		}
		return
	}
	if !u.Whole {
		return
	}
	held := make(map[meterbridge.ID]bool, len(u.requests))
	for _, id := range u.requests {
		held[id] = true
	}
	for _, row := range c.at[u.source] {
		switch {
		case held[row.id]:
		case row.source != u.source:
			row.dropSighting(u.source)
		default:
			row.vanished = true
			c.moveOn(row)
		}
	}
}

// moveOn puts the row into the first live source that holds it as well, if any.
// A log that is gone is kept as a sighting, one that lacks the row is not.
func (c *commit) moveOn(row *requestState) {
	for _, source := range sorted(row.sightings) {
		if s := c.l.mem.sources[source]; s == nil || s.gone {
			continue
		}
		if !row.vanished {
			row.sightAlso(row.source, sighting{row.r.Place, milli(row.r.EndedAt)})
		}
		r := *row.r
		r.Place = row.sightings[source].Place
		row.r = &r
		row.dropSighting(source)
		row.source, row.vanished = source, false
		return
	}
}
