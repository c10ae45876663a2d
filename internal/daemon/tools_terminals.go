package daemon

import (
	"context"
	"fmt"
	"time"

	"meterbridge/bridge"
)

type toolScreen struct {
	ID     string `json:"id"`
	Name   string `json:"name"`
	Status string `json:"status"`
	Text   string `json:"text"`
}

func (t *agentTools) screen(ctx context.Context, who bridge.Identity, in readIn) (toolScreen, string, error) {
	i, err := t.terminal(who, in.Terminal)
	if err != nil {
		return toolScreen{}, "", err
	}
	if in.Lines == 0 {
		in.Lines = linesOfShell
	}
	text, err := t.f.Ports().ReadScreen(ctx, i.ID, in.Lines)
	return toolScreen{ID: i.ID, Name: i.Name, Status: string(i.Status), Text: text}, fmt.Sprintf("The screen of %s.", i.Name), err
}

type runIn struct {
	Terminal  string `json:"terminal"`
	Command   string `json:"command"`
	TimeoutMs int64  `json:"timeoutMs"`
}

type toolRun struct {
	// ExitCode is null after a timeout and where the shell does not tell.
	ExitCode  *int   `json:"exitCode"`
	Output    string `json:"output"`
	Truncated bool   `json:"truncated"`
	TimedOut  bool   `json:"timedOut"`
}

// defaultRun is how long a command may take unless told otherwise.
const defaultRun = time.Minute

func (t *agentTools) run(ctx context.Context, who bridge.Identity, in runIn) (toolRun, string, error) {
	i, err := t.terminal(who, in.Terminal)
	if err != nil {
		return toolRun{}, "", err
	}
	timeout := time.Duration(in.TimeoutMs) * time.Millisecond
	if timeout == 0 {
		timeout = defaultRun
	}
	r, err := t.f.Ports().Run(ctx, bridge.Run{Sender: t.sender(who), Agent: i.ID, Command: in.Command, Timeout: timeout})
	if err != nil {
		return toolRun{}, "", err
	}
	text := "The command ended."
	switch {
	case r.TimedOut:
		text = "The command still runs."
	case r.ExitCode != nil:
		text = fmt.Sprintf("The command ended with exit code %d.", *r.ExitCode)
	}
	return toolRun{ExitCode: r.ExitCode, Output: r.Output, Truncated: r.Truncated, TimedOut: r.TimedOut}, text, nil
}

type keysIn struct {
	Terminal string `json:"terminal"`
	Text     string `json:"text"`
	Enter    *bool  `json:"enter"`
	Key      string `json:"key"`
}

type toolSent struct {
	ID string `json:"id"`
}

// keyBytes are the keys that can be pressed, as terminals send them.
func keyBytes() map[string]string {
	return map[string]string{
		"enter": "\r", "escape": "\x1b", "tab": "\t", "backspace": "\x7f", "up": "\x1b[A", "down": "\x1b[B", "right": "\x1b[C", "left": "\x1b[D",
		"ctrl-c": "\x03", "ctrl-d": "\x04", "ctrl-z": "\x1a", "ctrl-l": "\x0c",
	}
}

func (t *agentTools) keys(ctx context.Context, who bridge.Identity, in keysIn) (toolSent, string, error) {
	i, err := t.terminal(who, in.Terminal)
	if err != nil {
		return toolSent{}, "", err
	}
	k := bridge.Keys{Sender: t.sender(who), Agent: i.ID, Text: in.Text, Submit: in.Enter == nil || *in.Enter}
	switch {
	case (in.Text == "") == (in.Key == ""):
		return toolSent{}, "", invalid("give either text or key")
	case in.Key != "":
		k.Text, k.Submit = keyBytes()[in.Key], false
	}
	return toolSent{ID: i.ID}, fmt.Sprintf("Typed into %s.", i.Name), t.f.Ports().Write(ctx, k)
}

// sender is the calling agent as the one who asks.
func (t *agentTools) sender(who bridge.Identity) bridge.Sender {
	s := bridge.Sender{Agent: who.Agent, Name: who.Agent}
	if i, err := t.f.Agents().Get(who.Agent); err == nil {
		s.Name = i.Name
	}
	return s
}
