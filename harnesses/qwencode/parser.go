package qwencode

import (
	"bytes"
	"cmp"
	"fmt"
	"path"
	"strings"
	"time"

	"meterbridge"
	"meterbridge/harnesses"
	"meterbridge/harnesses/facts"
	"meterbridge/harnesses/instant"
	"meterbridge/harnesses/jsonvalue"
)

// keptPending is how many responses wait for their chat row.
const keptPending = 6

// state is the parser's memory at a checkpoint.
type state struct {
	// Last is the last time that was told, epoch milliseconds.
	Last int64 `json:"l,omitempty"`
	// Pending are the newest responses that no chat row has followed yet.
	Pending []meterbridge.Request `json:"p,omitempty"`
}

// parser reads one chat.
type parser struct {
	facts.Writer
	file     string
	state    state
	sessions facts.Sessions

	// Of the row that is being read.
	row     jsonvalue.Object
	at      meterbridge.Place
	session string
	when    time.Time
}

func newParser(o harnesses.Options) *parser {
	p := &parser{Writer: facts.Writer{Harness: id, Store: store, Trace: o.Trace}}
	p.file = strings.TrimSuffix(path.Base(o.Rel), ".jsonl")
	p.state = facts.Memory[state](o.State)
	return p
}

// Line reads one row of a chat.
func (p *parser) Line(line []byte, at meterbridge.Place, out *meterbridge.Batch) {
	line = bytes.Trim(line, " \t\r\n\x00")
	if len(line) == 0 {
		return
	}
	p.at, p.Out = at, out
	row, ok := jsonvalue.Parse(line)
	if !ok {
		p.Problem(at, "malformed-json", "a line is no JSON object")
		return
	}
	p.row = row
	p.session = cmp.Or(row["sessionId"].Text(), p.file)
	if p.when = row["timestamp"].Time(); !p.when.IsZero() {
		p.state.Last = p.when.UnixMilli()
	} else {
		p.when = instant.Millis(p.state.Last)
	}
	p.take()
	p.row = nil
}

// take makes facts of the row.
func (p *parser) take() {
	kind := p.row["type"].Text()
	switch kind {
	case "user":
		p.prompt()
	case "assistant":
		p.answer()
	case "tool_result":
		p.result()
	case "system":
		p.system()
	default:
		return
	}
	p.describe(meterbridge.Session{ID: p.session})
}

// describe adds a fact to what is known of a session, with what every row tells.
func (p *parser) describe(f meterbridge.Session) {
	f.Project, f.Branch, f.Version = p.row["cwd"].Text(), p.row["gitBranch"].Text(), p.row["version"].Text()
	p.sessions.Add(f)
}

// system reads a row of the program's own.
func (p *parser) system() {
	payload := p.row["systemPayload"].Object()
	switch p.row["subtype"].Text() {
	case "ui_telemetry":
		p.telemetry(payload["uiEvent"].Object())
	case "custom_title":
		p.sessions.Add(meterbridge.Session{ID: p.session, Title: payload["customTitle"].Clip(400), TitleRank: meterbridge.TitleFromUser})
	case "chat_compression":
		p.event("compaction", "")
	case "rewind":
		p.event("rewind", "")
	}
}

// telemetry reads what the program measured of a request or a call.
func (p *parser) telemetry(e jsonvalue.Object) {
	switch e["event.name"].Text() {
	case "qwen-code.api_response":
		p.response(e)
	case "qwen-code.api_error":
		p.event("error", detail(e))
	case "qwen-code.tool_call":
		p.call(e)
	}
}

// detail is the HTTP status of an error, else its kind.
func detail(e jsonvalue.Object) string {
	if code, ok := e["status_code"].Int(); ok && code > 0 {
		return fmt.Sprint(code)
	}
	return cmp.Or(e["status_code"].Clip(20), e["error_type"].Clip(60), "error")
}

func (p *parser) event(kind, detail string) {
	p.Event(meterbridge.Event{Session: p.session, At: p.when, Kind: kind, Detail: detail, Place: p.at})
}

// place is the identity of a record that has none of its own.
func (p *parser) place() string {
	if uuid := p.row["uuid"].Text(); uuid != "" {
		return p.session + "/" + uuid
	}
	return fmt.Sprintf("%s#%d", p.session, p.at.Line)
}

// Flush hands on what was gathered.
func (p *parser) Flush(out *meterbridge.Batch) {
	p.Out = out
	p.sessions.Flush(&p.Writer)
}

// State is what the next lines need.
func (p *parser) State() []byte {
	return facts.State(p.state)
}
