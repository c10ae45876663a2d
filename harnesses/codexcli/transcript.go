package codexcli

import (
	"time"

	"meterbridge"
	"meterbridge/harnesses/jsonvalue"
)

// transcript is the state of a conversation as its rollout shows it: turns are
// marked with their ids.
type transcript struct{ view meterbridge.TranscriptView }

// View implements harnesses.TranscriptReader.
func (t *transcript) View() meterbridge.TranscriptView { return t.view }

// Line implements harnesses.TranscriptReader.
func (t *transcript) Line(line []byte) {
	o, ok := jsonvalue.Parse(line)
	if !ok {
		return
	}
	at, payload := o.At("timestamp").Time(), o.At("payload").Object()
	if at.IsZero() {
		return
	}
	kind := payload.At("type").Text()
	switch o.At("type").Text() {
	case "event_msg":
		t.event(kind, payload, at)
	case "response_item":
		if kind == "message" && payload.At("role").Text() == "assistant" || kind == "function_call" || kind == "custom_tool_call" {
			t.view.AssistantAt = at
			t.busy(at)
		}
	}
}

// busy says that an open turn goes on.
func (t *transcript) busy(at time.Time) {
	if t.view.Phase == meterbridge.PhaseBusy {
		t.view.At = at
	}
}

func (t *transcript) event(kind string, payload jsonvalue.Object, at time.Time) {
	var phase meterbridge.TranscriptPhase
	switch kind {
	case "task_started":
		t.view.TurnAt, t.view.TurnID = at, payload.At("turn_id").Text()
		t.view.Error, t.view.ErrorText = "", ""
		phase = meterbridge.PhaseBusy
	case "task_complete":
		phase = meterbridge.PhaseEnded
	case "turn_aborted":
		phase = meterbridge.PhaseInterrupted
	default:
		return
	}
	t.view.Phase, t.view.At = phase, at
}
