package hermes

import (
	"context"
	"strconv"
	"strings"
	"time"

	"meterbridge"
	"meterbridge/harnesses/instant"
	"meterbridge/harnesses/jsonvalue"
	"meterbridge/harnesses/sqlite"
	"meterbridge/harnesses/totals"
)

// counters are the columns that sessions and usage share.
func counters(c sqlite.Columns) string {
	var out []string
	for _, name := range []string{"input_tokens", "output_tokens", "reasoning_tokens", "cache_read_tokens", "cache_write_tokens", "api_call_count", "actual_cost_usd", "estimated_cost_usd"} {
		out = append(out, c.Or(name, "NULL"))
	}
	return strings.Join(out, ", ")
}

// numbers are the counters of a row.
type numbers struct {
	tokens    meterbridge.Tokens
	calls     int64
	actual    meterbridge.NullPico
	estimated meterbridge.NullPico
	wrong     bool
}

// readNumbers reads the counters from column i on. Input leaves out the cache,
// output holds the reasoning.
func readNumbers(v sqlite.Row, i int) (n numbers) {
	count := func(i int) meterbridge.Count {
		if v.Null(i) {
			return meterbridge.Count{}
		}
		c, ok := v.Int(i)
		if !ok || c < 0 || c > meterbridge.MaxCount {
			n.wrong = true
			return meterbridge.Count{}
		}
		return meterbridge.Reported(c)
	}
	n.tokens = meterbridge.Tokens{Input: count(i), Output: count(i + 1), Reasoning: count(i + 2), CacheRead: count(i + 3), CacheWrite5m: count(i + 4)}
	n.calls = count(i + 5).N
	n.actual, n.estimated = cost(v, i+6), cost(v, i+7)
	return n
}

// cost is a recorded cost, a zero included; null for none and for nonsense.
func cost(v sqlite.Row, i int) meterbridge.NullPico {
	f, ok := v.Float(i)
	if !ok {
		return meterbridge.NullPico{}
	}
	p, _ := jsonvalue.USD(jsonvalue.Value(strconv.FormatFloat(f, 'f', -1, 64)), true)
	return p
}

// positive is the first cost that is more than nothing.
func positive(costs ...meterbridge.NullPico) meterbridge.NullPico {
	for _, c := range costs {
		if c.OK && !c.Amount.IsZero() {
			return c
		}
	}
	return meterbridge.NullPico{}
}

// row is one row of session_model_usage.
type row struct {
	numbers
	native, model, provider, task string
	place                         int64
	first, last                   time.Time
	session                       *session
}

// usage reads the totals by session, model, route and task; older schemas have none.
func (r *reader) usage(ctx context.Context) error {
	c, err := r.db.Columns(ctx, "session_model_usage")
	if err != nil || len(c) == 0 {
		return err
	}
	if !c.Has("session_id", "model", "input_tokens", "output_tokens") {
		return &sqlite.Missing{Table: "session_model_usage"}
	}
	query := "SELECT rowid, session_id, model"
	for _, name := range []string{"billing_provider", "billing_base_url", "billing_mode", "task", "first_seen", "last_seen"} {
		query += ", " + c.Or(name, "NULL")
	}
	var rows []row
	err = r.db.Each(ctx, query+", "+counters(c)+" FROM session_model_usage", nil, func(v sqlite.Row) error {
		u := row{numbers: readNumbers(v, 9), model: strings.Clone(v.Text(2)), provider: strings.Clone(v.Text(3)), task: strings.Clone(v.Text(6))}
		u.place, _ = v.Int(0)
		u.native = strings.TrimRight(strings.Join([]string{v.Text(1), u.model, u.provider, v.Text(4), v.Text(5), u.task}, "|"), "|")
		u.first, u.last = seconds(v, 7), seconds(v, 8)
		u.session = r.session(strings.Clone(v.Text(1)))
		rows = append(rows, u)
		return nil
	})
	for i := range rows {
		if u := &rows[i]; u.task == "" {
			u.session.main = append(u.session.main, u)
		}
	}
	for i := range rows {
		r.take(&rows[i])
	}
	return err
}

// take takes the reading of a row. The invoice of a session is that of its only
// row; of several, each has its own figure.
func (r *reader) take(u *row) {
	s := u.session
	if u.wrong {
		r.Problem(meterbridge.Place{Line: u.place}, "wrong-type", "a total of a session is no whole number up to 2^53")
		return
	}
	amount := positive(u.actual, u.estimated)
	if u.task == "" && len(s.main) == 1 && s.actual.OK {
		amount = s.actual
	}
	end := u.last
	if end.IsZero() {
		end = s.end()
	}
	t := r.total(u.native, s)
	t.Place, t.Provider, t.Task = u.place, u.provider, u.task
	t.read(totals.Reading{Start: u.first, End: end, Tokens: u.tokens, Cost: amount, Model: u.model}, u.calls)
}

// rests counts what only a session's own row tells: all of it where the schema
// has no finer totals, else what is more than they add up to.
func (r *reader) rests(context.Context) error {
	for _, s := range r.order {
		if s.wrong {
			r.Problem(meterbridge.Place{Line: s.place}, "wrong-type", "a total of a session is no whole number up to 2^53")
			continue
		}
		rest, calls := s.tokens, s.calls
		for _, u := range s.main {
			rest, calls = minus(rest, u.tokens), max(0, calls-u.calls)
		}
		if rest.Total() == 0 {
			continue
		}
		amount := meterbridge.NullPico{}
		if len(s.main) == 0 {
			if amount = s.actual; !amount.OK {
				amount = positive(s.estimated)
			}
		}
		t := r.total(s.id+"|rest", s)
		t.Provider, t.Place = s.provider, s.place
		t.read(totals.Reading{Start: s.started, End: s.end(), Tokens: rest, Cost: amount, Model: s.model}, calls)
	}
	return nil
}

func minus(a, b meterbridge.Tokens) meterbridge.Tokens {
	return meterbridge.Tokens{
		Input: jsonvalue.Minus(a.Input, b.Input), Output: jsonvalue.Minus(a.Output, b.Output), Reasoning: jsonvalue.Minus(a.Reasoning, b.Reasoning),
		CacheRead: jsonvalue.Minus(a.CacheRead, b.CacheRead), CacheWrite5m: jsonvalue.Minus(a.CacheWrite5m, b.CacheWrite5m),
	}
}

// seconds is an instant in epoch seconds.
func seconds(v sqlite.Row, i int) time.Time {
	f, _ := v.Float(i)
	return instant.Seconds(f)
}
