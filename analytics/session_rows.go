package analytics

import (
	"database/sql"
	"errors"

	"meterbridge"
)

var errMissingSession = errors.New("the ledger names a session that it does not have")

// resolve gives the rows that were loaded their sessions.
func (c *commit) resolve() error {
	var missing []int32
	need := func(id int32) {
		if c.l.mem.byID[id] == nil {
			missing = append(missing, id)
		}
	}
	c.eachStored(func(id int32, _ func(*sessionState)) { need(id) })
	if len(missing) > 0 {
		if err := c.loadSessionIDs(missing); err != nil {
			return err
		}
		if err := c.loadAncestors(); err != nil {
			return err
		}
	}
	c.eachStored(func(id int32, set func(*sessionState)) { set(c.l.mem.byID[id]) })
	return nil
}

// eachStored calls fn with the session of every row that was loaded.
func (c *commit) eachStored(fn func(session int32, set func(*sessionState))) {
	for _, row := range c.requests {
		fn(row.sessionID, func(s *sessionState) {
			row.session, row.was.session = s, s
			row.r.Session = s.key.native
		})
	}
	for _, row := range c.prompts {
		fn(row.sessionID, func(s *sessionState) { row.session = s })
	}
	for _, row := range c.toolCalls {
		fn(row.sessionID, func(s *sessionState) { row.session = s })
	}
	for _, row := range c.turns {
		fn(row.sessionID, func(s *sessionState) { row.session = s })
	}
}

// flushSessions writes the sessions that changed, with their roots.
func (c *commit) flushSessions() error {
	for _, s := range c.changed {
		if root := c.rootOf(s); root != s.rootID {
			c.retell(s)
			c.moved = c.moved || s.stored
			c.rerooted = append(c.rerooted, s.id)
			s.rootID = root
		}
		if !s.stored {
			c.retell(s)
		}
	}
	for _, s := range c.renamed {
		c.retell(s)
	}
	// The chain of a session that did not change itself may have.
	for _, s := range c.changed {
		c.moved = c.moved || (s.relinked && s.stored)
	}
	if err := c.writeSessions(); err != nil {
		return err
	}
	for _, s := range c.changed {
		s.stored, s.listed, s.relinked, s.was = true, false, false, s.lasting()
		c.l.mem.has["session"] = true
	}
	return nil
}

// writeSessions writes the rows of the sessions that changed: those that only
// went on are changed in their place while they are few, the others anew.
func (c *commit) writeSessions() error {
	var anew []*sessionState
	var old []int32
	for _, s := range c.changed {
		if s.stored && len(c.changed) <= fewChanged && s.lasting() == s.was {
			err := c.out.change("UPDATE session SET last_reply = ?, last_reply_at = ?, first_at = ?, last_at = ? WHERE id = ?",
				valid(s.lastReply), nullMilli(s.lastReplyAt), nullInt(s.firstAt), nullInt(s.lastAt), s.id)
			if err != nil {
				return err
			}
			continue
		}
		if anew = append(anew, s); s.stored {
			old = append(old, s.id)
		}
	}
	if len(old) > 0 {
		if err := c.out.exec("DELETE FROM session WHERE id IN " + numbers(old)); err != nil {
			return err
		}
	}
	for _, s := range anew {
		if err := c.appendSession(s); err != nil {
			return err
		}
	}
	return nil
}

func (c *commit) appendSession(s *sessionState) error {
	return c.out.append("session", s.id, c.l.mem.words.id(s.key.harness), s.key.native, s.parentID, string(s.relation), s.rootID,
		s.agentType, s.title, int32(s.rank), s.project, s.branch, s.lastReply, nullMilli(s.lastReplyAt), s.version,
		nullInt(s.firstAt), nullInt(s.lastAt))
}

func nullInt(n sql.NullInt64) any {
	if !n.Valid {
		return nil
	}
	return n.Int64
}

// measureSessions reads the first and last time of sessions that lost a request
// or have one that now ends earlier.
func (c *commit) measureSessions() error {
	if len(c.remeasure) == 0 {
		return nil
	}
	in := numbers(sorted(c.remeasure))
	err := c.out.exec(`UPDATE session SET first_at = m.first_at, last_at = m.last_at
FROM (SELECT s.id, min(r.ended_at) AS first_at, max(r.ended_at) AS last_at
      FROM session s LEFT JOIN request r ON r.session = s.id WHERE s.id IN ` + in + ` GROUP BY s.id) m
WHERE session.id = m.id`)
	if err != nil {
		return err
	}
	return c.l.each(c.ctx, "SELECT id, first_at, last_at FROM session WHERE id IN "+in, func(rows *sql.Rows) error {
		var id int32
		var first, last sql.NullInt64
		err := rows.Scan(&id, &first, &last)
		if s := c.l.mem.byID[id]; s != nil {
			s.firstAt, s.lastAt = first, last
		}
		return err
	})
}

// reroot computes every root again after a session that others may hang on got
// another parent. It is rare: a sub-agent was read before the agent above it.
func (c *commit) reroot() error {
	if !c.moved {
		return nil
	}
	c.l.mem.touchedMany = true
	all := map[int32]*sessionState{}
	err := c.l.each(c.ctx, "SELECT id, parent, relation, root FROM session", func(rows *sql.Rows) error {
		s := &sessionState{}
		err := rows.Scan(&s.id, &s.parentID, &s.relation, &s.rootID)
		all[s.id] = s
		return err
	})
	if err != nil {
		return err
	}
	for _, id := range sorted(all) {
		if err := c.rerootOne(all, all[id]); err != nil {
			return err
		}
	}
	return c.dirtyPrompts()
}

// dirtyPrompts has the prompts looked at again of sessions that got another root:
// what comes after each of them is another prompt now.
func (c *commit) dirtyPrompts() error {
	var first, last sql.NullInt64
	query := "SELECT min(happened_at), max(happened_at) FROM prompt WHERE session IN " + numbers(append(c.rerooted, 0))
	if err := c.l.w.QueryRowContext(c.ctx, query).Scan(&first, &last); err != nil || !first.Valid {
		return err
	}
	c.happened(fromMilli(first.Int64))
	c.happened(fromMilli(last.Int64))
	return errors.Join(c.flushDays(), c.out.close())
}

func (c *commit) rerootOne(all map[int32]*sessionState, s *sessionState) error {
	top := s
	for range deepest {
		parent := all[top.parentID]
		if top.relation != meterbridge.SubAgent || parent == nil {
			break
		}
		top = parent
	}
	if top.id == s.rootID {
		return nil
	}
	c.rerooted = append(c.rerooted, s.id)
	if known := c.l.mem.byID[s.id]; known != nil {
		known.rootID = top.id
	}
	c.l.stats.Written++
	return c.out.exec("UPDATE session SET root = ? WHERE id = ?", top.id, s.id)
}
