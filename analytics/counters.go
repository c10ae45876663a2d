package analytics

import (
	"context"
	"database/sql"
	"time"

	"meterbridge"
)

// Counters are the ledger's totals as they rise from day to day: what metrics
// are made of. A correction can lower them.
type Counters struct {
	Spent    []SpentCounter
	Unpriced []UnpricedCounter
	// Turns are those with a request that have ended.
	Turns []TurnCounter
	// Durations are of harnesses whose logs have the start of requests.
	Durations []DurationCounter
	// Sessions are those with a request, by harness.
	Sessions map[string]int64
}

// SpentCounter is what was spent with one model of a harness.
type SpentCounter struct {
	Harness, Model string
	// Project is empty unless it was asked for.
	Project  string
	Requests int64
	// Input is uncached; Reasoning is a part of Output. A class that is not
	// reported counts as 0.
	Input, Output, Reasoning, CacheRead, CacheWrite int64
	// Recorded is what logs say, Listed the list price of the requests of which
	// they say nothing.
	Recorded, Listed meterbridge.PicoUSD
}

// UnpricedCounter is how many requests of a provider have tokens and no cost.
type UnpricedCounter struct {
	// Provider is the price table's name; empty when none is known.
	Provider string
	Requests int64
}

// TurnCounter is how many turns of a harness ended in one way: "finished",
// "interrupted" or "exited".
type TurnCounter struct {
	Harness, Ended string
	Turns          int64
}

// DurationCounter is how long the requests of a harness took.
type DurationCounter struct {
	Harness  string
	Requests int64
	Total    time.Duration
	// Buckets[i] counts the requests that took DurationBounds()[i] or less.
	Buckets []int64
}

// DurationBounds are the upper bounds of the buckets of durations, ascending.
func DurationBounds() []time.Duration {
	return []time.Duration{
		500 * time.Millisecond, time.Second, 2 * time.Second, 5 * time.Second, 10 * time.Second, 20 * time.Second,
		30 * time.Second, time.Minute, 2 * time.Minute, 5 * time.Minute, 10 * time.Minute,
	}
}

// Counters reads all totals; byProject tells projects apart.
func (l *Ledger) Counters(ctx context.Context, byProject bool) (Counters, error) {
	var out Counters
	if err := l.freshen(ctx); err != nil {
		return out, err
	}
	err := l.reading(ctx, func(c *sql.Conn) (err error) {
		if out.Spent, err = spentCounters(ctx, c, byProject); err != nil {
			return err
		}
		if out.Unpriced, err = l.unpricedCounters(ctx, c); err != nil {
			return err
		}
		if out.Turns, err = turnCounters(ctx, c); err != nil {
			return err
		}
		if out.Durations, err = durationCounters(ctx, c); err != nil {
			return err
		}
		out.Sessions, err = sessionCounters(ctx, c)
		return err
	})
	return out, err
}

func spentCounters(ctx context.Context, q querier, byProject bool) ([]SpentCounter, error) {
	return collect(ctx, q, "counters_spent", func(rows *sql.Rows, s *SpentCounter) error {
		var recorded, listed meterbridge.NullPico
		err := rows.Scan(&s.Harness, &s.Model, &s.Project, &s.Requests, number{&s.Input}, number{&s.Output}, number{&s.Reasoning},
			number{&s.CacheRead}, number{&s.CacheWrite}, amount{&recorded}, amount{&listed})
		s.Recorded, s.Listed = recorded.Amount, listed.Amount
		return err
	}, byProject)
}

// unpricedCounters are by the price table's providers: a request that names none
// is of its harness's.
func (l *Ledger) unpricedCounters(ctx context.Context, q querier) ([]UnpricedCounter, error) {
	type row struct {
		harness, provider string
		requests          int64
	}
	rows, err := collect(ctx, q, "counters_unpriced", func(rows *sql.Rows, r *row) error {
		return rows.Scan(&r.harness, &r.provider, &r.requests)
	})
	at := map[string]int{}
	var out []UnpricedCounter
	for _, r := range rows {
		if r.provider == "" {
			r.provider = l.opts.DefaultProvider(r.harness)
		}
		i, known := at[r.provider]
		if !known {
			i = len(out)
			at[r.provider] = i
			out = append(out, UnpricedCounter{Provider: r.provider})
		}
		out[i].Requests += r.requests
	}
	return out, err
}

// turnCounters are the turns that timelines show, of all main sessions.
func turnCounters(ctx context.Context, q querier) ([]TurnCounter, error) {
	type row struct {
		harness string
		turnMark
		stopped, followed, asked bool
		turns                    int64
	}
	query := fill(question("counters_turns"), map[string]string{"turns": turnsQuery("SELECT id AS session, root AS top FROM session", "true")})
	rows, err := collectRows(ctx, q, "counters_turns", query, func(rows *sql.Rows, r *row) error {
		return rows.Scan(&r.harness, &r.outcome, &r.stopped, &r.logged, &r.interrupted, &r.aborted, &r.called, &r.followed, &r.asked, &r.turns)
	})
	var out []TurnCounter
	for _, r := range rows {
		if r.stopped {
			r.stop = new(int64)
		}
		if r.followed {
			r.next = new(int64)
		}
		if r.asked {
			r.requests = 1
		}
		if t := r.turn(); t.End != nil && t.Counted {
			out = countTurns(out, r.harness, t.EndedAs, r.turns)
		}
	}
	return out, err
}

func countTurns(list []TurnCounter, harness, ended string, n int64) []TurnCounter {
	for i := range list {
		if list[i].Harness == harness && list[i].Ended == ended {
			list[i].Turns += n
			return list
		}
	}
	return append(list, TurnCounter{harness, ended, n})
}

func durationCounters(ctx context.Context, q querier) ([]DurationCounter, error) {
	bounds := DurationBounds()
	limits := make([]int64, len(bounds))
	for i, b := range bounds {
		limits[i] = b.Milliseconds()
	}
	type row struct {
		harness         string
		above           int
		requests, total int64
	}
	rows, err := collect(ctx, q, "counters_durations", func(rows *sql.Rows, r *row) error {
		return rows.Scan(&r.harness, &r.above, &r.requests, &r.total)
	}, limits)
	var out []DurationCounter
	for _, r := range rows {
		if n := len(out); n == 0 || out[n-1].Harness != r.harness {
			out = append(out, DurationCounter{Harness: r.harness, Buckets: make([]int64, len(bounds))})
		}
		d := &out[len(out)-1]
		d.Requests += r.requests
		d.Total += time.Duration(r.total) * time.Millisecond
		for i := r.above; i < len(bounds); i++ {
			d.Buckets[i] += r.requests
		}
	}
	return out, err
}

func sessionCounters(ctx context.Context, q querier) (map[string]int64, error) {
	out := map[string]int64{}
	_, err := collect(ctx, q, "counters_sessions", func(rows *sql.Rows, _ *struct{}) error {
		var harness string
		var n int64
		err := rows.Scan(&harness, &n)
		out[harness] = n
		return err
	})
	return out, err
}
