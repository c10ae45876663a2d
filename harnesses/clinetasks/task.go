package clinetasks

import (
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/cespare/xxhash/v2"

	"meterbridge"
	"meterbridge/harnesses"
	"meterbridge/harnesses/facts"
	"meterbridge/harnesses/jsonvalue"
)

// document reads one source.
type document struct {
	reader *Reader
	kind   string
	opt    harnesses.Options
	// memory is that of a task.
	memory memory
}

// Document implements harnesses.DocumentParser.
func (d *document) Document(content []byte, out *meterbridge.Batch) {
	w := facts.Writer{Harness: d.reader.opt.Harness, Store: d.reader.opt.Store, Trace: d.opt.Trace, Out: out}
	var ok bool
	switch d.kind {
	case KindHistory:
		var items []item
		items, ok = list(content)
		for _, i := range items {
			i.session(&w)
		}
	case KindItem:
		var o jsonvalue.Object
		if o, ok = jsonvalue.Parse(content); ok {
			readItem(o).session(&w)
		}
	default:
		var messages jsonvalue.Value
		if messages, ok = whole(content); ok && messages[0] == '[' {
			d.task(messages, w)
		}
	}
	if !ok {
		w.Problem(meterbridge.Place{Line: 1, Hash: xxhash.Sum64(content)}, "malformed-json", "a "+d.kind+" is no JSON")
	}
}

// task is one task while its messages are read.
type task struct {
	facts.Writer
	reader *Reader
	item   item
	models models
	ui     []message
	seen   map[string]int
	// open is the request under way: calls of tools belong to it.
	open string
	// memory is what was read earlier; given are the rows that are there now, sums
	// those of restores, which are counted last.
	memory *memory
	given  map[string]bool
	sums   []sum
	// session is what the messages tell of the task.
	session meterbridge.Session
}

// message is one message of the panel.
type message struct {
	at        time.Time
	say, ask  string
	text      string
	model     string
	provider  string
	condensed jsonvalue.Object
	partial   bool
	images    bool
	place     meterbridge.Place
}

func (d *document) task(messages jsonvalue.Value, w facts.Writer) {
	dir := path.Dir(d.opt.Rel)
	root := d.opt.Path[:max(0, len(d.opt.Path)-len(d.opt.Rel))]
	t := task{
		Writer: w, reader: d.reader, item: d.reader.known.item(d.opt.Siblings, root, dir), seen: map[string]int{},
		memory: &d.memory, given: map[string]bool{},
	}
	if t.item.id == "" {
		t.item.id = path.Base(dir)
	}
	t.models = d.loadModels(dir, t.item)
	for n, v := range messages.Elements() {
		t.ui = append(t.ui, readMessage(v, n))
	}
	t.session = meterbridge.Session{ID: t.item.id, Project: t.models.project}
	for i := range t.ui {
		t.message(i)
	}
	t.restore()
	t.Session(t.session)
}

func readMessage(v jsonvalue.Value, n int) message {
	o := v.Object()
	m := message{
		at: o["ts"].Millis(), text: o["text"].Text(), partial: o["partial"].True(),
		model: o.At("modelInfo", "modelId").Text(), provider: o.At("modelInfo", "providerId").Text(), condensed: o["contextCondense"].Object(),
		place: meterbridge.Place{Line: int64(n + 1), Hash: xxhash.Sum64(v)},
	}
	for range o["images"].Elements() {
		m.images = true
	}
	switch o["type"].Text() {
	case "say":
		m.say = o["say"].Text()
	case "ask":
		m.ask = o["ask"].Text()
	}
	return m
}

// message reads one message of the panel.
func (t *task) message(i int) {
	m := &t.ui[i]
	if i == 0 && m.say == "text" && !m.partial { // forks have no word of their own for it
		m.say = "task"
	}
	switch m.say {
	case "task", "user_feedback":
		t.prompt(m)
	case "api_req_started":
		t.request(i)
	case sayDeleted, sayDeletedRoo:
		t.spent(m, ruleDeleted, "deleted")
	case "subagent_usage":
		t.spent(m, ruleSubAgents, "sub-agents")
	case "condense_context":
		t.condensed(m)
	case "text", "completion_result":
		if m.text != "" && !m.partial {
			t.session.LastReply, t.session.LastReplyAt = m.text, m.at
		}
	case "tool", "command", "use_mcp_server", "browser_action_launch":
		t.call(m, m.say)
	case "error", "diff_error":
		t.event(m, "error", m.say)
	}
	switch m.ask {
	case "tool", "command", "use_mcp_server", "browser_action_launch":
		t.call(m, m.ask)
	case "api_req_failed":
		t.event(m, "error", m.ask)
	}
}

// prompt tells of what a person typed; a task that another one gave is none.
func (t *task) prompt(m *message) {
	if t.item.parent != "" && m.say == "task" || m.at.IsZero() {
		return
	}
	if m.say == "task" && t.session.Title == "" {
		t.session.Title, t.session.TitleRank = m.text, meterbridge.TitleFromPrompt
	}
	t.Prompt(meterbridge.Prompt{NativeID: t.native(m), Session: t.item.id, Project: t.models.project, At: m.at, Preview: m.text, Place: m.place})
}

// native is the id of what a message tells: its time is unique in its task.
func (t *task) native(m *message) string {
	id := t.item.id + ":" + strconv.FormatInt(m.at.UnixMilli(), 10)
	if t.seen[id]++; t.seen[id] > 1 {
		id += "#" + strconv.Itoa(t.seen[id])
	}
	return id
}

// call tells of a call of a tool. The panel knows its begin only.
func (t *task) call(m *message, kind string) {
	if m.partial || m.at.IsZero() {
		return
	}
	name := kind
	if o, ok := jsonvalue.Parse([]byte(m.text)); ok && kind != "command" {
		for _, key := range []string{"tool", "toolName"} {
			if n := o[key].Text(); n != "" {
				name = n
			}
		}
	}
	t.Call(meterbridge.ToolCall{NativeID: t.native(m), Session: t.item.id, Request: t.open, Name: name, StartedAt: m.at})
	if n := len(t.Out.Requests); t.open != "" && n > 0 && t.Out.Requests[n-1].NativeID == t.open {
		t.Out.Requests[n-1].Tools = append(t.Out.Requests[n-1].Tools, name)
	}
}

func (t *task) event(m *message, kind, detail string) {
	t.Event(meterbridge.Event{Session: t.item.id, At: m.at, Kind: kind, Detail: strings.TrimSpace(detail), Place: m.place})
}
