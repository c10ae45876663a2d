package analytics

import (
	"slices"
	"time"

	"meterbridge"
)

// requestState is a row of the table request while it is being merged.
type requestState struct {
	id meterbridge.ID
	// r is the unit's own record, which is only read, or one that was made of
	// several. Out of the ledger it has no Store, no NativeID and whole milliseconds.
	r       *meterbridge.Request
	session *sessionState
	// sessionID is the session's number until session is known.
	sessionID int32
	// source is where the record that counts lies, owner where the one lies
	// that decides the session.
	source, owner int64
	machine       int32
	parser        int
	firstSeen     int32
	vanished      bool
	// sightings are the other sources that hold the request.
	sightings map[int64]sighting
	// stored: the ledger has the row; was is how.
	stored bool
	was    *requestState
	// sighted: the sightings must be written.
	sighted bool
}

// sight notes that source holds the request too.
func (row *requestState) sight(source int64, p sighting) {
	if row.sightings == nil {
		row.sightings = map[int64]sighting{}
	}
	row.sightings[source] = p
}

// request lays one record over the row of its request.
func (c *commit) request(u *unit, id meterbridge.ID, r *meterbridge.Request) {
	session := c.sessionOf(r.Harness, r.Session)
	row := c.requests[id]
	if row == nil {
		row = &requestState{
			id: id, source: u.source, owner: u.source, machine: c.machine(u), parser: u.Checkpoint.Parser,
			firstSeen: c.l.scan.number, r: r, session: session,
		}
		c.requests[id] = row
		c.index(row, u.source)
		return
	}
	c.merge(row, u, r, session)
}

// merge makes one row of the row and a further record of the same request.
func (c *commit) merge(row *requestState, u *unit, r *meterbridge.Request, session *sessionState) {
	same := row.source == u.source
	if !same {
		c.index(row, u.source)
	}
	claim, owns, counts := c.claim(u, r.Session), c.ownerClaim(row), c.countsClaim(row)
	owner := c.own(r.Harness, owns, claim)
	// The native id tells afterwards which of the two counts.
	old := *row.r
	old.NativeID = ""
	merged := meterbridge.Merge(old, *r, owner, c.own(r.Harness, counts, claim), same)
	won := merged.NativeID != ""
	if won {
		counts.Session, counts.Earlier = r.Session, counts.Earlier && same && merged.Tokens.Output.N == old.Tokens.Output.N
	}
	if meterbridge.Attributed(owner, row.r, r) == meterbridge.NewOwns {
		if !row.r.CopiedAt.IsZero() {
			c.fork(row.session, session)
		}
		row.session, row.owner, owns = session, u.source, claim
	} else if !r.CopiedAt.IsZero() {
		c.fork(session, row.session)
	}
	// A record that vanished from its log, or whose log is gone, lives on where it is held.
	lost := !same && (row.vanished || c.l.mem.sources[row.source].gone) && !u.Checkpoint.Gone
	switch {
	case same:
		row.vanished = false
	case won || lost:
		if !row.vanished {
			row.sightAlso(row.source, sighting{row.r.Place, milli(row.r.EndedAt)})
		}
		row.dropSighting(u.source)
		row.source, row.vanished = u.source, false
		merged.Place = r.Place
	default:
		row.sightAlso(u.source, sighting{r.Place, milli(r.EndedAt)})
	}
	if won {
		row.parser, row.machine = u.Checkpoint.Parser, c.machine(u)
	}
	row.r = &merged
	c.noteClaims(row, owns, counts)
}

// sightAlso notes a further source, and that the note must be written.
func (row *requestState) sightAlso(source int64, p sighting) {
	if old, ok := row.sightings[source]; ok && old == p {
		return
	}
	sightings := map[int64]sighting{}
	for s, q := range row.sightings {
		sightings[s] = q
	}
	sightings[source] = p
	row.sightings, row.sighted = sightings, true
}

func (row *requestState) dropSighting(source int64) {
	if _, ok := row.sightings[source]; !ok {
		return
	}
	sightings := map[int64]sighting{}
	for s, q := range row.sightings {
		if s != source {
			sightings[s] = q
		}
	}
	row.sightings, row.sighted = sightings, true
}

// claimOf is the claim of a row that the ledger has, or that this scan made.
func (c *commit) claimOf(source int64, session string, firstSeen int32) meterbridge.Claim {
	s := c.l.mem.sources[source]
	if s == nil {
		s = &sourceInfo{}
	}
	return meterbridge.Claim{Session: session, Earlier: firstSeen < c.l.scan.number, Machine: s.machine, ModTime: s.modTime, Path: s.path}
}

// claim is the claim of a record of this unit.
func (c *commit) claim(u *unit, session string) meterbridge.Claim {
	return meterbridge.Claim{Session: session, Machine: u.Checkpoint.Machine, ModTime: u.Checkpoint.ModTime, Path: u.Checkpoint.Path}
}

func (c *commit) own(harness string, old, new meterbridge.Claim) meterbridge.Owner {
	return meterbridge.Own(old, new, func(child, origin string) bool { return c.derives(harness, child, origin) })
}

func (c *commit) machine(u *unit) int32 {
	if u.Checkpoint.Machine != "" {
		return c.l.mem.words.id(u.Checkpoint.Machine)
	}
	return c.l.mem.words.id(c.l.opts.Machine)
}

// unchanged reports whether the row is as the ledger has it.
func (row *requestState) unchanged() bool {
	was := row.was
	return was != nil && was.session == row.session && was.source == row.source && was.owner == row.owner &&
		was.machine == row.machine && was.parser == row.parser && was.vanished == row.vanished && sameRequest(was.r, row.r)
}

// sameRequest compares what the ledger keeps of two requests.
func sameRequest(a, b *meterbridge.Request) bool {
	type rest struct {
		harness, project, branch, model, provider, response, request, tier, speed, geo, purpose, rule string
		tokens                                                                                        meterbridge.Tokens
		searches                                                                                      meterbridge.Count
		calls                                                                                         int64
		recorded                                                                                      meterbridge.NullPico
		precision                                                                                     meterbridge.Precision
		aborted, side                                                                                 bool
		place                                                                                         meterbridge.Place
		start, end                                                                                    time.Time
	}
	of := func(r *meterbridge.Request) rest {
		return rest{
			r.Harness, r.Project, r.Branch, r.Model, r.Provider, r.ResponseID, r.RequestID, r.ServiceTier, r.Speed, r.Geo, r.Purpose, r.Rule,
			r.Tokens, r.WebSearches, r.Counts(), r.Recorded, precision(r), r.Aborted, r.Side, r.Place, whole(r.StartedAt), whole(r.EndedAt),
		}
	}
	return a == b || (of(a) == of(b) && slices.Equal(a.Tools, b.Tools))
}

// precision is what a row stands for; a request unless its harness says otherwise.
func precision(r *meterbridge.Request) meterbridge.Precision {
	if r.Precision == "" {
		return meterbridge.PerRequest
	}
	return r.Precision
}
