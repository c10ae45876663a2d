package analytics

import (
	"fmt"
	"math"
	"strconv"
	"time"

	"meterbridge"
)

// A forecast takes the recent past in stretches, and the rest of the window as
// more stretches of the same kind: their mean gives what is likely, their spread
// the interval in which four of five such futures end.

const (
	// forecastStretches is how many stretches of the past are looked at.
	forecastStretches = 12
	// fewestStretches with spending are needed; fewer tell nothing.
	fewestStretches = 3
	// fourOfFive is the half width of the interval in standard deviations.
	fourOfFive = 1.2816
)

// Forecast is what a budget's window will have used at its end if the work goes
// on as it did lately. Low to High holds four of five such futures.
type Forecast struct {
	// Stretches of StretchMs each, up to now, are what it rests on.
	Stretches int   `json:"stretches"`
	StretchMs int64 `json:"stretchMs"`
	// MicroUSD is nil when nothing lately has a cost.
	MicroUSD *Range `json:"microUsd"`
	Tokens   Range  `json:"tokens"`
	// ReachedAt is when the limit is reached; nil when that is unlikely before the
	// window ends, or it is reached already.
	ReachedAt *ReachedAt `json:"reachedAt"`
}

// Range is an amount at the end of the window.
type Range struct {
	Low    int64 `json:"low"`
	Likely int64 `json:"likely"`
	High   int64 `json:"high"`
}

// ReachedAt is when a limit is reached; nil is not before the window ends.
type ReachedAt struct {
	Early  *time.Time `json:"early"`
	Likely *time.Time `json:"likely"`
	Late   *time.Time `json:"late"`
}

func stretchOf(w BudgetWindow) time.Duration {
	switch w {
	case WindowBlock:
		return 10 * time.Minute
	case WindowDay:
		return 30 * time.Minute
	case WindowWeek:
		return 4 * time.Hour
	default:
		return 12 * time.Hour
	}
}

func (b *budgeting) forecast(budget *Budget, used spending, end time.Time) (*Forecast, error) {
	length := stretchOf(budget.Window)
	f := budget.Filter
	f.Since, f.Until = b.now.Add(-forecastStretches*length), b.now
	key := fmt.Sprintf("((%d - 1 - r.ended_at) // %d)", b.now.UnixMilli(), length.Milliseconds())
	groups, err := b.groups(f, grouping{key: key})
	if err != nil || len(groups) < fewestStretches {
		return nil, err
	}
	var cost, tokens pace
	priced := false
	for _, g := range groups {
		i, err := strconv.Atoi(g.key)
		if err != nil || i < 0 || i >= forecastStretches {
			continue // a request at the very edge of the past that is looked at
		}
		cost[i], tokens[i] = Dollars(g.cost.Amount), float64(or0(g.all))
		priced = priced || g.priced > 0
	}
	left := float64(end.Sub(b.now)) / float64(length)
	out := &Forecast{Stretches: forecastStretches, StretchMs: length.Milliseconds(), Tokens: tokens.at(float64(used.tokens), left, 1)}
	when := soonest{now: b.now, length: length, left: left}
	if budget.MaxTokens != nil {
		when.look(&tokens, float64(used.tokens), float64(*budget.MaxTokens))
	}
	if priced {
		r := cost.at(Dollars(used.cost), left, 1e6)
		out.MicroUSD = &r
		if budget.MaxUSD != nil {
			when.look(&cost, Dollars(used.cost), Dollars(*budget.MaxUSD))
		}
	}
	out.ReachedAt = when.found(b.q.Zone)
	return out, nil
}

// pace is what each stretch of the past used, the newest first.
type pace [forecastStretches]float64

// after is what is likely to have been used n stretches from now, and how far
// that may be off: each future stretch varies as the past ones did, and their
// mean is itself only known from as many as there are.
func (p *pace) after(used, n float64) (likely, off float64) {
	mean, spread := 0.0, 0.0
	for _, x := range p {
		mean += x / forecastStretches
	}
	for _, x := range p {
		spread += (x - mean) * (x - mean) / (forecastStretches - 1)
	}
	return used + n*mean, fourOfFive * math.Sqrt(spread*(n+n*n/forecastStretches))
}

// at is the amount n stretches from now, in parts of unit.
func (p *pace) at(used, n, unit float64) Range {
	likely, off := p.after(used, n)
	return Range{
		Low: int64(math.Ceil(max(used, likely-off) * unit)), Likely: int64(math.Ceil(likely * unit)), High: int64(math.Ceil((likely + off) * unit)),
	}
}

// soonest is when the first of a budget's limits is reached, in stretches from now.
type soonest struct {
	now                 time.Time
	length              time.Duration
	left                float64
	early, likely, late *float64
}

// look takes in the limit of one measure.
func (s *soonest) look(p *pace, used, limit float64) {
	if used >= limit {
		return
	}
	for _, edge := range []struct {
		at   **float64
		sign float64
	}{{&s.early, 1}, {&s.likely, 0}, {&s.late, -1}} {
		n, ok := crossing(s.left, func(n float64) bool {
			likely, off := p.after(used, n)
			return likely+edge.sign*off >= limit
		})
		if ok && (*edge.at == nil || n < **edge.at) {
			*edge.at = &n
		}
	}
}

// crossing is the least n up to end from which on reached holds, if it does at end.
func crossing(end float64, reached func(float64) bool) (float64, bool) {
	if !reached(end) {
		return 0, false
	}
	low, high := 0.0, end
	for range 40 {
		if mid := (low + high) / 2; reached(mid) {
			high = mid
		} else {
			low = mid
		}
	}
	return high, true
}

func (s *soonest) found(zone *time.Location) *ReachedAt {
	if s.early == nil {
		return nil
	}
	return &ReachedAt{Early: s.time(s.early, zone), Likely: s.time(s.likely, zone), Late: s.time(s.late, zone)}
}

func (s *soonest) time(n *float64, zone *time.Location) *time.Time {
	if n == nil {
		return nil
	}
	t := s.now.Add(time.Duration(*n * float64(s.length))).Truncate(time.Second).In(zone)
	return &t
}

// Dollars is an amount in USD as a float: for ratios and forecasts, never for sums.
func Dollars(p meterbridge.PicoUSD) float64 {
	f, _ := p.Big().Float64()
	return f / 1e12
}
