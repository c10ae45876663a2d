package amp

import (
	"strconv"
	"strings"
	"time"

	"github.com/cespare/xxhash/v2"

	"meterbridge"
	"meterbridge/harnesses/facts"
	"meterbridge/harnesses/jsonvalue"
)

// message is one entry of a thread.
type message struct {
	id, role string
	// at is zero where the log has no time.
	at        time.Time
	text      string
	cancelled bool
	calls     []call
	results   []result
	usage     usage
	// told: an event of the ledger stands for its request.
	told  bool
	place meterbridge.Place
}

// call is a tool that an answer called, result what it gave.
type call struct{ id, name string }

type result struct {
	call string
	ok   *bool
}

func readMessage(v jsonvalue.Value, index int) message {
	o := v.Object()
	m := message{
		id: plain(o["messageId"]), role: o["role"].Text(), cancelled: o.At("state", "type").Text() == "cancelled",
		usage: readUsage(o["usage"]), place: meterbridge.Place{Line: int64(index) + 1, Hash: xxhash.Sum64(v)},
	}
	if m.id == "" {
		m.id = "#" + strconv.Itoa(index)
	}
	if m.at = m.usage.at; m.at.IsZero() {
		m.at = o.At("meta", "sentAt").Millis()
	}
	for _, part := range o["content"].Elements() {
		m.add(part.Object())
	}
	return m
}

func (m *message) add(part jsonvalue.Object) {
	switch part["type"].Text() {
	case "text":
		if t := part["text"].Text(); strings.TrimSpace(t) != "" {
			m.text = t
		}
	case "tool_use":
		if id := part["id"].Text(); id != "" {
			m.calls = append(m.calls, call{id, part["name"].Text()})
		}
	case "tool_result":
		if id := part["toolUseID"].Text(); id != "" {
			m.results = append(m.results, result{id, outcome(part.At("run", "status").Text())})
		}
	}
}

func outcome(status string) *bool {
	switch status {
	case "done":
		return facts.Outcome(true)
	case "error", "cancelled", "rejected-by-user":
		return facts.Outcome(false)
	}
	return nil
}

func (m *message) tools() []string {
	var names []string
	for _, c := range m.calls {
		names = append(names, c.name)
	}
	return names
}

// plain is an id as text: old builds count messages, newer ones may name them.
func plain(id jsonvalue.Value) string {
	if id.IsText() {
		return id.Text()
	}
	n, ok := id.Int()
	if !ok {
		return ""
	}
	return strconv.FormatInt(n, 10)
}

// usage is what a message says of its request.
type usage struct {
	there                      bool
	wrong                      bool
	model                      string
	at                         time.Time
	input, output, read, write meterbridge.Count
}

func readUsage(v jsonvalue.Value) usage {
	o := v.Object()
	if o == nil {
		return usage{}
	}
	var c jsonvalue.Counts
	u := usage{
		there: true, model: o["model"].Text(), at: o["timestamp"].Time(),
		input: c.Of(o["inputTokens"]), output: c.Of(o["outputTokens"]),
		read: c.Of(o["cacheReadInputTokens"]), write: c.Of(o["cacheCreationInputTokens"]),
	}
	u.wrong = c.Wrong
	return u
}

func (u *usage) zero() bool { return u.input.N+u.output.N+u.read.N+u.write.N == 0 }

// tokens are the classes of a message. Models of OpenAI have no billed cache
// writes: what the log calls one is the rest of the prompt.
func (u *usage) tokens() meterbridge.Tokens {
	k := meterbridge.Tokens{Input: u.input, Output: u.output, CacheRead: u.read, CacheWrite5m: u.write}
	if strings.HasPrefix(u.model, "gpt-") {
		k.Input = u.input.Plus(u.write)
		if u.write.OK {
			k.CacheWrite5m = meterbridge.Reported(0)
		}
	}
	return k
}
