package analytics

import (
	"fmt"
	"strconv"
	"time"
)

// grouping is what a report by something needs: its key as SQL, and as text.
type grouping struct {
	// key is SQL over the request r, its session s and the places {day}, {at},
	// {offset}; over a rollup row r where inRollup is set.
	key      string
	inRollup bool
	// session: the key needs the session s.
	session bool
	// word: the key is a number of the dictionary.
	word bool
	// prompt is the key over a prompt; empty when it is the same.
	prompt string
	// text turns the key into what is shown; nil when it is shown as it is.
	text func(u *usage, key string) string
	// named: the key is a text, not a number.
	named bool
	// newest says which keys --last keeps.
	newest newest
	// ofHarness: the row's harness is shown.
	ofHarness bool
}

// newest is the order in which rows count as new.
type newest int

const (
	byKey newest = iota
	// byLast: by the time of the last request; the rows are shown in that order.
	byLast
	// byUse: by the time of the last request; the rows are shown by name.
	byUse
)

const (
	weekKey  = "({day} - ((({day} + 4 - {week_start}) % 7) + 7) % 7)"
	monthKey = "(year(DATE '1970-01-01' + {day}) * 12 + month(DATE '1970-01-01' + {day}) - 1)"
	// promptProject is the folder of a prompt's row, else that of its session.
	promptProject = "coalesce(nullif(p.project, 0), s.project)"
	agentKey      = "CASE WHEN s.relation <> 'subagent' THEN 'main' WHEN s.agent_type = '' THEN 'unknown' ELSE s.agent_type END"
)

// groupings are the reports by name.
func groupings() map[string]grouping {
	return map[string]grouping{
		"day":     {key: "{day}", inRollup: true, text: dayText},
		"week":    {key: weekKey, inRollup: true, text: dayText},
		"month":   {key: monthKey, inRollup: true, text: monthText},
		"hour":    {key: "{hour}", text: hourText},
		"session": {key: "s.root", session: true, newest: byLast, ofHarness: true},
		"project": {key: "r.project", inRollup: true, word: true, named: true, prompt: promptProject, newest: byUse},
		"model":   {key: "r.model", inRollup: true, word: true, named: true, newest: byUse},
		"harness": {key: "r.harness", inRollup: true, word: true, named: true, prompt: "p.harness", newest: byUse, ofHarness: true},
		"agent":   {key: agentKey, session: true, named: true, newest: byUse},
		"block":   {key: "{block}", text: blockText, ofHarness: true},
	}
}

// dayOfKey is the first day of a day's or week's key.
func dayOfKey(key string) time.Time {
	n, _ := strconv.Atoi(key)
	return time.Unix(0, 0).UTC().AddDate(0, 0, n)
}

func dayText(_ *usage, key string) string { return dayOfKey(key).Format(time.DateOnly) }

func monthText(_ *usage, key string) string {
	n, _ := strconv.Atoi(key)
	return fmt.Sprintf("%04d-%02d", n/12, n%12+1)
}

func hourText(u *usage, key string) string {
	ms, _ := strconv.ParseInt(key, 10, 64)
	return time.UnixMilli(ms).In(u.q.Zone).Format(time.RFC3339)
}

func blockText(u *usage, key string) string {
	return u.block(key).start.In(u.q.Zone).Format(time.RFC3339)
}

// ZoneName is the IANA name of a zone; "Local" where it has none.
func ZoneName(zone *time.Location) string { return zone.String() }
