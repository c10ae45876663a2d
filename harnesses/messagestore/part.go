package messagestore

import (
	"slices"
	"strings"

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
	last     string
	unsorted bool
}

// tool is a call of a tool.
type tool struct {
	part, call, name, status string
	start, end               int64
}

// step is one model request of a message that holds several.
type step struct {
	part       string
	usage      usage
	cost       string
	start, end int64
}

// add reads one part. id may be empty where the part holds its own.
func (p *parts) add(id string, data []byte) error {
	c := document(data)
	if c.Peek() != '{' {
		return errMalformed
	}
	var b block
	b.read(&c)
	if !c.End() {
		return errMalformed
	}
	if id == "" {
		id = b.id
	}
	if id < p.last {
		p.unsorted = true
	}
	p.last = id
	p.take(id, &b)
	return nil
}

func (p *parts) take(id string, b *block) {
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
	slices.SortStableFunc(p.tools, func(a, b tool) int { return strings.Compare(a.part, b.part) })
	slices.SortStableFunc(p.steps, func(a, b step) int { return strings.Compare(a.part, b.part) })
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
	id, kind           string
	text               []byte
	synthetic, ignored bool
	auto               bool
	tool, call, status string
	start, end         int64
	usage              usage
	cost               string
}

func (b *block) read(c *walk.Cursor) {
	eachMember(c, func(key string) bool {
		switch key {
		case "id":
			b.id = text(c)
		case "type":
			b.kind = kindOf(c)
		case "text":
			b.text, _ = c.Text()
		case "synthetic":
			b.synthetic, _ = c.Bool()
		case "ignored":
			b.ignored, _ = c.Bool()
		case "auto":
			b.auto, _ = c.Bool()
		case "tool":
			b.tool = text(c)
		case "callID":
			b.call = text(c)
		case "cost":
			b.cost = string(c.Raw())
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
			b.status = text(c)
		case "time":
			b.readTime(c)
		default:
			return false
		}
		return true
	})
}
