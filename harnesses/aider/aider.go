// Package aider reads the analytics log that Aider writes when it is asked to. It
// imports the domain, the contract of a harness and the readers of JSON;
// harnesses/all lists it and the scanner calls its parser.
package aider

import (
	"path"
	"strconv"
	"strings"
	"time"

	"meterbridge"
	"meterbridge/harnesses"
	"meterbridge/harnesses/facts"
	"meterbridge/harnesses/jsonvalue"
	"meterbridge/harnesses/roots"
)

const (
	id = "aider"
	// store is the name space of request ids: a run of the program, and the number
	// of the message in it.
	store = "analytics"
)

// Harness describes Aider.
func Harness() harnesses.Harness {
	return harnesses.Harness{
		ID:            id,
		Name:          "Aider",
		ParserVersion: 1,
		Declaration:   declaration(),
		Roots: func(env harnesses.Env) []harnesses.Root {
			return roots.In(env).Alias("AIDER_ANALYTICS_LOG").All()
		},
		Claim: func(rel string) (harnesses.Kind, bool) {
			ok := !strings.Contains(rel, "/") && (path.Ext(rel) == ".jsonl" || path.Ext(rel) == ".log" || path.Ext(rel) == ".json")
			return harnesses.Kind{Name: "analytics", Shape: harnesses.Lines}, ok
		},
		Skip:  func(relDir string) bool { return relDir != "" && relDir != "." },
		Lines: func(_ harnesses.Kind, o harnesses.Options) harnesses.LineParser { return newLog(o) },
	}
}

func declaration() harnesses.Declaration {
	return harnesses.Declaration{
		ZeroCost:      harnesses.ZeroUnknown,
		CostField:     "properties.cost of an event message_send",
		RequestTimes:  harnesses.EndOnly,
		Precision:     meterbridge.PerRequest,
		UsageReadable: true,
		NeverReported: []string{"reasoning", "cacheRead", "cacheWrite"},
		Gaps: []string{
			"Only the analytics log is read (--analytics-log FILE, or AIDER_ANALYTICS_LOG; name the file as a source otherwise). The history in each repository has rounded numbers.",
			"Input holds the cache, which is not told apart.",
			"Names of models that Aider does not know are redacted by it.",
			"The log holds no texts, folders or tools.",
		},
		Layouts: []string{"the file of --analytics-log: one JSON line for each event"},
	}
}

// log reads the lines of an analytics log.
type log struct {
	facts.Writer
	m memory
}

// memory is what goes on from line to line.
type memory struct {
	// Run is when the run of the program began, in seconds; Sent how many messages
	// it has sent.
	Run  int64 `json:"run,omitempty"`
	Sent int64 `json:"sent,omitempty"`
}

func newLog(o harnesses.Options) *log {
	l := &log{Writer: facts.Writer{Harness: id, Store: store, Trace: o.Trace}}
	l.m = facts.Memory[memory](o.State)
	return l
}

// Line implements harnesses.LineParser.
func (l *log) Line(line []byte, at meterbridge.Place, out *meterbridge.Batch) {
	l.Out = out
	o, ok := l.Object(line, at)
	if !ok {
		return
	}
	seconds, _ := o["time"].Int()
	switch event := o["event"].Text(); {
	case event == "launched" || l.m.Run == 0 && event != "":
		l.m = memory{Run: max(seconds, 0)}
	}
	if o["event"].Text() == "message_send" {
		l.sent(o["properties"].Object(), o["time"].Seconds(), at)
	}
}

// Flush implements harnesses.LineParser.
func (l *log) Flush(*meterbridge.Batch) {}

// State implements harnesses.LineParser.
func (l *log) State() []byte {
	return facts.State(l.m)
}

// sent counts a message. total_cost is the run's so far and is never added.
func (l *log) sent(p jsonvalue.Object, now time.Time, at meterbridge.Place) {
	l.m.Sent++
	session := "run-" + strconv.FormatInt(l.m.Run, 10)
	var c jsonvalue.Counts
	r := meterbridge.Request{
		NativeID: session + "#" + strconv.FormatInt(l.m.Sent, 10), Session: session, Model: p["main_model"].Text(), EndedAt: now,
		Tokens: meterbridge.Tokens{Input: c.Of(p["prompt_tokens"]), Output: c.Of(p["completion_tokens"])}, Rule: "message-sent", Place: at,
	}
	var reason string
	r.Recorded, reason = jsonvalue.USD(p["cost"], false)
	l.Cost(at, reason)
	switch {
	case c.Wrong:
		l.Wrong(r)
	case r.Tokens.Total() == 0:
		l.Drop(r, "zero-usage")
	default:
		l.Session(meterbridge.Session{ID: session})
		l.Request(r)
	}
}
