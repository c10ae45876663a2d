package claudecode

import (
	"strings"
	"time"

	"meterbridge"
	"meterbridge/harnesses/walk"
)

// longestPrompt bounds the characters of a prompt that are looked at.
const longestPrompt = 1 << 16

const interruptMark = "[Request interrupted by user"

// user reads a row of the user's side: a prompt, results of tools, or what the
// client says in the user's place.
func (p *parser) user() {
	r := &p.row
	p.describe()
	p.toolResults()
	p.beginTurn(r.promptID)
	held := p.state.Command
	if !r.meta && !p.who.side {
		p.dropCommand()
	}
	text := r.promptText()
	if r.interrupted(text) {
		p.event("interrupted", "")
		p.beginCommand(held)
		p.endTurn("interrupted")
		return
	}
	if !r.mayBePrompt(p.who.side) {
		return
	}
	switch verdict, shown := judge(text); {
	case verdict == typedPrompt && (shown != "" || r.message.has(imageBlock)):
		p.prompt(p.newPrompt(shown), true)
	case verdict == commandPrompt:
		p.holdCommand(p.newPrompt(shown))
	}
}

// promptText is the text of the row's content, as far as it is needed: more than
// a preview only where a mark of the client's may stand at its start.
func (r *row) promptText() string {
	raw := r.message.text
	if !r.message.hasText {
		if !r.message.has(textBlock) {
			return ""
		}
		raw = r.message.reply(nil)
	}
	if len(raw) == 0 {
		return ""
	}
	switch raw[0] {
	case '<', '/', '[', '\\', ' ':
		return walk.Unquote(raw, longestPrompt)
	}
	return walk.Unquote(raw, meterbridge.PreviewRunes)
}

func (r *row) interrupted(text string) bool {
	if strings.HasPrefix(text, interruptMark) {
		return true
	}
	for i := range r.message.blocks {
		b := &r.message.blocks[i]
		if b.kind == toolResult && strings.HasPrefix(string(b.text[:min(len(b.text), len(interruptMark))]), interruptMark) {
			return true
		}
	}
	return false
}

// mayBePrompt is the part of the test for a person's prompt that looks at
// members. A result of a tool and a prompt may share a row: then the row must
// say that a person wrote it.
func (r *row) mayBePrompt(side bool) bool {
	switch {
	case !r.message.present || r.meta || r.summary || r.transcriptOnly || r.turnCompanion || side:
		return false
	case len(r.originKind) > 0 && string(r.originKind) != "human":
		return false
	case string(r.promptSource) == "system" || string(r.turnOrigin) == "task_notification":
		return false
	case r.toolUseResult || r.sourceTool || r.message.has(toolResult):
		return r.message.has(textBlock) && r.typed()
	}
	return true
}

func (r *row) typed() bool {
	switch string(r.promptSource) {
	case "typed", "queued", "sdk":
		return true
	}
	return false
}

func (p *parser) newPrompt(shown string) meterbridge.Prompt {
	id := walk.Unquote(p.row.uuid, 0)
	if id == "" {
		id = p.placeID()
	}
	return meterbridge.Prompt{
		Harness: ID, NativeID: id, Session: p.who.credited, Project: p.names.cwd.of(p.row.cwd), At: p.when, Preview: preview(shown), Place: p.at,
	}
}

// preview is the start of a prompt.
func preview(text string) string {
	n := 0
	for i := range text {
		if n++; n > meterbridge.PreviewRunes {
			return text[:i]
		}
	}
	return text
}

// prompt emits a prompt; the first one of a session is its title of last resort.
func (p *parser) prompt(q meterbridge.Prompt, begins bool) {
	if q.At.IsZero() {
		return
	}
	p.out.Prompts = append(p.out.Prompts, q)
	if begins && len(p.row.promptID) == 0 {
		p.beginTurn(p.row.uuid)
	}
	if q.Preview != "" && q.Session == p.who.own && p.state.firstPrompt(q.Session) {
		p.sessions.title(q.Session, strings.Join(strings.Fields(q.Preview), " "), meterbridge.TitleFromPrompt)
	}
}

// heldCommand is a slash command that is a prompt only if the model answers it.
type heldCommand struct {
	ID      string            `json:"i"`
	Session string            `json:"s"`
	At      int64             `json:"t"`
	Project string            `json:"d,omitempty"`
	Preview string            `json:"v"`
	Place   meterbridge.Place `json:"p"`
	// Turned: its rows name their turn themselves.
	Turned bool `json:"u,omitempty"`
}

func (p *parser) holdCommand(q meterbridge.Prompt) {
	if q.At.IsZero() {
		return
	}
	p.state.Command = &heldCommand{
		ID: q.NativeID, Session: q.Session, Project: q.Project, At: q.At.UnixMilli(), Preview: q.Preview, Place: q.Place, Turned: len(p.row.promptID) > 0,
	}
}

func (p *parser) dropCommand() { p.state.Command = nil }

// confirmCommand makes a prompt of the held command: the model answered it.
func (p *parser) confirmCommand() {
	h := p.state.Command
	if h == nil || p.who.side {
		return
	}
	p.state.Command = nil
	p.beginCommand(h)
	p.prompt(meterbridge.Prompt{
		Harness: ID, NativeID: h.ID, Session: h.Session, Project: h.Project, At: time.UnixMilli(h.At).UTC(), Preview: h.Preview, Place: h.Place,
	}, false)
}
