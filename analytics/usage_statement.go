package analytics

import (
	"fmt"
	"strings"
	"time"
)

// statement is the report's statement and its arguments: over the rollup where
// that has all that is asked, else over the requests.
func (u *usage) statement() (string, []any) {
	if u.fromRollup() {
		return u.rollupStatement()
	}
	return u.requestStatement()
}

// fromRollup reports whether the rollup answers: its zone, whole days, and
// nothing that it does not tell apart (it knows the day of the last use only).
func (u *usage) fromRollup() bool {
	lastUse := u.q.Last > 0 && u.by.newest == byUse
	return u.by.inRollup && !lastUse && u.wholeDays()
}

// wholeDays reports whether the report is about all sessions, in whole days of the
// rollup's zone.
func (u *usage) wholeDays() bool {
	return u.sessions == nil && u.l.rollupZone == zoneMark(u.q.Zone) && dayStart(u.q.Since, u.q.Zone) && dayStart(u.q.Until, u.q.Zone)
}

// dayStart reports whether a day begins at t; a zero time is no bound.
func dayStart(t time.Time, zone *time.Location) bool {
	if t.IsZero() {
		return true
	}
	local := t.In(zone)
	return local.Add(-time.Millisecond).YearDay() != local.YearDay()
}

func (u *usage) requestStatement() (string, []any) {
	where, args := u.where("r", "ended_at", "r.project")
	if u.q.Model != "" {
		where += " AND r.model = " + wordOf
		args = append(args, u.q.Model)
	}
	from := "request r"
	if u.by.session {
		from += " JOIN session s ON s.id = r.session"
	}
	if u.q.By == "block" {
		from += u.blockJoin("r.harness", "r.ended_at")
	}
	cost := map[CostMode][2]string{
		CostAuto:     {"coalesce(r.recorded_pusd::HUGEINT, r.list_pusd)", "r.recorded_pusd"},
		CostRecorded: {"r.recorded_pusd::HUGEINT", "r.recorded_pusd"},
		CostList:     {"r.list_pusd", "NULL"},
	}[u.q.Cost]
	query := fill(usageFile("requests"), map[string]string{
		"key": u.by.key, "from": from, "where": where, "cost": cost[0], "recorded": cost[1], "tail": u.tail(),
	})
	return u.places(query, "r.ended_at"), args
}

// rollupFilter narrows a rollup by one of its words; no value is no filter.
type rollupFilter struct{ column, value string }

func (u *usage) rollupStatement() (string, []any) {
	where, args := u.rollupWhere([]rollupFilter{{"harness", u.q.Harness}, {"project", u.q.Project}, {"model", u.q.Model}})
	recorded := map[CostMode]string{CostAuto: "r.auto_recorded_n", CostRecorded: "r.recorded_n", CostList: "0"}
	query := fill(usageFile("rollup"), map[string]string{
		"key": u.by.key, "where": where, "mode": string(u.q.Cost), "recorded": recorded[u.q.Cost], "tail": u.tail(),
	})
	return fill(query, map[string]string{"day": "r.day", "week_start": fmt.Sprint(int(u.q.WeekStart))}), args
}

// rollupWhere is the window and the filters over rows r of a rollup.
func (u *usage) rollupWhere(filters []rollupFilter) (string, []any) {
	var args []any
	where := "true"
	for _, bound := range []struct {
		op string
		at time.Time
	}{{">=", u.q.Since}, {"<", u.q.Until}} {
		if !bound.at.IsZero() {
			where += fmt.Sprintf(" AND r.day %s %d", bound.op, dayIn(bound.at, u.q.Zone))
		}
	}
	for _, f := range filters {
		if f.value != "" {
			where += " AND r." + f.column + " = " + wordOf
			args = append(args, f.value)
		}
	}
	return where, args
}

// wordOf is the number of a text that is an argument.
const wordOf = "(SELECT id FROM word WHERE text = ?)"

// where is the window and the filters that requests and prompts share; alias is
// the table, at its column of time.
func (u *usage) where(alias, at, project string) (string, []any) {
	parts, args := []string{"true"}, []any(nil)
	add := func(condition string, arg any) { parts, args = append(parts, condition), append(args, arg) }
	if !u.q.Since.IsZero() {
		add(alias+"."+at+" >= ?", u.q.Since.UnixMilli())
	}
	if !u.q.Until.IsZero() {
		add(alias+"."+at+" < ?", u.q.Until.UnixMilli())
	}
	if u.q.Harness != "" {
		add(alias+".harness = "+wordOf, u.q.Harness)
	}
	if u.q.Project != "" {
		add(project+" = "+wordOf, u.q.Project)
	}
	if u.sessions != nil {
		parts = append(parts, alias+".session IN "+numbers(append(u.sessions, 0)))
	}
	// Prompts come before the first request; requests cannot.
	if u.sessions != nil && alias == "r" {
		parts = append(parts, fmt.Sprintf("r.%s BETWEEN %d AND %d", at, u.first.Int64, u.last.Int64))
	}
	return strings.Join(parts, " AND "), args
}

// tail is the end of the statement.
func (u *usage) tail() string {
	label, join := u.labels()
	return fill(usageFile("tail"), map[string]string{"label": label, "label_join": join})
}

// labels turns a key into text: its word, or the number itself.
func (u *usage) labels() (label, join string) {
	if u.by.word {
		return "coalesce(kw.text, '')", "LEFT JOIN word kw ON kw.id = g.key"
	}
	return "g.key::VARCHAR", ""
}

// places fills in what keys are made of, over the instant in column at.
func (u *usage) places(query, at string) string {
	offset := strings.ReplaceAll(u.offset, "{at}", at)
	// An hour that clocks enter in the middle begins where they changed.
	hour := fmt.Sprintf("greatest(%s * %d - %s, %s)", floorDiv(at+" + "+offset, hourMillis), hourMillis, offset, strings.ReplaceAll(u.change, "{at}", at))
	return fill(query, map[string]string{
		"day": dayExpr(offset, at), "hour": "(" + hour + ")", "week_start": fmt.Sprint(int(u.q.WeekStart)),
		"block": strings.ReplaceAll(u.blockKey(), "{at}", at),
	})
}

const hourMillis = 3_600_000
