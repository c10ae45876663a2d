package messagestore

import (
	"meterbridge/harnesses/walk"
)

// The first builds kept everything inside the message: metadata{time, sessionID,
// assistant{modelID, providerID, cost, tokens, path}, error, tool{<call>{time}}}
// and parts[{type: "text"} | {type: "tool-invocation", toolInvocation{…}}].

func (m *message) readMetadata(c *walk.Cursor) {
	eachMember(c, func(key string) bool {
		switch key {
		case "time":
			m.readTime(c)
		case "sessionID":
			m.session = unquoted(c)
		case "error":
			m.failure = readFailure(c)
		case "assistant":
			m.readAssistant(c)
		case "tool":
			m.readToolTimes(c)
		default:
			return false
		}
		return true
	})
}

func (m *message) readAssistant(c *walk.Cursor) {
	eachMember(c, func(key string) bool {
		switch key {
		case "modelID":
			m.model = unquoted(c)
		case "providerID":
			m.provider = unquoted(c)
		case "cost":
			m.cost = c.Raw()
		case "summary":
			m.summary, _ = c.Bool()
		case "path":
			m.readPath(c)
		case "tokens":
			m.usage = readUsage(c)
		default:
			return false
		}
		return true
	})
}

// readToolTimes reads {<call>: {time: {start, end}}}; the calls themselves are
// among the parts, before or after.
func (m *message) readToolTimes(c *walk.Cursor) {
	eachMember(c, func(call string) bool {
		var b block
		call = string([]byte(call))
		eachMember(c, func(key string) bool {
			if key != "time" {
				return false
			}
			b.readTime(c)
			return true
		})
		m.toolTime(call, b)
		return true
	})
}

func (m *message) toolTime(call string, b block) {
	for i := range m.parts.tools {
		if t := &m.parts.tools[i]; t.call == call {
			t.start, t.end = b.start, b.end
			return
		}
	}
	if m.parts.early == nil {
		m.parts.early = map[string]block{}
	}
	m.parts.early[call] = b
}

func (m *message) readParts(c *walk.Cursor) {
	if !c.Array() {
		c.Skip()
		return
	}
	for first := true; c.Element(&first); {
		m.readPart(c)
	}
}

func (m *message) readPart(c *walk.Cursor) {
	var b block
	var invocation bool
	eachMember(c, func(key string) bool {
		switch key {
		case "type":
			raw, _ := c.Text()
			invocation = string(raw) == "tool-invocation"
			if string(raw) == "text" {
				b.kind = "text"
			}
		case "text":
			b.text, _ = c.Text()
		case "toolInvocation":
			b.readInvocation(c)
		default:
			return false
		}
		return true
	})
	if invocation {
		b.kind = "tool"
		early := m.parts.early[b.call]
		b.start, b.end = early.start, early.end
	}
	m.parts.take(nil, &b)
}

func (b *block) readInvocation(c *walk.Cursor) {
	eachMember(c, func(key string) bool {
		switch key {
		case "toolName":
			b.tool = unquoted(c)
		case "toolCallId":
			b.call = unquoted(c)
		case "state":
			if unquoted(c) == "result" {
				b.status = "completed"
			}
		default:
			return false
		}
		return true
	})
}
