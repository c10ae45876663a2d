package copilotcli

import (
	"bytes"
	"cmp"
	"strings"
	"time"

	"meterbridge"
	"meterbridge/harnesses"
	"meterbridge/harnesses/facts"
	"meterbridge/harnesses/instant"
	"meterbridge/harnesses/jsonvalue"
)

// memory is all that the parser must know of the lines it has read.
type memory struct {
	Session string `json:"session,omitempty"`
	Project string `json:"project,omitempty"`
	Branch  string `json:"branch,omitempty"`
	Model   string `json:"model,omitempty"`
	// Outputs are the outputs of the messages of this run, Messages their number, by model.
	Outputs  map[string]int64 `json:"outputs,omitempty"`
	Messages map[string]int64 `json:"messages,omitempty"`
	// Counted are the newest messages in those sums: one may be written again.
	Counted []counted `json:"counted,omitempty"`
	// Turn is the turn under way, Sent when it began (ms), until an answer came.
	Turn string `json:"turn,omitempty"`
	Sent int64  `json:"sent,omitempty"`
	// Titled: the first prompt was given as a title.
	Titled bool `json:"titled,omitempty"`
	// Agents are the sub-agents that were met.
	Agents map[string]bool `json:"agents,omitempty"`
}

// counted is a message as the sums of its run hold it.
type counted struct {
	Message string `json:"m"`
	Model   string `json:"model"`
	Output  int64  `json:"output"`
}

// keptMessages bounds Counted: a message is written again soon or never.
const keptMessages = 32

// log reads the events of one session.
type log struct {
	opt harnesses.Options
	m   memory

	// The event being read.
	w    facts.Writer
	at   meterbridge.Place
	when time.Time
	id   string
	// session is the one that the event belongs to: a sub-agent's is its own.
	session string
	data    jsonvalue.Object

	// replies are the newest texts of agents by session, not yet emitted.
	replies map[string]reply
}

type reply struct {
	text string
	at   time.Time
}

func newLog(opt harnesses.Options) *log {
	l := &log{opt: opt, replies: map[string]reply{}}
	l.m = facts.Memory[memory](opt.State)
	l.m.Session = cmp.Or(l.m.Session, sessionOf(opt.Rel))
	return l
}

// Line implements harnesses.LineParser.
func (l *log) Line(line []byte, at meterbridge.Place, out *meterbridge.Batch) {
	l.w = facts.Writer{Harness: id, Store: store, Trace: l.opt.Trace, Out: out}
	l.at = at
	if line = bytes.TrimSpace(bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))); len(line) == 0 {
		return
	}
	o, ok := jsonvalue.Parse(line)
	if !ok {
		l.w.Problem(at, "malformed-json", "a line is no JSON object")
		return
	}
	l.id, l.when, l.data = o["id"].Text(), o["timestamp"].Time(), o["data"].Object()
	l.belong(o["agentId"].Text())
	l.event(o["type"].Text())
}

// belong finds out whose event it is.
func (l *log) belong(agent string) {
	if l.session = l.m.Session; agent == "" {
		return
	}
	l.session += "/" + agent
	if l.m.Agents[agent] {
		return
	}
	if l.m.Agents == nil {
		l.m.Agents = map[string]bool{}
	}
	l.m.Agents[agent] = true
	l.w.Session(meterbridge.Session{ID: l.session, Parent: l.m.Session, Relation: meterbridge.SubAgent, Project: l.m.Project, Branch: l.m.Branch})
}

func (l *log) event(kind string) {
	switch kind {
	case "session.start", "session.resume":
		l.begin()
	case "session.model_change":
		l.m.Model = cmp.Or(l.data["newModel"].Text(), l.m.Model)
	case "session.title_changed":
		l.w.Session(meterbridge.Session{ID: l.m.Session, Title: l.data["title"].Text(), TitleRank: meterbridge.TitleFromModel})
	case "subagent.started":
		l.w.Session(meterbridge.Session{ID: l.session, AgentType: l.agentType()})
	case "user.message":
		l.prompt()
	case "assistant.turn_start":
		l.turnStart()
	case "assistant.turn_end":
		l.turnEnd("finished")
	case "abort":
		l.note("interrupted", l.data["reason"].Text())
		l.turnEnd("interrupted")
	case "assistant.message":
		l.message()
	case "tool.execution_start":
		l.call(meterbridge.ToolCall{Name: l.data["toolName"].Text(), StartedAt: l.when})
	case "tool.execution_complete":
		l.toolEnd()
	case "session.compaction_complete":
		l.note("compaction", "")
	case "session.error":
		l.note("error", cmp.Or(string(l.data["statusCode"]), l.data["errorType"].Text()))
	case "session.shutdown":
		l.shutdown()
	}
}

func (l *log) agentType() string {
	if l.session == l.m.Session {
		return ""
	}
	return l.data["agentName"].Text()
}

// begin reads the start of a process: where it works, and with which model.
func (l *log) begin() {
	l.m.Session = cmp.Or(l.data["sessionId"].Text(), l.m.Session)
	l.session = l.m.Session
	where := l.data["context"].Object()
	l.m.Project = cmp.Or(where["cwd"].Text(), where["gitRoot"].Text(), l.m.Project)
	l.m.Branch = cmp.Or(where["branch"].Text(), l.m.Branch)
	l.m.Model = cmp.Or(l.data["selectedModel"].Text(), l.m.Model)
	l.m.Outputs, l.m.Messages, l.m.Counted = nil, nil, nil
	l.w.Session(meterbridge.Session{ID: l.session, Project: l.m.Project, Branch: l.m.Branch, Version: l.data["copilotVersion"].Text()})
}

// prompt reads what a person typed; skills and agents write messages too.
func (l *log) prompt() {
	text := l.data["content"].Text()
	if strings.HasPrefix(l.data["source"].Text(), "skill-") || l.session != l.m.Session || l.when.IsZero() {
		return
	}
	l.w.Prompt(meterbridge.Prompt{NativeID: l.native(l.id), Session: l.session, Project: l.m.Project, At: l.when, Preview: text, Place: l.at})
	if !l.m.Titled && strings.TrimSpace(text) != "" {
		l.m.Titled = true
		l.w.Session(meterbridge.Session{ID: l.session, Title: text, TitleRank: meterbridge.TitleFromPrompt})
	}
}

func (l *log) native(what string) string { return l.m.Session + ":" + what }

// turnStart begins a turn: one interaction may go through several of them.
func (l *log) turnStart() {
	if l.session != l.m.Session || l.when.IsZero() {
		return
	}
	l.m.Sent = l.when.UnixMilli()
	turn := cmp.Or(l.data["interactionId"].Text(), l.id)
	if turn == l.m.Turn {
		return
	}
	l.m.Turn = turn
	l.w.Turn(meterbridge.Turn{NativeID: l.native(turn), Session: l.session, StartedAt: l.when})
}

func (l *log) turnEnd(outcome string) {
	if l.m.Turn == "" || l.session != l.m.Session || l.when.IsZero() {
		return
	}
	l.w.Turn(meterbridge.Turn{NativeID: l.native(l.m.Turn), Session: l.session, EndedAt: l.when, Outcome: outcome})
}

func (l *log) call(c meterbridge.ToolCall) {
	call := l.data["toolCallId"].Text()
	if call == "" {
		return
	}
	c.NativeID, c.Session = l.native(call), l.session
	l.w.Call(c)
}

func (l *log) toolEnd() {
	c := meterbridge.ToolCall{EndedAt: l.when}
	if ok := l.data["success"]; ok.True() || ok.False() {
		c.OK = facts.Outcome(ok.True())
	}
	l.call(c)
}

func (l *log) note(kind, detail string) {
	l.w.Event(meterbridge.Event{Session: l.session, At: l.when, Kind: kind, Detail: facts.Clip(detail), Place: l.at})
}

// Flush implements harnesses.LineParser.
func (l *log) Flush(out *meterbridge.Batch) {
	w := facts.Writer{Harness: id, Store: store, Out: out}
	for session, r := range l.replies {
		w.Session(meterbridge.Session{ID: session, LastReply: r.text, LastReplyAt: r.at})
	}
	clear(l.replies)
}

// State implements harnesses.LineParser.
func (l *log) State() []byte {
	return facts.State(&l.m)
}

// sent is when the request under way was sent, known once in a turn.
func (l *log) sent() (at time.Time) {
	at, l.m.Sent = instant.Millis(l.m.Sent), 0
	return at
}
