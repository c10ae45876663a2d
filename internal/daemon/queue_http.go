package daemon

import (
	"context"
	"errors"
	"net/http"
	"time"

	"meterbridge/agents/queue"
	"meterbridge/dashboard"
	"meterbridge/dashboard/guard"
	"meterbridge/dashboard/promptqueue"
)

// queueFace is the prompt queue as HTTP clients see it.
type queueFace struct{ m *Meter }

// queueRule is who may ask for what: programs with a token may look, who may type
// comes from a browser or over the socket.
func queueRule(path string) guard.Rule {
	switch path {
	case promptqueue.ListPath, promptqueue.LogPath, promptqueue.OfPath:
		return guard.Rule{Scopes: []guard.Scope{guard.ScopeRead}, Browser: true}
	}
	return guard.Rule{Browser: true, Types: []string{"application/json"}, MaxBody: promptqueue.MaxBody}
}

// Send implements promptqueue.Queue.
func (f queueFace) Send(ctx context.Context, agent string, s promptqueue.Send) (dashboard.PromptAnswer, error) {
	p := SendPrompt{
		Agent: agent, Text: s.Text, Insert: s.Submit != nil && !*s.Submit, Command: s.Command, WhenBusy: s.WhenBusy, After: s.After,
	}
	switch s.WhenBusy {
	case "", "queue", "send", "fail":
	default:
		return dashboard.PromptAnswer{}, &promptqueue.Refusal{
			Status: http.StatusUnprocessableEntity, Code: string(queue.CodeInvalid), Text: "whenBusy is queue, send or fail",
		}
	}
	if s.NotBefore != nil {
		p.At = time.UnixMilli(*s.NotBefore)
	}
	answer, err := f.m.Prompt(ctx, p)
	return answer, queueRefusal(err)
}

// List implements promptqueue.Queue.
func (f queueFace) List(ctx context.Context, agent string, most int) (list dashboard.PromptList, err error) {
	if most > 0 {
		list, err = f.m.PromptLog(ctx, agent, most)
	} else {
		list, err = f.m.Prompts(ctx, agent)
	}
	return list, queueRefusal(err)
}

// Change implements promptqueue.Queue.
func (f queueFace) Change(ctx context.Context, prompt string, c *promptqueue.Change) (answer dashboard.PromptAnswer, err error) {
	if c == nil {
		answer, err = f.m.RemovePrompt(ctx, prompt)
		return answer, queueRefusal(err)
	}
	if c.Text != nil {
		if answer, err = f.m.EditPrompt(ctx, prompt, *c.Text); err != nil {
			return answer, queueRefusal(err)
		}
	}
	if c.Place != nil {
		answer, err = f.m.MovePrompt(ctx, prompt, *c.Place)
	}
	if c.Text == nil && c.Place == nil {
		err = &promptqueue.Refusal{Status: http.StatusUnprocessableEntity, Code: string(queue.CodeInvalid), Text: "give text, place or both"}
	}
	return answer, queueRefusal(err)
}

// Decide implements promptqueue.Queue.
func (f queueFace) Decide(ctx context.Context, agent, prompt string, send bool) error {
	if prompt != "" {
		return queueRefusal(f.m.DecidePrompt(prompt, send))
	}
	return queueRefusal(f.m.GoOn(ctx, agent))
}

// queueRefusal is an error as HTTP clients are told of it.
func queueRefusal(err error) error {
	var told *promptqueue.Refusal
	var refusal *queue.Refusal
	var fault *Fault
	switch {
	case err == nil || errors.As(err, &told):
		return err
	case errors.As(err, &refusal):
		told = &promptqueue.Refusal{Status: queueStatus(refusal.Code), Code: string(refusal.Code), Text: refusal.Message, Wait: refusal.After}
	case errors.As(err, &fault) && (fault.Nothing || fault.Wrong || errors.Is(err, ErrNoFleet)):
		told = &promptqueue.Refusal{Status: http.StatusNotFound, Text: fault.Error()}
		if fault.Wrong {
			told.Status = http.StatusUnprocessableEntity
		}
	default:
		return err
	}
	if errors.As(err, &fault) {
		told.Hint = fault.Hint
	}
	return told
}

// queueStatus is the status of a refusal.
func queueStatus(c queue.Code) int {
	switch c {
	case queue.CodeInvalid:
		return http.StatusUnprocessableEntity
	case queue.CodeDenied, queue.CodeNotConnected, queue.CodeNotVisible:
		return http.StatusForbidden
	case queue.CodeNotFound:
		return http.StatusNotFound
	case queue.CodeRate, queue.CodeQuota:
		return http.StatusTooManyRequests
	}
	return http.StatusConflict // the agent's state, or a person's decision
}
