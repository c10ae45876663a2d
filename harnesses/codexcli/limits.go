package codexcli

import (
	"bytes"
	"strconv"
	"time"

	"meterbridge"
	"meterbridge/harnesses/walk"
)

// quota is a limit as it was last emitted.
type quota struct {
	Used    float64 `json:"used"`
	HasUsed bool    `json:"hasUsed,omitempty"`
	Minutes int64   `json:"minutes,omitempty"`
	// Resets is in seconds; Derived: from resets_in_seconds, so a little off.
	Resets  int64  `json:"resets,omitempty"`
	Derived bool   `json:"derived,omitempty"`
	Plan    string `json:"plan,omitempty"`
}

// derivedSlack is by how many seconds a reset that is counted down may waver.
const derivedSlack = 60

func (q quota) same(old quota) bool {
	if q.Derived && old.Derived {
		if d := q.Resets - old.Resets; d >= -derivedSlack && d <= derivedSlack {
			q.Resets = old.Resets
		}
	}
	return q == old
}

// limits handles the rate limits of a token_count; only what changed is emitted.
func (r *rollout) limits(raw []byte) {
	if null(raw) || bytes.Equal(raw, r.rates) {
		return
	}
	var limitID, plan string
	var primary, secondary []byte
	c := walk.Over(raw)
	if !c.Object() {
		r.problem("wrong-type", "rate_limits is no object")
		return
	}
	for first := true; c.Member(&first); {
		switch string(c.Key()) {
		case "limit_id":
			limitID = text(c.Raw())
		case "plan_type":
			plan = text(c.Raw())
		case "primary":
			primary = c.Raw()
		case "secondary":
			secondary = c.Raw()
		default:
			c.Skip()
		}
	}
	prefix := ""
	if limitID != "" && limitID != "codex" {
		prefix = limitID + "/"
	}
	r.limit(prefix+"primary", plan, primary)
	r.limit(prefix+"secondary", plan, secondary)
	if r.rates = r.rates[:0]; !bytes.Contains(raw, []byte("resets_in_seconds")) {
		r.rates = append(r.rates, raw...)
	}
}

func (r *rollout) limit(title, plan string, raw []byte) {
	if null(raw) {
		return
	}
	q, ok := r.readQuota(raw)
	if !ok {
		r.problem("wrong-type", "a rate limit has a number that is none")
		return
	}
	q.Plan = plan
	if old, seen := r.m.Limits[title]; seen && q.same(old) {
		return
	}
	if r.m.Limits == nil {
		r.m.Limits = map[string]quota{}
	}
	if len(r.m.Limits) < maxOpen {
		r.m.Limits[title] = q
	}
	l := meterbridge.Limit{
		Harness: id, Session: r.m.Thread, At: at(r.ms), Name: title, Plan: plan,
		Window: time.Duration(q.Minutes) * time.Minute, ResetsAt: at(q.Resets * 1000),
	}
	if q.HasUsed {
		l.UsedPercent = &q.Used
	}
	r.out.Limits = append(r.out.Limits, l)
}

func (r *rollout) readQuota(raw []byte) (q quota, ok bool) {
	c := walk.Over(raw)
	if !c.Object() {
		return q, false
	}
	ok = true
	for first := true; c.Member(&first); {
		key := string(c.Key())
		value := c.Raw()
		if string(value) == "null" {
			continue
		}
		n, whole := number(value)
		whole = whole && n >= 0 && n < maxSeconds
		switch key {
		case "used_percent":
			f, err := strconv.ParseFloat(string(value), 64)
			q.Used, q.HasUsed = f, err == nil
			ok = ok && err == nil
		case "window_minutes":
			q.Minutes = n
			ok = ok && whole
		case "resets_at":
			q.Resets = n
			ok = ok && whole
		case "resets_in_seconds":
			q.Resets, q.Derived = r.ms/1000+n, true
			ok = ok && whole
		}
	}
	return q, ok
}

// maxSeconds keeps instants and windows within what time can hold.
const maxSeconds = 100_000_000_000
