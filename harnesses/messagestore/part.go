package messagestore

import (
	"bytes"
	"slices"

	"meterbridge"
	"meterbridge/harnesses/walk"
)

// parts is what the parts of one message tell of it.
type parts struct {
	// prompt is the first text that a person typed; typed says that there is one.
	prompt string
	typed  bool
	// reply is the raw text of the last text of an agent, replied its time.
	reply   []byte
	replied int64
	tools   []tool
	steps   []step
	// compaction: "auto" or "manual", when the message asks for a compaction.
	compaction string

	// early are the times of calls that the first builds told before the calls.
	early map[string]block

	// last is the id of the part read last: parts are told in the order of ids.
	last     []byte
	unsorted bool
}

// tool is a call of a tool.
type tool struct {
	part               []byte
	call, name, status string
	start, end         int64
}

// step is one model request of a message that holds several.
type step struct {
	part       []byte
	usage      usage
	cost       []byte
	start, end int64
}

// add reads one part. id may be empty where the part holds its own.
// w may be nil.
func (p *parts) add(id, data []byte, w words) error {
	c := document(data)
	if c.Peek() != '{' {
		return errMalformed
	}
	b := block{words: w}
	b.read(&c)
	if !c.End() {
		return errMalformed
	}
	if len(id) == 0 {
		id = []byte(b.id)
	}
	p.note(id)
	p.take(id, &b)
	return nil
}

// note watches the order of the parts.
func (p *parts) note(id []byte) {
	if bytes.Compare(id, p.last) < 0 {
		p.unsorted = true
	}
	p.last = id
}

func (p *parts) take(id []byte, b *block) {
	switch b.kind {
	case "text":
		p.takeText(b)
	case "tool":
		p.tools = append(p.tools, tool{id, b.call, b.tool, b.status, b.start, b.end})
	case "step-finish":
		p.steps = append(p.steps, step{id, b.usage, b.cost, b.start, b.end})
	case "compaction":
		p.compaction = "manual"
		if b.auto {
			p.compaction = "auto"
		}
	}
}

func (p *parts) takeText(b *block) {
	if b.synthetic || b.ignored || len(b.text) == 0 {
		return
	}
	if !p.typed {
		p.prompt, p.typed = walk.Unquote(b.text, meterbridge.PreviewRunes), true
	}
	p.reply, p.replied = b.text, max(b.start, b.end)
}

// sort puts what was read into the order of part ids, which is that of time.
func (p *parts) sort() {
	if !p.unsorted {
		return
	}
	slices.SortStableFunc(p.tools, func(a, b tool) int { return bytes.Compare(a.part, b.part) })
	slices.SortStableFunc(p.steps, func(a, b step) int { return bytes.Compare(a.part, b.part) })
}

// names are the tools' names in order.
func (p *parts) names() []string {
	if len(p.tools) == 0 {
		return nil
	}
	names := make([]string, len(p.tools))
	for i, t := range p.tools {
		names[i] = t.name
	}
	return names
}

// block is one part as it is written.
type block struct {
	id string
	// kind is empty for kinds that are not read; typed says that there was one.
	kind               string
	typed              bool
	text               []byte
	synthetic, ignored bool
	auto               bool
	tool, call, status string
	start, end         int64
	usage              usage
	cost               []byte

	words words
}

func (b *block) read(c *walk.Cursor) {
	eachMember(c, func(key string) bool {
		switch key {
		case "id":
			b.id = unquoted(c)
		case "type":
			b.kind, b.typed = kindOf(c), c.Err() == nil
		case "text":
			b.text, _ = c.Text()
		case "synthetic":
			b.synthetic, _ = c.Bool()
		case "ignored":
			b.ignored, _ = c.Bool()
		case "auto":
			b.auto, _ = c.Bool()
		case "tool":
			b.tool = b.words.text(c)
		case "callID":
			b.call = unquoted(c)
		case "cost":
			b.cost = c.Raw()
		case "tokens":
			b.usage = readUsage(c)
		case "time":
			b.readTime(c)
		case "state":
			b.readState(c)
		default:
			return false
		}
		return true
	})
}

// kindOf reads a part's type without allocating the common ones.
func kindOf(c *walk.Cursor) string {
	raw, _ := c.Text()
	switch string(raw) {
	case "text":
		return "text"
	case "tool":
		return "tool"
	case "step-finish":
		return "step-finish"
	case "compaction":
		return "compaction"
	}
	return ""
}

func (b *block) readTime(c *walk.Cursor) {
	eachMember(c, func(key string) bool {
		switch key {
		case "start":
			b.start = instant(c)
		case "end":
			b.end = instant(c)
		default:
			return false
		}
		return true
	})
}

// readState reads the state of a tool call. Its time wins over one of the part.
func (b *block) readState(c *walk.Cursor) {
	eachMember(c, func(key string) bool {
		switch key {
		case "status":
			b.status = b.words.text(c)
		case "time":
			b.readTime(c)
		default:
			return false
		}
		return true
	})
}
