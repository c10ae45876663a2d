package claudecode

import "meterbridge/harnesses/walk"

// message is the message of a user or assistant row.
type message struct {
	present   bool
	id, model []byte
	// text is a content that is one text; blocks is one that is a list.
	text    []byte
	hasText bool
	blocks  []block
	usage   usage
}

// blockKind is the kind of a content block that matters here.
type blockKind uint8

const (
	otherBlock blockKind = iota
	textBlock
	imageBlock
	toolUse
	toolResult
)

// block is one block of a content list.
type block struct {
	kind blockKind
	// id is a tool call's, name the tool's; text is that of a text block, or the
	// content of a tool result that is one text.
	id, name, text []byte
	failed         bool
}

func (m *message) read(c *walk.Cursor) {
	*m = message{blocks: m.blocks[:0]}
	if !c.Object() {
		c.Skip()
		return
	}
	m.present = true
	for first := true; c.Member(&first); {
		switch string(c.Key()) {
		case "id":
			m.id, _ = c.Text()
		case "model":
			m.model, _ = c.Text()
		case "usage":
			m.usage.read(c)
		case "content":
			m.readContent(c)
		default:
			c.Skip()
		}
	}
}

func (m *message) readContent(c *walk.Cursor) {
	m.text, m.hasText, m.blocks = nil, false, m.blocks[:0]
	if !c.Array() {
		m.text, m.hasText = c.Text()
		return
	}
	for first := true; c.Element(&first); {
		if !c.Object() {
			c.Skip()
			continue
		}
		m.blocks = append(m.blocks, block{})
		m.blocks[len(m.blocks)-1].read(c)
	}
}

func (b *block) read(c *walk.Cursor) {
	for first := true; c.Member(&first); {
		switch string(c.Key()) {
		case "type":
			b.kind = kindOf(c)
		case "text":
			b.text, _ = c.Text()
		case "id", "tool_use_id":
			b.id, _ = c.Text()
		case "name":
			b.name, _ = c.Text()
		case "is_error":
			b.failed, _ = c.Bool()
		case "content":
			b.readResult(c)
		default:
			c.Skip()
		}
	}
}

// readResult keeps a tool result that is one text: it may tell of an interrupt.
func (b *block) readResult(c *walk.Cursor) {
	if c.Peek() != '"' {
		c.Skip()
		return
	}
	b.text, _ = c.Text()
}

func kindOf(c *walk.Cursor) blockKind {
	t, _ := c.Text()
	switch string(t) {
	case "text":
		return textBlock
	case "image", "document":
		return imageBlock
	case "tool_use", "server_tool_use", "mcp_tool_use":
		return toolUse
	case "tool_result":
		return toolResult
	}
	return otherBlock
}

// reply is the text of an answer: its text blocks, or a content that is a text.
// The bytes are raw and appended to buf.
func (m *message) reply(buf []byte) []byte {
	if m.hasText {
		return append(buf, m.text...)
	}
	start := len(buf)
	for i := range m.blocks {
		b := &m.blocks[i]
		if b.kind != textBlock || len(b.text) == 0 {
			continue
		}
		if len(buf) > start {
			buf = append(buf, `\n`...)
		}
		buf = append(buf, b.text...)
	}
	return buf
}

// replies reports whether the message has any text.
func (m *message) replies() bool {
	if m.hasText {
		return len(m.text) > 0
	}
	for i := range m.blocks {
		if m.blocks[i].kind == textBlock && len(m.blocks[i].text) > 0 {
			return true
		}
	}
	return false
}

func (m *message) has(kind blockKind) bool {
	for i := range m.blocks {
		if m.blocks[i].kind == kind {
			return true
		}
	}
	return false
}
