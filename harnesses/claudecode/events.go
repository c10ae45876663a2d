package claudecode

import (
	"bytes"
	"strconv"
	"time"

	"meterbridge"
	"meterbridge/harnesses/walk"
)

// longestDetail bounds the words of errors in events.
const longestDetail = 60

// event emits an event. Copies of a fork are left to the file they come from:
// events have no id by which they could be told to be the same.
func (p *parser) event(kind, detail string) {
	if p.who.origin != "" || p.when.IsZero() {
		return
	}
	p.out.Events = append(p.out.Events, meterbridge.Event{
		Harness: ID, Session: p.who.own, At: p.when, Kind: kind, Detail: detail, Place: p.at,
	})
}

// notice is an assistant row that spent nothing: an error or a remark of the
// client's. It is an event and no request.
func (p *parser) notice(otherwise, rule string) {
	r := &p.row
	p.event("error", p.errorDetail(otherwise))
	p.dropped(walk.Unquote(r.message.id, 0), rule)
	p.limit()
	if r.apiError {
		p.endTurn("failed")
	}
}

// noUsage is an answer of a real model that says that nothing was spent. It may
// lie on several lines, and is one event.
func (p *parser) noUsage() {
	id := firstText(p.row.message.id, p.row.uuid)
	if k := key(id); len(id) == 0 || k != p.state.Empty {
		p.state.Empty = k
		p.notice("no-usage", ruleEmpty)
		return
	}
	p.dropped(walk.Unquote(p.row.message.id, 0), ruleEmpty)
}

// errorDetail is the HTTP status, else the error's word.
func (p *parser) errorDetail(otherwise string) string {
	for _, raw := range [][]byte{p.row.errorStatus, p.row.errorText} {
		if len(raw) > 0 {
			return walk.Unquote(raw, longestDetail)
		}
	}
	return otherwise
}

const limitText = "Claude AI usage limit reached|"

// limit reads the old text of a reached limit, which holds the time at which
// the five-hour window ends in epoch seconds.
func (p *parser) limit() {
	text := p.row.message.reply(nil)
	_, rest, found := bytes.Cut(text, []byte(limitText))
	if !found || p.who.origin != "" || p.when.IsZero() {
		return
	}
	n := 0
	for n < len(rest) && rest[n] >= '0' && rest[n] <= '9' {
		n++
	}
	seconds, err := strconv.ParseInt(string(rest[:n]), 10, 64)
	if err != nil || n > 11 {
		return
	}
	p.out.Limits = append(p.out.Limits, meterbridge.Limit{
		Harness: ID, Session: p.who.own, At: p.when, Name: "five-hour", Window: 5 * time.Hour,
		ResetsAt: time.Unix(seconds, 0).UTC(),
	})
}

// system reads a row of the client's own.
func (p *parser) system() {
	r := &p.row
	p.describe()
	switch string(r.subtype) {
	case "turn_duration":
		p.endTurn("finished")
	case "api_error":
		p.event("error", p.errorDetail("api_error"))
	case "compact_boundary":
		p.event("compaction", walk.Unquote(r.trigger, longestDetail))
	case "local_command":
		p.dropCommand()
	}
}
