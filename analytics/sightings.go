package analytics

import (
	"cmp"
	"slices"

	duckdb "github.com/duckdb/duckdb-go/v2"

	"meterbridge"
)

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
			if err := c.out.append("sighting", duckdb.UUID(row.id), int32(source), p.Line, p.Offset, p.Hash); err != nil {
				return err
			}
			c.l.mem.has["sighting"] = true
		}
	}
	return nil
}

// flagVanished compares sources that were read whole with the rows that the
// ledger has of them. A row that its source lacks moves to another source that
// holds it, else it is flagged; it is never deleted.
func (c *commit) flagVanished() error {
	for _, u := range c.units {
		if !u.Whole {
			continue
		}
		ids := slices.Clone(u.requests)
		if len(ids) == 0 {
			ids = append(ids, meterbridge.ID{})
		}
		in, err := c.out.idList(ids)
		if err != nil {
			return err
		}
		if err := c.out.exec("DELETE FROM sighting WHERE source = ? AND id NOT IN "+in, u.source); err != nil {
			return err
		}
		if err := c.out.exec("UPDATE request SET vanished = true WHERE source = ? AND NOT vanished AND id NOT IN "+in, u.source); err != nil {
			return err
		}
		if err := c.move(u.source, "vanished"); err != nil {
			return err
		}
	}
	return nil
}

// leaveGone moves rows of sources that are gone to live ones that hold them.
func (c *commit) leaveGone() error {
	for _, u := range c.units {
		if u.Checkpoint.Gone && c.l.mem.sources[u.source].gone {
			if err := c.move(u.source, "true"); err != nil {
				return err
			}
		}
	}
	return nil
}

// move puts the rows of a source that meet the condition into the first live
// source that holds them as well. A gone source is kept as a sighting.
func (c *commit) move(source int64, condition string) error {
	if !c.l.mem.has["sighting"] {
		return nil
	}
	steps := []struct {
		query string
		args  []any
	}{
		{`CREATE OR REPLACE TEMP TABLE moving AS
SELECT r.id, r.vanished, r.line AS old_line, r."offset" AS old_offset, r.line_hash AS old_hash, s.source, s.line, s."offset", s.line_hash
FROM request r JOIN sighting s ON s.id = r.id JOIN source f ON f.id = s.source
WHERE r.source = ? AND NOT f.gone AND ` + condition + `
QUALIFY row_number() OVER (PARTITION BY r.id ORDER BY s.source) = 1`, []any{source}},
		{`DELETE FROM sighting USING moving m WHERE sighting.id = m.id AND sighting.source = m.source`, nil},
		{`INSERT INTO sighting SELECT id, ?, old_line, old_offset, old_hash FROM moving WHERE NOT vanished`, []any{source}},
		{`UPDATE request SET source = m.source, line = m.line, "offset" = m."offset", line_hash = m.line_hash, vanished = false
FROM moving m WHERE request.id = m.id`, nil},
	}
	for _, s := range steps {
		if err := c.out.exec(s.query, s.args...); err != nil {
			return err
		}
	}
	return nil
}
