package analytics

import (
	"cmp"
	"slices"
)

// forgetRepeats doubts what a source said of limits and events: it is about to
// say all of it again, and what it does not repeat goes.
func (c *commit) forgetRepeats(source int64) {
	for _, row := range c.limits {
		row.stale = row.stale || row.source == source
	}
	for _, row := range c.events {
		row.stale = row.stale || row.source == source
	}
}

func (c *commit) flushRepeats() error {
	if err := c.flushLimits(); err != nil {
		return err
	}
	return c.flushEvents()
}

func (c *commit) flushLimits() error {
	var keys []limitKey
	for k, row := range c.limits {
		if row.changed || row.stale {
			keys = append(keys, k)
		}
	}
	slices.SortFunc(keys, func(a, b limitKey) int {
		return cmp.Or(c.limits[a].at.Compare(c.limits[b].at), cmp.Compare(a.session, b.session), cmp.Compare(a.name, b.name),
			cmp.Compare(a.resets, b.resets), cmp.Compare(a.used.Float64, b.used.Float64), cmp.Compare(a.plan, b.plan), cmp.Compare(a.window, b.window))
	})
	for _, k := range keys {
		if err := c.flushLimit(k, c.limits[k]); err != nil {
			return err
		}
	}
	return nil
}

func (c *commit) flushLimit(k limitKey, row *limitState) error {
	window, resets, used := positive(k.window), positive(k.resets), any(nil)
	if k.used.Valid {
		used = k.used.Float64
	}
	if row.stored {
		err := c.out.exec(`DELETE FROM rate_limit WHERE session = ? AND name = ? AND plan = ? AND window_ms IS NOT DISTINCT FROM ?
  AND used_percent IS NOT DISTINCT FROM ? AND resets_at IS NOT DISTINCT FROM ?`, k.session, k.name, k.plan, window, used, resets)
		if err != nil {
			return err
		}
	}
	if row.stale {
		return nil
	}
	c.l.mem.has["rate_limit"] = true
	return c.out.append("rate_limit", c.l.mem.words.id(row.harness), k.session, milli(row.at), k.name, window, used, resets, k.plan, int32(row.source))
}

// positive is n, nil for "not logged".
func positive(n int64) any {
	if n == 0 {
		return nil
	}
	return n
}

func (c *commit) flushEvents() error {
	var keys []eventKey
	for k, row := range c.events {
		if !row.stored || row.stale {
			keys = append(keys, k)
		}
	}
	slices.SortFunc(keys, func(a, b eventKey) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.session, b.session), cmp.Compare(a.kind, b.kind), cmp.Compare(a.detail, b.detail))
	})
	for _, k := range keys {
		row := c.events[k]
		c.retell(c.l.mem.byID[k.session])
		if row.stored {
			err := c.out.exec("DELETE FROM event WHERE session = ? AND happened_at = ? AND kind = ? AND detail = ?", k.session, k.at, k.kind, k.detail)
			if err != nil {
				return err
			}
		}
		if row.stale {
			c.happened(fromMilli(k.at)) // what it had ended counts again
			continue
		}
		c.l.mem.has["event"] = true
		err := c.out.append("event", c.l.mem.words.id(row.harness), k.session, k.at, k.kind, k.detail, int32(row.source), row.line)
		if err != nil {
			return err
		}
	}
	return nil
}

// flushProblems writes the problems of the units; a source that was read whole
// has those of this reading only, one that can be read again no longer those of
// itself.
func (c *commit) flushProblems() error {
	from := map[int64]int{}
	for i, u := range c.units {
		if u.Readable {
			if err := c.out.exec("DELETE FROM problem WHERE source = ? AND line = 0", u.source); err != nil {
				return err
			}
		}
		if u.Whole {
			from[u.source] = i
			if err := c.out.exec("DELETE FROM problem WHERE source = ?", u.source); err != nil {
				return err
			}
		}
	}
	for i, u := range c.units {
		if i < from[u.source] {
			continue
		}
		for _, p := range u.Batch.Problems {
			if err := c.out.append("problem", int32(u.source), p.Place.Line, p.Reason, p.Detail, c.l.scan.number); err != nil {
				return err
			}
		}
	}
	return nil
}
