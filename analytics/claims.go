package analytics

import "meterbridge"

// claimNote is what a row does not say of its two claims (that of the record
// which owns the request, and that of the record which counts) for as long as it
// matters, which is the scan that saw them first: a record of an earlier scan
// yields to none.
type claimNote struct {
	// owns: the owner's record is of this scan, though the row is older.
	owns bool
	// counts: so is the record that counts, or it names another session than the
	// row; session is that one.
	counts  bool
	session string
}

func (c *commit) noteOf(row *requestState) claimNote {
	if note, ok := c.claims[row.id]; ok {
		return note
	}
	return c.l.scan.claims[row.id]
}

// ownerClaim is the claim of the record that owns the request.
func (c *commit) ownerClaim(row *requestState) meterbridge.Claim {
	since := row.firstSeen
	if c.noteOf(row).owns {
		since = c.l.scan.number
	}
	return c.claimOf(row.owner, row.r.Session, since)
}

// countsClaim is the claim of the record that counts, which another log may have
// finished that the owner's only began.
func (c *commit) countsClaim(row *requestState) meterbridge.Claim {
	if note := c.noteOf(row); note.counts {
		return c.claimOf(row.source, note.session, c.l.scan.number)
	}
	return c.claimOf(row.source, row.r.Session, row.firstSeen)
}

// noteClaims keeps what the row does not say of the two claims.
func (c *commit) noteClaims(row *requestState, owns, counts meterbridge.Claim) {
	fresh := row.firstSeen == c.l.scan.number
	note := claimNote{owns: !owns.Earlier && !fresh}
	if !counts.Earlier && (!fresh || counts.Session != row.r.Session) {
		note.counts, note.session = true, counts.Session
	}
	if note == c.noteOf(row) {
		return
	}
	if c.claims == nil {
		c.claims = map[meterbridge.ID]claimNote{}
	}
	c.claims[row.id] = note
}

// keepClaims hands the notes on to the scan's further commits.
func (c *commit) keepClaims() {
	s := &c.l.scan
	if s.claims == nil {
		s.claims = c.claims
		return
	}
	for id, note := range c.claims {
		s.claims[id] = note
	}
}
