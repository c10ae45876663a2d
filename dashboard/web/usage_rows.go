package web

import (
	"net/url"
	"strings"
	"time"

	"meterbridge"
)

// name gives a row its label and the places it leads to.
func (u *usagePage) name(row *usageRow) {
	row.Label = row.Key
	switch u.In.By {
	case "day", "week", "month":
		u.nameDays(row)
	case "hour", "block":
		u.nameInstant(row)
	case "session":
		u.nameSession(row)
	case "project":
		row.Label, row.Hint = lastOf(row.Key), row.Key
		row.Link = u.narrowed("project", row.Key)
	case "model", "harness":
		row.Link = u.narrowed(u.In.By, row.Key)
	case "agent":
		row.Label = strings.ReplaceAll(row.Key, "-", " ")
	}
	if row.Key == "" {
		row.Label, row.Link = "not logged", ""
	}
}

// narrowed is the page over time, of one project, model or harness.
func (u *usagePage) narrowed(name, value string) string {
	if value == "" {
		return ""
	}
	return u.With(name, value, "by", u.Stretch.usualKey())
}

// nameDays names a day, a week or a month; each leads to the next finer report.
func (u *usagePage) nameDays(row *usageRow) {
	first, last := daysOf(u.In.By, row.Key)
	if first.IsZero() {
		return
	}
	finer := "day"
	switch u.In.By {
	case "day":
		row.Label, row.Hint, finer = first.Format("Mon 2 Jan"), first.Format("2006"), "hour"
		row.Proof = "/explain/" + row.Key
	case "week":
		row.Label, row.Hint = first.Format("2 Jan")+" – "+last.Format("2 Jan"), last.Format("2006")
	case "month":
		row.Label, row.Hint = first.Format("January"), first.Format("2006")
	}
	since, until := first.Format(dayLayout), last.Format(dayLayout)
	row.Link = u.With("range", "", "since", since, "until", until, "by", finer)
	row.Sessions = u.sessions(since, until)
}

// sessions is the list of the sessions of a stretch.
func (u *usagePage) sessions(since, until string) string {
	v := url.Values{"since": {since}, "until": {until}}
	for name, value := range map[string]string{"harness": u.In.Harness, "project": u.In.Project} {
		if value != "" {
			v.Set(name, value)
		}
	}
	return "/sessions?" + v.Encode()
}

// daysOf are the first and the last day of a row.
func daysOf(by, key string) (first, last time.Time) {
	layout := dayLayout
	if by == "month" {
		layout = "2006-01"
	}
	first, err := time.Parse(layout, key)
	if err != nil {
		return time.Time{}, time.Time{}
	}
	switch by {
	case "week":
		return first, first.AddDate(0, 0, 6)
	case "month":
		return first, first.AddDate(0, 1, -1)
	}
	return first, first
}

// nameInstant names an hour or a block; both lead to its sessions.
func (u *usagePage) nameInstant(row *usageRow) {
	at, err := time.Parse(time.RFC3339, row.Key)
	if err != nil {
		return
	}
	local := at.In(u.Stretch.Zone)
	end := at.Add(time.Hour)
	row.Label, row.Hint = local.Format("15:04"), local.Format("Mon 2 Jan 2006")
	if b := row.Block; b != nil {
		end = b.EndAt
		row.Label = local.Format("2 Jan 15:04") + " – " + end.In(u.Stretch.Zone).Format("15:04")
		row.Hint = "reset " + b.ResetSource
		if row.Harness != nil {
			row.Hint = *row.Harness + ", " + row.Hint
		}
		if b.Active {
			row.Hint += ", in force"
		}
	}
	row.Sessions = u.sessions(at.UTC().Format(time.RFC3339), end.UTC().Format(time.RFC3339))
	row.Link = row.Sessions
}

func (u *usagePage) nameSession(row *usageRow) {
	if row.Harness == nil || row.Session == nil {
		return
	}
	row.Label, row.Hint = row.Key, *row.Harness
	if row.Session.Title != nil {
		row.Label = *row.Session.Title
	}
	if row.Session.Project != nil {
		row.Hint += " · " + lastOf(*row.Session.Project)
	}
	row.Link = sessionPath(*row.Harness, row.Key)
	row.Proof = row.Link + "#explain"
}

// sessionPath is the page of a session.
func sessionPath(harness, id string) string {
	return "/sessions/" + url.PathEscape(harness+":"+id)
}

// startOf is the first instant of a row of time in the zone.
func startOf(by, key string, zone *time.Location) time.Time {
	if by == "hour" {
		at, err := time.Parse(time.RFC3339, key)
		if err != nil {
			return time.Time{}
		}
		return at.In(zone)
	}
	first, _ := daysOf(by, key)
	if first.IsZero() {
		return first
	}
	return meterbridge.StartOfDay(first.Year(), first.Month(), first.Day(), zone)
}
