package ext

import (
	"context"
	"encoding/json"
	"time"
)

// AgentRecord is an agent or terminal of the workspace. Times are epoch ms; what
// is not known is zero.
type AgentRecord struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	Harness string `json:"harness"`
	// Kind is "ai" or "shell".
	Kind string `json:"kind"`
	// Status is working, needs-input, finished, idle or exited.
	Status string `json:"status"`
	// Connected: the user has linked it to this extension.
	Connected     bool   `json:"connected"`
	SessionTitle  string `json:"sessionTitle"`
	TurnStartedAt int64  `json:"turnStartedAt"`
	Model         string `json:"model"`
}

// Agents lists the agents and terminals of the workspace.
func (x *Extension) Agents(ctx context.Context) (list []AgentRecord, err error) {
	err = x.Ask(ctx, "agents.list", struct{}{}, &list)
	return list, err
}

// Agent is one of them.
func (x *Extension) Agent(ctx context.Context, id string) (a AgentRecord, err error) {
	err = x.Ask(ctx, "agents.get", map[string]string{"agentId": id}, &a)
	return a, err
}

// ReadScreen is the last lines (1 to 500) of a linked agent's screen.
func (x *Extension) ReadScreen(ctx context.Context, id string, lines int) (string, error) {
	var screen struct{ Text string }
	err := x.Ask(ctx, "agents.readScreen", map[string]any{"agentId": id, "lines": lines}, &screen)
	return screen.Text, err
}

// LastReply is the last answer of a linked agent; a nil text is not known.
func (x *Extension) LastReply(ctx context.Context, id string) (text *string, err error) {
	var reply struct{ Text *string }
	err = x.Ask(ctx, "agents.lastReply", map[string]string{"agentId": id}, &reply)
	return reply.Text, err
}

// PromptOptions say how a prompt is given. The zero value submits it, after what
// the agent is at.
type PromptOptions struct {
	// TypeOnly leaves the text in the input, for the user to send.
	TypeOnly bool
	// WhenBusy is "queue", "send" or "fail".
	WhenBusy string
}

// Prompt gives a linked agent a prompt and tells whether it was sent, queued or
// inserted. Never forward text from the web, a file or another card without
// showing it to the user.
func (x *Extension) Prompt(ctx context.Context, id, text string, o PromptOptions) (delivered string, err error) {
	params := map[string]any{"agentId": id, "text": text, "submit": !o.TypeOnly}
	if o.WhenBusy != "" {
		params["whenBusy"] = o.WhenBusy
	}
	var told struct{ Delivered string }
	err = x.Ask(ctx, "agents.prompt", params, &told)
	return told.Delivered, err
}

// Usage answers agents.usage for a stretch of time; a zero until is now.
func (x *Extension) Usage(ctx context.Context, id string, since, until time.Time) (answer json.RawMessage, err error) {
	err = x.Ask(ctx, "agents.usage", stretch(id, since, until), &answer)
	return answer, err
}

// Timeline answers agents.timeline for a stretch of time; a zero until is now.
func (x *Extension) Timeline(ctx context.Context, id string, since, until time.Time) (answer json.RawMessage, err error) {
	err = x.Ask(ctx, "agents.timeline", stretch(id, since, until), &answer)
	return answer, err
}

func stretch(id string, since, until time.Time) map[string]any {
	params := map[string]any{"agentId": id, "since": since.UnixMilli()}
	if !until.IsZero() {
		params["until"] = until.UnixMilli()
	}
	return params
}

// RunResult is what a command printed. ExitCode is nil when it is not known.
type RunResult struct {
	ExitCode  *int   `json:"exitCode"`
	Output    string `json:"output"`
	Truncated bool   `json:"truncated"`
	TimedOut  bool   `json:"timedOut"`
}

// RunCommand runs a command in a linked terminal, with the user's full rights. Build the
// line with Quote. The command may take 1 to 120 seconds; 0 is 30.
func (x *Extension) RunCommand(ctx context.Context, terminal, command string, limit time.Duration) (r RunResult, err error) {
	params := map[string]any{"agentId": terminal, "command": command}
	if limit > 0 {
		params["timeoutMs"] = limit.Milliseconds()
	}
	err = x.Ask(ctx, "terminals.run", params, &r)
	return r, err
}

// Write types into a linked terminal; submit types Enter after it.
func (x *Extension) Write(ctx context.Context, terminal, text string, submit bool) error {
	return x.Ask(ctx, "terminals.write", map[string]any{"agentId": terminal, "text": text, "submit": submit}, nil)
}
