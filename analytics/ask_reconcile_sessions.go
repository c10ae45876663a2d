package analytics

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"
)

// examinedSessions is how many sessions a proof asks for one by one.
const examinedSessions = 20

// windows holds the answers about sessions against `usage session`, over all
// time and in the two windows on either side of a moment in the middle: what
// belongs to a window is decided once (a request by its end, a prompt by the
// moment when it was typed), so two windows that meet add up.
func (r *ReconcileReport) windows(ctx context.Context, c *sql.Conn, l *Ledger, o ReconcileOptions) error {
	middle, err := collect(ctx, c, "reconcile_middle", func(rows *sql.Rows, at *sql.NullInt64) error { return rows.Scan(at) })
	if err != nil || len(middle) == 0 || !middle[0].Valid {
		return err
	}
	at := fromMilli(middle[0].Int64)
	list, one := Check{Name: "the list of sessions, in windows", OK: true}, Check{Name: "sessions one by one, in windows", OK: true}
	for _, w := range []Filter{{}, {Until: at}, {Since: at}} {
		u := &usage{
			q: UsageQuery{By: "session", Zone: o.Zone, WeekStart: o.WeekStart, Cost: CostAuto, Filter: w},
			l: l, ctx: ctx, c: c, by: groupings()["session"], now: l.opts.Now(),
		}
		report, err := u.report()
		if err != nil {
			return err
		}
		if err := list.sessions(ctx, c, report, w); err != nil {
			return err
		}
		if err := one.sessionsAlone(ctx, c, report, w); err != nil {
			return err
		}
	}
	r.Checks = append(r.Checks, list, one)
	return nil
}

// shown is what is compared of a session.
type shown struct {
	requests, prompts, tokens int64
	cost                      int64
	// costed: there is a cost.
	costed bool
}

func shownOf(requests int64, prompts, tokens, cost *int64) shown {
	return shown{requests, or0(prompts), or0(tokens), or0(cost), cost != nil}
}

func (c *Check) differs(session string, w Filter, got, want shown) {
	if got == want || !c.OK {
		return
	}
	c.OK = false
	c.Detail = fmt.Sprintf("session %s%s: %d requests, %d prompts, %d tokens; usage says %d, %d, %d",
		session, windowText(w), got.requests, got.prompts, got.tokens, want.requests, want.prompts, want.tokens)
}

func windowText(w Filter) string {
	switch {
	case !w.Since.IsZero():
		return " since " + w.Since.UTC().Format(time.RFC3339)
	case !w.Until.IsZero():
		return " until " + w.Until.UTC().Format(time.RFC3339)
	}
	return ""
}

// sessions holds the list of sessions against the report's rows.
func (c *Check) sessions(ctx context.Context, q querier, report UsageReport, w Filter) error {
	listed, err := SessionFilter{Since: w.Since, Until: w.Until}.list(ctx, q)
	if err != nil {
		return err
	}
	of := map[string]SessionSummary{}
	for _, s := range listed {
		of[s.Harness+":"+s.Session] = s
	}
	for _, row := range report.Rows {
		id := *row.Harness + ":" + row.Key
		s := of[id]
		c.differs(id, w, shownOf(s.Requests, s.Prompts, s.TotalTokens, s.CostMicroUSD), shownOf(row.Requests, row.Prompts, row.TotalTokens, row.CostMicroUSD))
		delete(of, id)
	}
	for id, s := range of { // only what ended without an answer has no row
		c.differs(id, w, shownOf(s.Requests, s.Prompts, s.TotalTokens, s.CostMicroUSD), shown{})
	}
	return nil
}

// sessionsAlone holds the numbers of the newest sessions against the report's rows.
func (c *Check) sessionsAlone(ctx context.Context, q querier, report UsageReport, w Filter) error {
	for _, row := range report.Rows[max(0, len(report.Rows)-examinedSessions):] {
		id := *row.Harness + ":" + row.Key
		f, err := findSession(ctx, q, id)
		if errors.Is(err, ErrUnknown) { // the laws say what is wrong
			continue
		}
		if err != nil {
			return err
		}
		t, err := treeOf(ctx, q, f.id)
		if err != nil {
			return err
		}
		u := WindowUsage{Harness: f.Harness}
		from, to := bounds(w.Since, w.Until)
		if err := u.spend(ctx, q, t, from, to); err != nil {
			return err
		}
		if err := u.ask(ctx, q, t, from, to); err != nil {
			return err
		}
		got := shownOf(row.Requests, u.Prompts, u.TotalTokens, u.CostMicroUSD)
		if u.Requests != nil { // null where rows are coarser than requests
			got.requests = *u.Requests
		}
		c.differs(id, w, got, shownOf(row.Requests, row.Prompts, row.TotalTokens, row.CostMicroUSD))
	}
	return nil
}
