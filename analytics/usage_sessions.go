package analytics

import (
	"database/sql"
	"strconv"
)

// resolveSessions finds the sessions that the report is about, where it is not
// about all: the one named (as `sessions ID` finds it, and with its errors) and
// its sub-agents, or the newest ones. With them comes the time in which they have requests, which spares reading others.
func (u *usage) resolveSessions() error {
	switch {
	case u.q.Session != "":
		f, err := findSession(u.ctx, u.c, u.q.Session)
		if err != nil {
			return err
		}
		t, err := treeOf(u.ctx, u.c, f.id)
		if err != nil {
			return err
		}
		return u.takeSessions("named", t.ids())
	case u.q.By == "session" && u.q.Last > 0 && u.q.Filter == (Filter{}):
		return u.takeSessions("newest", u.q.Last)
	}
	return nil
}

func (u *usage) takeSessions(name string, arg any) error {
	u.sessions = []int32{}
	return u.each(usageFile(name), func(rows *sql.Rows) error {
		var id int32
		var first, last sql.NullInt64
		err := rows.Scan(&id, &first, &last)
		u.sessions = append(u.sessions, id)
		if first.Valid && (!u.first.Valid || first.Int64 < u.first.Int64) {
			u.first = first
		}
		if last.Valid && (!u.last.Valid || last.Int64 > u.last.Int64) {
			u.last = last
		}
		return err
	}, arg)
}

// describe completes the rows of sessions and blocks.
func (u *usage) describe(rows []UsageRow, groups []*usageGroup) error {
	switch u.q.By {
	case "session":
		return u.describeSessions(rows, groups)
	case "block":
		for i := range rows {
			rows[i].Block = u.block(groups[i].key).row(u)
		}
	}
	return nil
}

func (u *usage) describeSessions(rows []UsageRow, groups []*usageGroup) error {
	at := map[int32]*UsageRow{}
	var spent, asked []int32
	for i := range rows {
		id, _ := strconv.ParseInt(groups[i].key, 10, 32)
		at[int32(id)] = &rows[i]
		if len(groups[i].parts) > 0 {
			spent = append(spent, int32(id))
		} else {
			asked = append(asked, int32(id))
		}
	}
	if len(spent) > 0 {
		if err := u.describeSpent(at, spent); err != nil {
			return err
		}
	}
	if len(asked) == 0 {
		return nil
	}
	where, args := u.where("p", "happened_at", promptProject)
	query := fill(usageFile("asked_sessions"), map[string]string{"roots": numbers(asked), "where": where})
	return u.each(query, func(found *sql.Rows) error { return describe(at, found, nil) }, args...)
}

func (u *usage) describeSpent(at map[int32]*UsageRow, roots []int32) error {
	where, args := u.where("r", "ended_at", "r.project")
	if u.q.Model != "" {
		where += " AND r.model = " + wordOf
		args = append(args, u.q.Model)
	}
	if u.q.Last > 0 {
		where += " AND s.root IN " + numbers(roots)
	}
	query := fill(usageFile("sessions"), map[string]string{"where": where})
	return u.each(query, func(found *sql.Rows) error {
		var subagents int64
		return describe(at, found, &subagents)
	}, args...)
}

// describe scans what a session's row shows besides numbers; subagents is nil
// where the statement does not count them.
func describe(at map[int32]*UsageRow, found *sql.Rows, subagents *int64) error {
	var root int32
	var native, harness string
	s := &SessionRow{}
	var first, last int64
	to := []any{&root, &native, &harness, text{&s.Title}, text{&s.Project}, text{&s.ParentSession}, &first, &last}
	if subagents != nil {
		to = append(to, subagents)
	}
	if err := found.Scan(to...); err != nil {
		return err
	}
	s.FirstAt, s.LastAt = fromMilli(first), fromMilli(last)
	if subagents != nil {
		s.Subagents = *subagents
	}
	if row := at[root]; row != nil {
		row.Key, row.Harness, row.Session = native, &harness, s
	}
	return nil
}
