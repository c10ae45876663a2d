package vscodecopilot

import (
	"cmp"
	"time"

	"meterbridge"
	"meterbridge/harnesses/facts"
	"meterbridge/harnesses/instant"
	"meterbridge/harnesses/jsonvalue"
)

// turn is what is known of one request of a chat. It holds no text.
type turn struct {
	ID string `json:"id,omitempty"`
	// At is when it was sent, Elapsed how long it took, both in ms.
	At       int64             `json:"at,omitempty"`
	Elapsed  int64             `json:"elapsed,omitempty"`
	Model    string            `json:"model,omitempty"`
	Resolved string            `json:"resolved,omitempty"`
	Input    meterbridge.Count `json:"input"`
	Output   meterbridge.Count `json:"output"`
	Wrong    bool              `json:"wrong,omitempty"`
	// Done: there is a result; Failed and Cancelled tell how it ended.
	Done      bool `json:"done,omitempty"`
	Failed    bool `json:"failed,omitempty"`
	Cancelled bool `json:"cancelled,omitempty"`
}

// read takes over the members of a request that are there.
func (t *turn) read(o jsonvalue.Object) {
	t.ID = cmp.Or(o["requestId"].Text(), t.ID)
	t.Model = cmp.Or(o["modelId"].Text(), t.Model)
	if at := o["timestamp"].Millis(); !at.IsZero() {
		t.At = at.UnixMilli()
	}
	t.Cancelled = t.Cancelled || o["isCanceled"].True()
	t.result(o["result"])
}

func (t *turn) result(v jsonvalue.Value) {
	o := v.Object()
	if o == nil {
		return
	}
	t.Done = true
	t.Failed = o["errorDetails"].Object() != nil
	if ms, ok := o.At("timings", "totalElapsed").Int(); ok && ms >= 0 && ms < 7*24*3600*1000 {
		t.Elapsed = ms
	}
	var c jsonvalue.Counts
	t.Input, t.Output = c.Of(o.At("metadata", "promptTokens")), c.Of(o.At("metadata", "outputTokens"))
	t.Resolved, t.Wrong = o.At("metadata", "resolvedModel").Text(), c.Wrong
}

func (t *turn) start() time.Time { return instant.Millis(t.At) }

func (t *turn) end() time.Time {
	if t.At == 0 {
		return time.Time{}
	}
	return instant.Millis(t.At + t.Elapsed)
}

// chat writes down the turns of a session.
type chat struct {
	facts.Writer
	session, project string
}

func (c *chat) native(t *turn) string { return c.session + "/" + t.ID }

// prompt tells of what was typed.
func (c *chat) prompt(t *turn, text string, at meterbridge.Place) {
	if t.ID != "" && t.At > 0 {
		c.Prompt(meterbridge.Prompt{NativeID: c.native(t), Session: c.session, Project: c.project, At: t.start(), Preview: text, Place: at})
	}
}

// write tells of a turn, and counts it when it has a result with tokens.
func (c *chat) write(t *turn, at meterbridge.Place) {
	if t.ID == "" || t.At == 0 {
		return
	}
	turned := meterbridge.Turn{NativeID: c.native(t), Session: c.session, StartedAt: t.start()}
	if t.Done {
		turned.EndedAt, turned.Outcome = t.end(), t.outcome()
	}
	c.Turn(turned)
	r := meterbridge.Request{
		NativeID: c.native(t), Session: c.session, Project: c.project, Model: cmp.Or(t.Resolved, t.Model), StartedAt: t.start(), EndedAt: t.end(),
		Tokens: meterbridge.Tokens{Input: t.Input, Output: t.Output}, Precision: meterbridge.PerTurn, Aborted: t.Cancelled, Rule: "last-call-of-turn", Place: at,
	}
	switch {
	case t.Wrong:
		c.Wrong(r)
	case t.Input.N+t.Output.N > 0:
		c.Request(r)
	}
}

func (t *turn) outcome() string {
	switch {
	case t.Cancelled:
		return "interrupted"
	case t.Failed:
		return "failed"
	}
	return "finished"
}

// answer tells of the parts of an answer: texts and tool calls.
func (c *chat) answer(t *turn, parts jsonvalue.Value) {
	text := ""
	for _, v := range parts.Elements() {
		o := v.Object()
		if call := o["toolCallId"].Text(); call != "" {
			k := meterbridge.ToolCall{NativeID: c.session + "/" + call, Session: c.session, Name: o["toolId"].Text()}
			if o["isComplete"].True() {
				k.OK = facts.Outcome(true)
			}
			c.Call(k)
		}
		if s := o["value"].Text(); o["kind"].Null() && s != "" {
			text = s
		}
	}
	if text != "" {
		c.Session(meterbridge.Session{ID: c.session, LastReply: text, LastReplyAt: t.end()})
	}
}
