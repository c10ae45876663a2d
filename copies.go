package meterbridge

import "time"

// Sign is what a copy of a record has in common with its original where a
// harness copies records into a fork under new ids. Signs say nothing unless
// one of the two is known to be a copy: two requests of their own may be alike.
type Sign struct {
	Harness, Project string
	Model, Provider  string
	// At is when the record began, else when it ended, in epoch milliseconds.
	At     int64
	Tokens Tokens
}

// Sign is the sign of the request.
func (r *Request) Sign() Sign {
	return Sign{Harness: r.Harness, Project: r.Project, Model: r.Model, Provider: r.Provider, At: r.PricedAt().UnixMilli(), Tokens: r.Tokens}
}

// Sign is the sign of the prompt.
func (p *Prompt) Sign() Sign {
	return Sign{Harness: p.Harness, Project: p.Project, At: p.At.UnixMilli()}
}

// Elder reports whether of two records of one thing, under two ids, the first is
// the original or the older copy. A zero time says that a record is no copy.
func Elder(a ID, copiedA time.Time, b ID, copiedB time.Time) bool {
	if !copiedA.Equal(copiedB) {
		return copiedA.Before(copiedB)
	}
	return string(a[:]) < string(b[:])
}

// Attributed is whose session a request belongs to, of two records of it: never
// that of a side record beside one that is not, nor that of a copy beside its
// original or an older copy; else the owner's.
func Attributed(owner Owner, old, new *Request) Owner {
	switch {
	case old.Side != new.Side:
		return pick(old.Side)
	case !old.CopiedAt.Equal(new.CopiedAt):
		return pick(new.CopiedAt.Before(old.CopiedAt))
	}
	return owner
}
