package recordings

import (
	"strings"

	"meterbridge"
	"meterbridge/harnesses/facts"
	"meterbridge/harnesses/jsonvalue"
	"meterbridge/harnesses/walk"
)

// message is one entry of a conversation.
type message struct {
	id, stamp, kind, model string
	// text are the texts of the content, or what the client showed of it.
	text, shown string
	// answered: the content holds results of tools.
	answered bool
	usage    usage
	calls    []call
}

// call is a call of a tool.
type call struct {
	id, name, status, stamp string
}

// member reads one member of a message; false leaves it to others.
func (m *message) member(c *walk.Cursor, key string) bool {
	switch key {
	case "id":
		m.id = c.String()
	case "timestamp":
		m.stamp = c.String()
	case "type":
		m.kind = c.String()
	case "model":
		m.model = c.String()
	case "content":
		m.text, m.answered = content(c)
	case "displayContent":
		m.shown, _ = content(c)
	case "tokens":
		m.usage.read(c)
	case "toolCalls":
		m.readCalls(c)
	default:
		return false
	}
	return true
}

// content is the text of a content: one text, one part, or a list of parts.
// answered says that one of them is the result of a tool.
func content(c *walk.Cursor) (text string, answered bool) {
	switch c.Peek() {
	case '"':
		return c.String(), false
	case '{':
		return part(c)
	}
	var b strings.Builder
	c.Elements(func() {
		if c.Peek() == '"' {
			b.WriteString(c.String())
			return
		}
		t, a := part(c)
		b.WriteString(t)
		answered = answered || a
	})
	return b.String(), answered
}

func part(c *walk.Cursor) (text string, answered bool) {
	thought := false
	c.Each(func(key string) bool {
		switch key {
		case "text":
			text = c.String()
		case "thought":
			thought, _ = c.Bool()
		case "functionResponse":
			answered = true
			return false
		default:
			return false
		}
		return true
	})
	if thought {
		return "", answered
	}
	return text, answered
}

func (m *message) readCalls(c *walk.Cursor) {
	m.calls = nil
	c.Elements(func() {
		var t call
		c.Each(func(key string) bool {
			switch key {
			case "id":
				t.id = c.String()
			case "name":
				t.name = c.String()
			case "status":
				t.status = c.String()
			case "timestamp":
				t.stamp = c.String()
			default:
				return false
			}
			return true
		})
		m.calls = append(m.calls, t)
	})
}

// names are the names of the tools, in order.
func (m *message) names() []string {
	var out []string
	for _, t := range m.calls {
		out = append(out, t.name)
	}
	return out
}

// prompt is what a person typed; empty for what the client says in the user's
// place, by the client's own rule, and for commands to the client.
func (m *message) prompt() string {
	text := strings.TrimSpace(m.text)
	if m.answered {
		return ""
	}
	for _, head := range [...]string{"/", "?", "<session_context>", "<hook_context>"} {
		if strings.HasPrefix(text, head) {
			return ""
		}
	}
	if shown := strings.TrimSpace(m.shown); shown != "" && text != "" {
		return shown
	}
	return text
}

// outcome tells of a call's status how it ended; nil while it is open.
func outcome(status string) *bool {
	switch status {
	case "success":
		return facts.Outcome(true)
	case "error", "cancelled":
		return facts.Outcome(false)
	}
	return nil
}

// usage is a tokens object.
type usage struct {
	jsonvalue.Counts
	present                                      bool
	input, output, cached, thoughts, tool, total meterbridge.Count
}

func (u *usage) read(c *walk.Cursor) {
	*u = usage{}
	if c.Peek() != '{' {
		u.Wrong = c.Peek() != 'n'
		c.Skip()
		return
	}
	u.present = true
	c.Each(func(key string) bool {
		switch key {
		case "input":
			u.input = u.Of(c.Raw())
		case "output":
			u.output = u.Of(c.Raw())
		case "cached":
			u.cached = u.Of(c.Raw())
		case "thoughts":
			u.thoughts = u.Of(c.Raw())
		case "tool":
			u.tool = u.Of(c.Raw())
		case "total":
			u.total = u.Of(c.Raw())
		default:
			return false
		}
		return true
	})
}

func (u *usage) empty() bool {
	return u.input.N == 0 && u.output.N == 0 && u.thoughts.N == 0 && u.tool.N == 0
}

// The rules by which a record's numbers are read; the total decides.
const (
	// ruleBeside: thoughts and tool prompts lie beside output and input.
	ruleBeside = "single-record"
	// ruleThoughtsInside: output holds the thoughts.
	ruleThoughtsInside = "thoughts-inside-output"
	// ruleToolInside: input holds the prompts of tools.
	ruleToolInside = "tool-prompt-inside-input"
	// ruleInside: both lie inside.
	ruleInside = "thoughts-and-tool-prompt-inside"
	// ruleUnproved: there is no total, or it explains nothing; both are added, as
	// the API defines them.
	ruleUnproved = "added-without-proof"
)

// place is where the total puts the thoughts and the prompts of tools.
func (u *usage) place() (thoughtsInside, toolInside bool, rule string) {
	thoughts, tool := u.thoughts.N, u.tool.N
	extra := u.total.N - u.input.N - u.output.N
	switch {
	case thoughts == 0 && tool == 0:
		return false, false, ruleBeside
	case !u.total.OK:
		return false, false, ruleUnproved
	case extra == thoughts+tool:
		return false, false, ruleBeside
	case extra == 0 && thoughts <= u.output.N && tool == 0:
		return true, false, ruleThoughtsInside
	case extra == 0 && thoughts == 0:
		return false, true, ruleToolInside
	case extra == 0 && thoughts <= u.output.N:
		return true, true, ruleInside
	case extra == thoughts:
		return false, true, ruleToolInside
	case extra == tool && thoughts <= u.output.N:
		return true, false, ruleThoughtsInside
	}
	return false, false, ruleUnproved
}

// tokens are the classes: the cache lies inside input, and writes to it are never told.
func (u *usage) tokens() (meterbridge.Tokens, string) {
	thoughtsInside, toolInside, rule := u.place()
	t := meterbridge.Tokens{Input: jsonvalue.Minus(u.input, u.cached), Output: u.output, Reasoning: u.thoughts, CacheRead: u.cached}
	if !toolInside {
		t.Input = t.Input.Plus(u.tool)
	}
	if !thoughtsInside {
		t.Output = t.Output.Plus(u.thoughts)
	}
	return t, rule
}
