package analytics

import (
	"database/sql"
	"fmt"
)

// promptCounts are the prompts of a report's rows.
type promptCounts struct {
	byKey map[string]*promptCount
	// logged are the harnesses whose prompts are in the ledger: of others the
	// number is not reported.
	logged map[string]bool
}

// promptCount are the prompts of one key: their number, a harness of theirs, and
// the newest one's time.
type promptCount struct {
	n, last int64
	harness string
}

// prompts counts the prompts in the report's window. A prompt belongs to it by
// the moment when it was typed. One that ended without a single request is none
// (sql/unanswered.sql). Those of a model are the ones that the session's next
// request answers.
func (u *usage) prompts() (*promptCounts, error) {
	p := &promptCounts{byKey: map[string]*promptCount{}, logged: map[string]bool{}}
	err := u.each("SELECT coalesce(text, '') FROM (SELECT DISTINCT harness FROM prompt) LEFT JOIN word ON id = harness", func(rows *sql.Rows) error {
		var harness string
		err := rows.Scan(&harness)
		p.logged[harness] = true
		return err
	})
	if err != nil || len(p.logged) == 0 {
		return p, err
	}
	query, args := u.promptStatement()
	err = u.each(query, func(rows *sql.Rows) error {
		var key sql.NullString
		var part promptCount
		err := rows.Scan(&key, &part.harness, &part.n, &part.last)
		if u.q.By == "block" {
			key.String = u.blockOf(key.String, part.harness)
		}
		p.add(key.String, part)
		return err
	}, args...)
	return p, err
}

func (p *promptCounts) add(key string, part promptCount) {
	sum := p.byKey[key]
	if sum == nil {
		p.byKey[key] = &part
		return
	}
	sum.n, sum.last, sum.harness = sum.n+part.n, max(sum.last, part.last), min(sum.harness, part.harness)
}

// promptsFromRollup reports whether the rollup answers: it knows the days of its zone,
// the harness and the model of prompts, and nothing of projects.
func (u *usage) promptsFromRollup() bool {
	return u.by.inRollup && u.q.By != "project" && u.q.Project == "" && u.wholeDays()
}

func (u *usage) promptRollup() (string, []any) {
	where, args := u.rollupWhere([]rollupFilter{{"harness", u.q.Harness}, {"model", u.q.Model}})
	label, join := u.labels()
	query := fill(usageFile("prompts_rollup"), map[string]string{"key": u.by.key, "where": where, "label": label, "label_join": join})
	return fill(query, map[string]string{"day": "r.day", "week_start": fmt.Sprint(int(u.q.WeekStart))}), args
}

func (u *usage) promptStatement() (string, []any) {
	if u.promptsFromRollup() {
		return u.promptRollup()
	}
	where, args := u.where("p", "happened_at", promptProject)
	from := "prompt p JOIN session s ON s.id = p.session"
	if u.q.By == "model" || u.q.Model != "" {
		from += " ASOF LEFT JOIN " + u.answering() + " r ON r.session = p.session AND p.happened_at <= r.ended_at"
	}
	if u.q.Model != "" {
		where += " AND r.model = " + wordOf
		args = append(args, u.q.Model)
	}
	key := u.by.key
	if u.by.prompt != "" {
		key = u.by.prompt
	}
	if u.q.By == "block" {
		from += u.blockJoin("p.harness", "p.happened_at")
	}
	where += " AND p.id NOT IN (SELECT id FROM unanswered)"
	label, join := u.labels()
	query := fill(usageFile("prompts"), map[string]string{"key": key, "from": from, "where": where, "label": label, "label_join": join})
	return u.places(query, "p.happened_at"), args
}

// answering are the requests that may answer the report's prompts; of those of a
// session that end at the same moment always the same one, as in sql/rollup_prompt.sql.
func (u *usage) answering() string {
	where := "true"
	if !u.q.Since.IsZero() {
		where += fmt.Sprintf(" AND ended_at >= %d", u.q.Since.UnixMilli())
	}
	if u.sessions != nil {
		where += " AND session IN " + numbers(append(u.sessions, 0))
	} else if !u.q.Since.IsZero() || !u.q.Until.IsZero() {
		from, to := bounds(u.q.Since, u.q.Until)
		where += fmt.Sprintf(" AND session IN (SELECT session FROM prompt WHERE happened_at >= %d AND happened_at < %d)", from, to)
	}
	return "(SELECT session, ended_at, min(model) AS model FROM request WHERE " + where + " GROUP BY session, ended_at)"
}

// of is the number of prompts of a row; nil where its harnesses log none.
func (p *promptCounts) of(g *usageGroup) *int64 {
	if sum := p.byKey[g.key]; sum != nil {
		return &sum.n
	}
	for _, part := range g.parts {
		if p.logged[part.harness] {
			return new(int64)
		}
	}
	return nil
}

// total is the sum of the rows; 0 without a row.
func (p *promptCounts) total(rows []*usageGroup) *int64 {
	var total *int64
	if len(rows) == 0 {
		total = new(int64)
	}
	for _, g := range rows {
		total = plus(total, p.of(g))
	}
	return total
}

// join gives every key with a prompt a row, so that the rows add up to the
// totals: a day or a folder may have a prompt whose requests lie elsewhere, or
// are still to come.
func (p *promptCounts) join(groups map[string]*usageGroup) {
	for key, sum := range p.byKey {
		g := groups[key]
		if g == nil {
			g = &usageGroup{key: key, harness: sum.harness}
			groups[key] = g
		}
		g.asked = sum.last
	}
}

// each calls fn for every row of a query.
func (u *usage) each(query string, fn func(*sql.Rows) error, args ...any) error {
	rows, err := u.c.QueryContext(u.ctx, query, bound(args)...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := fn(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}
