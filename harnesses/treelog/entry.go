package treelog

import (
	"time"

	"meterbridge/harnesses/walk"
)

// entry is one record of a log, taken apart. Raw texts point into the line.
type entry struct {
	kind, id, timestamp string
	// header
	cwd, parent, title string
	// model_change and usage entries
	provider, model, usageKind string
	// session_info
	name string
	// compaction
	fromHook bool
	usage    usage
	message  message
}

// message is the message of an entry.
type message struct {
	present                bool
	role, provider, model  string
	responseID, stopReason string
	failure                []byte
	timestamp              int64
	usage                  usage
	toolCallID, toolName   string
	isError, hasIsError    bool
	text                   []byte
	blocks                 []block
	hasImage               bool
}

// block is a part of a message's content: a text or a call of a tool.
type block struct {
	kind, id, name string
	text           []byte
}

// read takes the entry apart that the cursor stands before; false when it is
// no whole JSON object.
func (e *entry) read(c *walk.Cursor) bool {
	blocks := e.message.blocks[:0]
	*e = entry{}
	e.message.blocks = blocks
	if !c.Object() {
		return false
	}
	for first := true; c.Member(&first); {
		e.member(c)
	}
	return c.Err() == nil
}

func (e *entry) member(c *walk.Cursor) {
	switch string(c.Key()) {
	case "type":
		e.kind = text(c)
	case "id":
		e.id = text(c)
	case "timestamp":
		e.timestamp = text(c)
	case "message":
		e.message.read(c)
	case "cwd":
		e.cwd = text(c)
	case "parentSession":
		e.parent = text(c)
	case "title":
		e.title = text(c)
	case "provider":
		e.provider = text(c)
	case "model", "modelId":
		e.model = text(c)
	case "kind":
		e.usageKind = text(c)
	case "name":
		e.name = text(c)
	case "fromHook":
		e.fromHook, _ = c.Bool()
	case "usage":
		e.usage.read(c)
	default:
		c.Skip()
	}
}

func (m *message) read(c *walk.Cursor) {
	if !c.Object() {
		c.Skip()
		return
	}
	m.present = true
	for first := true; c.Member(&first); {
		m.member(c)
	}
}

func (m *message) member(c *walk.Cursor) {
	switch string(c.Key()) {
	case "role":
		m.role = text(c)
	case "content":
		m.content(c)
	case "provider":
		m.provider = text(c)
	case "model":
		m.model = text(c)
	case "responseId":
		m.responseID = text(c)
	case "stopReason":
		m.stopReason = text(c)
	case "errorMessage":
		m.failure, _ = c.Text()
	case "timestamp":
		m.timestamp = millis(c)
	case "usage":
		m.usage.read(c)
	case "toolCallId":
		m.toolCallID = text(c)
	case "toolName":
		m.toolName = text(c)
	case "isError":
		m.isError, m.hasIsError = c.Bool()
	default:
		c.Skip()
	}
}

// content reads a message's content: a text, or a list of blocks.
func (m *message) content(c *walk.Cursor) {
	if !c.Array() {
		m.text, _ = c.Text()
		return
	}
	for first := true; c.Element(&first); {
		b := readBlock(c)
		switch b.kind {
		case "text", "toolCall":
			m.blocks = append(m.blocks, b)
		case "image":
			m.hasImage = true
		}
	}
}

func readBlock(c *walk.Cursor) (b block) {
	if !c.Object() {
		c.Skip()
		return b
	}
	for first := true; c.Member(&first); {
		switch string(c.Key()) {
		case "type":
			b.kind = text(c)
		case "text":
			b.text, _ = c.Text()
		case "id":
			b.id = text(c)
		case "name":
			b.name = text(c)
		default:
			c.Skip()
		}
	}
	return b
}

// firstText and lastText are the texts of the content at either end.
func (m *message) firstText() []byte {
	for _, b := range m.blocks {
		if b.kind == "text" && len(b.text) > 0 {
			return b.text
		}
	}
	return m.text
}

func (m *message) lastText() []byte {
	for i := len(m.blocks) - 1; i >= 0; i-- {
		if b := m.blocks[i]; b.kind == "text" && len(b.text) > 0 {
			return b.text
		}
	}
	return m.text
}

// text reads a string; empty for anything else.
func text(c *walk.Cursor) string {
	raw, ok := c.Text()
	if !ok {
		return ""
	}
	return walk.Unquote(raw, 0)
}

// maxInstant is the year 9999 in epoch milliseconds.
const maxInstant = 253402300799999

// millis reads epoch milliseconds; 0 for anything else.
func millis(c *walk.Cursor) int64 {
	n, ok := c.Int()
	if !ok || n < 0 || n > maxInstant {
		return 0
	}
	return n
}

// written reads a timestamp as entries have it; 0 when it is none.
func written(timestamp string) int64 {
	t, err := time.Parse(time.RFC3339Nano, timestamp)
	if err != nil {
		return 0
	}
	return max(0, min(t.UnixMilli(), maxInstant))
}
