package analytics

import (
	"database/sql"
	"strings"
	"time"

	"meterbridge"
)

// sessionKey is a session as its harness knows it.
type sessionKey struct{ harness, native string }

// sessionState is a row of the table session. Sessions may be made before
// anything is known of them but their id: a child names its parent.
type sessionState struct {
	id             int32
	key            sessionKey
	parentID       int32
	rootID         int32
	relation       meterbridge.Relation
	agentType      string
	title          string
	rank           meterbridge.TitleRank
	project        int32
	branch         int32
	lastReply      string
	lastReplyAt    time.Time
	version        string
	firstAt        sql.NullInt64
	lastAt         sql.NullInt64
	stored, listed bool
	relinked       bool
	// was is what of the row changes rarely, as the ledger has it.
	was lasting
}

// lasting is what of a session's row changes rarely; its texts are in the
// memory of the session.
type lasting struct {
	parentID, rootID int32
	relation         meterbridge.Relation
	agentType, title string
	rank             meterbridge.TitleRank
	project, branch  int32
	version          string
}

func (s *sessionState) lasting() lasting {
	return lasting{s.parentID, s.rootID, s.relation, s.agentType, s.title, s.rank, s.project, s.branch, s.version}
}

const selectSession = `SELECT id, harness, native, parent, relation, root, agent_type, title, title_rank, project, branch,
  last_reply, last_reply_at, version, first_at, last_at FROM session WHERE `

// loadSessions reads the sessions that the units name, and those they come from.
func (c *commit) loadSessions() error {
	if c.l.mem.complete || !c.l.mem.has["session"] {
		return nil
	}
	missing := map[string]bool{}
	want := func(harness, native string) {
		native = valid(native)
		if c.l.mem.sessions[sessionKey{harness, native}] == nil {
			missing[native] = true
		}
	}
	for _, u := range c.units {
		eachSession(&u.Batch, want)
	}
	if len(missing) == 0 {
		return nil
	}
	natives := make([]string, 0, len(missing))
	for native := range missing {
		natives = append(natives, quote(valid(native)))
	}
	if err := c.l.each(c.ctx, selectSession+"native IN ("+strings.Join(natives, ", ")+")", c.scanSession); err != nil {
		return err
	}
	return c.loadAncestors()
}

// eachSession calls fn for every mention of a session in the batch.
func eachSession(b *meterbridge.Batch, fn func(harness, native string)) {
	for i := range b.Sessions {
		s := &b.Sessions[i]
		fn(s.Harness, s.ID)
		if s.Parent != "" {
			fn(s.Harness, s.Parent)
		}
	}
	for i := range b.Requests {
		fn(b.Requests[i].Harness, b.Requests[i].Session)
	}
	for _, p := range b.Prompts {
		fn(p.Harness, p.Session)
	}
	for _, t := range b.ToolCalls {
		fn(t.Harness, t.Session)
	}
	for _, t := range b.Turns {
		fn(t.Harness, t.Session)
	}
	for _, m := range b.Limits {
		fn(m.Harness, m.Session)
	}
	for _, e := range b.Events {
		fn(e.Harness, e.Session)
	}
}

// loadAncestors reads parents of known sessions until none is missing.
func (c *commit) loadAncestors() error {
	for {
		var missing []int32
		for _, s := range c.l.mem.sessions {
			if s.parentID != 0 && c.l.mem.byID[s.parentID] == nil {
				missing = append(missing, s.parentID)
			}
		}
		if len(missing) == 0 {
			return nil
		}
		if err := c.loadSessionIDs(missing); err != nil {
			return err
		}
	}
}

func (c *commit) loadSessionIDs(ids []int32) error {
	n := len(c.l.mem.byID)
	if err := c.l.each(c.ctx, selectSession+"id IN "+numbers(ids), c.scanSession); err != nil {
		return err
	}
	if len(c.l.mem.byID) == n {
		return errMissingSession
	}
	return nil
}

func (c *commit) scanSession(rows *sql.Rows) error {
	s := &sessionState{stored: true}
	var harness int32
	var at sql.NullInt64
	err := rows.Scan(&s.id, &harness, &s.key.native, &s.parentID, &s.relation, &s.rootID, &s.agentType, &s.title, &s.rank, &s.project, &s.branch,
		&s.lastReply, &at, &s.version, &s.firstAt, &s.lastAt)
	if err != nil {
		return err
	}
	if at.Valid {
		s.lastReplyAt = fromMilli(at.Int64)
	}
	s.key.harness = c.l.mem.words.text(harness)
	s.was = s.lasting()
	if c.l.mem.byID[s.id] == nil {
		c.l.mem.byID[s.id] = s
		c.l.mem.sessions[s.key] = s
	}
	return nil
}

// sessionOf is the row of a session, a new one when there is none.
func (c *commit) sessionOf(harness, native string) *sessionState {
	if s := c.last; s != nil && s.key.native == native && s.key.harness == harness {
		return s
	}
	c.last = c.findSession(harness, valid(native))
	return c.last
}

func (c *commit) findSession(harness, native string) *sessionState {
	m := &c.l.mem
	if s := m.sessions[sessionKey{harness, native}]; s != nil {
		m.touchSession(s.id)
		return s
	}
	m.lastSession++
	m.touchSession(m.lastSession)
	s := &sessionState{id: m.lastSession, rootID: m.lastSession, key: sessionKey{strings.Clone(harness), strings.Clone(native)}}
	m.sessions[s.key], m.byID[s.id] = s, s
	c.touch(s)
	return s
}

// touch notes that a session's row must be written.
func (c *commit) touch(s *sessionState) {
	if !s.listed {
		s.listed = true
		c.changed = append(c.changed, s)
	}
}

// session lays what is said of a session over its row.
func (c *commit) session(f *meterbridge.Session) {
	s := c.sessionOf(f.Harness, f.ID)
	was := *s
	if f.Parent != "" && f.Parent != f.ID {
		s.parentID = c.sessionOf(f.Harness, f.Parent).id
	}
	set(&s.relation, f.Relation)
	set(&s.agentType, f.AgentType)
	set(&s.version, f.Version)
	if f.Project != "" {
		s.project = c.l.mem.words.id(f.Project)
	}
	if f.Branch != "" {
		s.branch = c.l.mem.words.id(f.Branch)
	}
	if f.Title != "" && f.TitleRank >= s.rank {
		s.title, s.rank = strings.Clone(f.Title), f.TitleRank
	}
	if at := whole(f.LastReplyAt); f.LastReply != "" && !at.Before(s.lastReplyAt) {
		s.lastReply, s.lastReplyAt = strings.Clone(f.LastReply), at
	}
	if was.parentID != s.parentID || was.relation != s.relation || was.agentType != s.agentType {
		c.renamed = append(c.renamed, s)
	}
	s.relinked = s.relinked || was.parentID != s.parentID || was.relation != s.relation
	was.relinked = s.relinked
	if was.listed = s.listed; was != *s {
		c.touch(s)
	}
}

// set takes over what is said; an empty word says nothing.
func set[S ~string](old *S, new S) {
	if new != "" {
		*old = S(strings.Clone(string(new)))
	}
}

// spend widens the time in which the session has requests.
func (c *commit) spend(s *sessionState, at int64) {
	if !s.firstAt.Valid || at < s.firstAt.Int64 {
		s.firstAt = sql.NullInt64{Int64: at, Valid: true}
		c.touch(s)
	}
	if !s.lastAt.Valid || at > s.lastAt.Int64 {
		s.lastAt = sql.NullInt64{Int64: at, Valid: true}
		c.touch(s)
	}
}

// deepest is how far a chain of parents is followed; logs can hold circles.
const deepest = 64

// derives reports whether child came from origin, over any number of steps.
func (c *commit) derives(harness, child, origin string) bool {
	s := c.l.mem.sessions[sessionKey{harness, child}]
	for range deepest {
		if s == nil || s.parentID == 0 {
			return false
		}
		if s = c.l.mem.byID[s.parentID]; s != nil && s.key.native == origin {
			return true
		}
	}
	return false
}

// rootOf is the session into which reports fold s.
func (c *commit) rootOf(s *sessionState) int32 {
	for range deepest {
		parent := c.l.mem.byID[s.parentID]
		if s.relation != meterbridge.SubAgent || parent == nil {
			break
		}
		s = parent
	}
	return s.id
}
