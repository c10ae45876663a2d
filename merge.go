package meterbridge

import (
	"slices"
	"time"
)

// Owner says which of two records of one request its session belongs to.
type Owner int

// The owners that Merge accepts.
const (
	OldOwns Owner = iota
	NewOwns
)

// Merge makes one request of two records of it. The finished record counts as a
// whole (the greatest output, then the new one if both lie in the same source,
// else the one of the better claim), never a mix of token fields; what is
// attributed (session, project, branch) comes from the owner. The old request may
// be made of two records already, one that owns and one that counts: owner is
// what Own says of the claim of the one, counts of that of the other, so that of
// three the order of reading does not show. sameSource says that the record that
// counts and the new one lie in one source. A side record never replaces one that
// is not; a copy never owns its original.
func Merge(old, new Request, owner, counts Owner, sameSource bool) Request {
	owner, counts = Attributed(owner, &old, &new), Attributed(counts, &old, &new)
	better, lost := &old, &new
	if newWins(&old, &new, counts, sameSource) {
		better, lost = &new, &old
	}
	won := *better
	if sameSource && old.Side == new.Side && !old.FromTelemetry() { // a replay's later stamp and blocks are not the request's
		won.Tools = joinTools(old.Tools, new.Tools)
		if lost.EndedAt.After(won.EndedAt) {
			won.EndedAt = lost.EndedAt
		}
	}
	fillNulls(&won, lost)
	from := &old
	if owner == NewOwns {
		from = &new
	}
	won.Session, won.Project, won.Branch, won.Side, won.CopiedAt = from.Session, from.Project, from.Branch, from.Side, from.CopiedAt
	return won
}

// MergeSame makes one request of two records of it that lie in one source.
func MergeSame(old, new Request) Request { return Merge(old, new, OldOwns, OldOwns, true) }

func newWins(old, new *Request, counts Owner, sameSource bool) bool {
	switch {
	case old.Side != new.Side:
		return old.Side
	case new.Tokens.Output.N != old.Tokens.Output.N:
		return new.Tokens.Output.N > old.Tokens.Output.N
	case old.FromTelemetry() && new.FromTelemetry():
		return toldFirst(new, old)
	case sameSource:
		return true
	}
	return counts == NewOwns
}

// fillNulls completes what the winning record does not say and the other does.
// Token classes are left alone: a record counts as a whole.
func fillNulls(won, lost *Request) {
	if won.StartedAt.IsZero() {
		won.StartedAt = lost.StartedAt
	}
	if won.RequestID == "" {
		won.RequestID = lost.RequestID
	}
	if won.ResponseID == "" {
		won.ResponseID = lost.ResponseID
	}
	if won.Speed == "" {
		won.Speed = lost.Speed // telemetry may have filled it in
	}
	if !won.Recorded.OK {
		won.Recorded = lost.Recorded
	}
	// A log that lost what names its model or its provider (a settings file beside
	// it) must not lose a cost that was known.
	if won.Model == "" {
		won.Model = lost.Model
	}
	if won.Provider == "" && won.Model == lost.Model {
		won.Provider = lost.Provider
	}
}

// joinTools puts the names of two records together: lines of one answer each
// carry one block. A list that holds the other is the same list, read further.
func joinTools(old, new []string) []string {
	switch {
	case holds(old, new):
		return old
	case holds(new, old):
		return new
	}
	return append(slices.Clone(old), new...)
}

func holds(long, short []string) bool {
	for i := 0; i+len(short) <= len(long); i++ {
		if slices.Equal(long[i:i+len(short)], short) {
			return true
		}
	}
	return false
}

// Claim is what decides who owns a request that two sources hold, and which of
// two records of it that are equally finished counts.
type Claim struct {
	// Session is the one that the record itself names.
	Session string
	// Earlier: the record was in the ledger before this scan began.
	Earlier bool
	// Machine, ModTime and Path are those of the source; Machine is empty for this one.
	Machine string
	ModTime time.Time
	Path    string
}

// Own decides between two claims of equal rank: what an earlier scan saw stays;
// within one scan the session that the other names as its origin owns, then this
// machine before copies of another's logs, then the older source, then the
// smaller path. derives reports whether the first
// session came from the second.
func Own(old, new Claim, derives func(child, origin string) bool) Owner {
	switch {
	case old.Earlier:
		return OldOwns
	case old.Session != new.Session && derives(new.Session, old.Session):
		return OldOwns
	case old.Session != new.Session && derives(old.Session, new.Session):
		return NewOwns
	case (old.Machine == "") != (new.Machine == ""):
		return pick(new.Machine == "")
	case !old.ModTime.Equal(new.ModTime):
		return pick(new.ModTime.Before(old.ModTime))
	}
	return pick(new.Path < old.Path)
}

func pick(newOwns bool) Owner {
	if newOwns {
		return NewOwns
	}
	return OldOwns
}
