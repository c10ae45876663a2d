package conformance

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"meterbridge"
	"meterbridge/internal/testkit"
)

// object is one entry of a want.json, or what was found in its terms: strings,
// numbers as text, booleans, lists, and nil for null.
type object map[string]any

// decode reads a list of a want.json and refuses fields that nothing is
// compared with.
func decode(t testing.TB, dir, name string, raw json.RawMessage) []object {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var list []object
	if err := d.Decode(&list); err != nil {
		t.Fatalf("%s/want.json: %s: %v", dir, name, err)
	}
	known, ok := fields()[name]
	if !ok {
		t.Fatalf("%s/want.json: unknown key %q", dir, name)
	}
	for _, o := range list {
		for field, v := range o {
			if _, ok := known[field]; !ok {
				t.Fatalf("%s/want.json: %s: unknown field %q", dir, name, field)
			}
			o[field] = canonical(field, v)
		}
	}
	return list
}

// canonical makes equal values equal: instants in UTC, amounts and numbers
// without needless digits.
func canonical(field string, v any) any {
	switch v := v.(type) {
	case json.Number:
		return number(v.String())
	case string:
		if at, err := time.Parse(time.RFC3339Nano, v); err == nil && (strings.HasSuffix(field, "At") || field == "at") {
			return instant(at)
		}
		if field == "recordedUsd" {
			return number(v)
		}
	case []any:
		if len(v) == 0 {
			return nil
		}
	}
	return v
}

// number is a decimal's shortest text; every number of a want.json is an amount,
// a count or a percentage.
func number(text string) any {
	p, err := meterbridge.ParseUSD(text)
	if err != nil {
		return text
	}
	return p.String()
}

func instant(at time.Time) any {
	if at.IsZero() {
		return nil
	}
	return at.UTC().Format("2006-01-02T15:04:05.000Z")
}

func count(c meterbridge.Count) any {
	if !c.OK {
		return nil
	}
	return number(fmt.Sprint(c.N))
}

func integer[T int64 | int](n T) any { return number(fmt.Sprint(n)) }

func names(list []string) any {
	if len(list) == 0 {
		return nil
	}
	out := make([]any, len(list))
	for i, s := range list {
		out[i] = s
	}
	return out
}

// fields are the fields of each list, with what they are for nothing at all.
func fields() map[string]object {
	return map[string]object{
		"requests": ofRequest(&meterbridge.Request{}), "sessions": ofSession(&meterbridge.Session{}),
		"prompts": ofPrompt(&meterbridge.Prompt{}), "toolCalls": ofCall(&meterbridge.ToolCall{}),
		"turns": ofTurn(&meterbridge.Turn{}), "events": ofEvent(&meterbridge.Event{}),
		"limits": ofLimit(&meterbridge.Limit{}), "problems": ofProblem(&meterbridge.Problem{}),
	}
}

// found is a ledger's content in the terms of a want.json.
func found(m *testkit.Memory) map[string][]object {
	out := map[string][]object{}
	for _, r := range m.Rows() {
		out["requests"] = append(out["requests"], ofRequest(&r.Request))
	}
	out["sessions"] = each(m.Sessions(), ofSession)
	out["prompts"] = each(m.Prompts(), ofPrompt)
	out["toolCalls"] = each(m.ToolCalls(), ofCall)
	out["turns"] = each(m.Turns(), ofTurn)
	out["events"] = each(m.Events(), ofEvent)
	out["limits"] = each(m.Limits(), ofLimit)
	out["problems"] = each(m.Problems(), ofProblem)
	return out
}

func each[T any](list []T, of func(*T) object) []object {
	var out []object
	for i := range list {
		out = append(out, of(&list[i]))
	}
	return out
}

func ofRequest(r *meterbridge.Request) object {
	var recorded any
	if r.Recorded.OK {
		recorded = r.Recorded.Amount.String()
	}
	t := r.Tokens
	return object{
		"native": r.NativeID, "store": r.Store, "session": r.Session, "model": r.Model, "provider": r.Provider, "requestId": r.RequestID,
		"responseId": r.ResponseID, "startedAt": instant(r.StartedAt), "endedAt": instant(r.EndedAt), "input": count(t.Input),
		"output": count(t.Output), "reasoning": count(t.Reasoning), "cacheRead": count(t.CacheRead), "cacheWrite5m": count(t.CacheWrite5m),
		"cacheWrite1h": count(t.CacheWrite1h), "webSearches": count(r.WebSearches), "recordedUsd": recorded, "tier": r.ServiceTier,
		"speed": r.Speed, "geo": r.Geo, "tools": names(r.Tools), "project": r.Project, "branch": r.Branch, "aborted": r.Aborted,
		"purpose": r.Purpose, "precision": string(r.Precision), "side": r.Side, "rule": r.Rule, "calls": count(r.Calls),
	}
}

func ofSession(s *meterbridge.Session) object {
	return object{
		"id": s.ID, "parent": s.Parent, "relation": string(s.Relation), "title": s.Title, "agentType": s.AgentType, "project": s.Project,
		"branch": s.Branch, "lastReply": s.LastReply, "lastReplyAt": instant(s.LastReplyAt), "version": s.Version,
	}
}

func ofPrompt(p *meterbridge.Prompt) object {
	return object{"id": p.NativeID, "session": p.Session, "project": p.Project, "at": instant(p.At), "text": p.Preview}
}

func ofCall(c *meterbridge.ToolCall) object {
	var ok any
	if c.OK != nil {
		ok = *c.OK
	}
	return object{
		"id": c.NativeID, "session": c.Session, "request": c.Request, "name": c.Name,
		"startedAt": instant(c.StartedAt), "endedAt": instant(c.EndedAt), "ok": ok,
	}
}

func ofTurn(t *meterbridge.Turn) object {
	return object{"id": t.NativeID, "session": t.Session, "startedAt": instant(t.StartedAt), "endedAt": instant(t.EndedAt), "outcome": t.Outcome}
}

func ofEvent(e *meterbridge.Event) object {
	return object{"session": e.Session, "at": instant(e.At), "kind": e.Kind, "detail": e.Detail, "line": integer(e.Place.Line)}
}

func ofLimit(l *meterbridge.Limit) object {
	var used any
	if l.UsedPercent != nil {
		used = number(fmt.Sprint(*l.UsedPercent))
	}
	return object{
		"session": l.Session, "at": instant(l.At), "name": l.Name, "usedPercent": used,
		"windowMs": integer(l.Window.Milliseconds()), "resetsAt": instant(l.ResetsAt), "plan": l.Plan,
	}
}

func ofProblem(p *meterbridge.Problem) object {
	return object{"reason": p.Reason, "line": integer(p.Place.Line), "detail": p.Detail}
}

// compare returns what differs between what is wanted and what was found. Only
// the fields that are wanted are compared; lists but "sessions" are exact.
func compare(want, got map[string][]object) string {
	var b strings.Builder
	for _, name := range []string{"requests", "sessions", "prompts", "toolCalls", "turns", "events", "limits", "problems"} {
		list, ok := want[name]
		if !ok {
			continue
		}
		missing, extra := match(list, got[name])
		for _, o := range missing {
			fmt.Fprintf(&b, "%s: want %s\n", name, o.text(o))
			if near := nearest(o, extra); near != nil {
				fmt.Fprintf(&b, "%s: got  %s\n", name, near.text(o))
			}
		}
		if name == "sessions" {
			continue
		}
		for _, o := range extra {
			fmt.Fprintf(&b, "%s: not wanted: %s\n", name, o.text(o))
		}
	}
	return b.String()
}

// match pairs wanted and found objects and returns those without a partner.
func match(want, got []object) (missing, extra []object) {
	extra = slices.Clone(got)
	want = slices.SortedStableFunc(slices.Values(want), func(a, b object) int { return len(b) - len(a) })
	for _, w := range want {
		i := slices.IndexFunc(extra, w.in)
		if i < 0 {
			missing = append(missing, w)
			continue
		}
		extra = slices.Delete(extra, i, i+1)
	}
	return missing, extra
}

// in reports whether got has every field of o.
func (o object) in(got object) bool {
	for field, v := range o {
		if !same(v, got[field]) {
			return false
		}
	}
	return true
}

// same takes null and the empty string for the same nothing.
func same(a, b any) bool {
	if a == nil {
		a = ""
	}
	if b == nil {
		b = ""
	}
	return fmt.Sprint(a) == fmt.Sprint(b)
}

// nearest is the object that shares most fields with o.
func nearest(o object, list []object) object {
	var best object
	most := 0
	for _, l := range list {
		n := 0
		for field, v := range o {
			if same(v, l[field]) {
				n++
			}
		}
		if n > most {
			best, most = l, n
		}
	}
	return best
}

// text shows the fields of o that another object has.
func (o object) text(like object) string {
	var parts []string
	for field := range like {
		if v := o[field]; v != nil && v != "" {
			parts = append(parts, fmt.Sprintf("%s=%v", field, v))
		}
	}
	slices.Sort(parts)
	return strings.Join(parts, " ")
}
