package pricing

import "meterbridge"

// Choice is which cost counts: --cost auto|recorded|list.
type Choice string

// The choices.
const (
	// Auto is the recorded cost, else the list price.
	Auto     Choice = "auto"
	Recorded Choice = "recorded"
	List     Choice = "list"
)

// Basis is where a cost comes from.
type Basis string

// The bases of one request's cost; a report can also be BasisMixed.
const (
	BasisRecorded Basis = "recorded"
	BasisList     Basis = "list"
	BasisMixed    Basis = "mixed"
	BasisNone     Basis = "none"
)

// Choose picks the cost of one request. recorded is null when the harness
// recorded none, or a zero that only means "not recorded". A request that is
// not Paid has no cost.
func Choose(c Choice, recorded meterbridge.NullPico, p Price) (meterbridge.NullPico, Basis) {
	switch {
	case !p.Paid:
	case recorded.OK && c != List:
		return recorded, BasisRecorded
	case p.List.OK && c != Recorded:
		return p.List, BasisList
	}
	return meterbridge.NullPico{}, BasisNone
}

// Sum adds the costs of requests into one figure of a report.
type Sum struct {
	total          meterbridge.PicoUSD
	priced, listed int
	missing        int
}

// Add counts one request. Requests that are not paid count on neither side.
func (s *Sum) Add(cost meterbridge.NullPico, basis Basis, paid bool) {
	switch {
	case !paid:
		return
	case !cost.OK:
		s.missing++
		return
	}
	s.total = s.total.Add(cost.Amount)
	s.priced++
	if basis == BasisList {
		s.listed++
	}
}

// MicroUSD is the sum rounded up once; nil when no request has a cost.
func (s *Sum) MicroUSD() *int64 {
	if s.priced == 0 {
		return nil
	}
	n := s.total.MicroUSD()
	return &n
}

// Partial reports that some requests have a cost and some have not.
func (s *Sum) Partial() bool { return s.priced > 0 && s.missing > 0 }

// Basis is where the costs come from.
func (s *Sum) Basis() Basis {
	switch {
	case s.priced == 0:
		return BasisNone
	case s.listed == 0:
		return BasisRecorded
	case s.listed == s.priced:
		return BasisList
	}
	return BasisMixed
}
