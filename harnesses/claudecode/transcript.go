package claudecode

import (
	"strconv"
	"strings"
	"time"

	"meterbridge"
	"meterbridge/harnesses/jsonvalue"
)

// transcript is the state of a conversation as its main chain shows it.
type transcript struct{ view meterbridge.TranscriptView }

// View implements harnesses.TranscriptReader.
func (t *transcript) View() meterbridge.TranscriptView { return t.view }

// Line implements harnesses.TranscriptReader.
func (t *transcript) Line(line []byte) {
	o, ok := jsonvalue.Parse(line)
	if !ok || o.At("isSidechain").True() || o.At("isMeta").True() || o.At("isCompactSummary").True() {
		return
	}
	at := o.At("timestamp").Time()
	switch o.At("type").Text() {
	case "user":
		t.user(o, at)
	case "assistant":
		t.assistant(o, at)
	case "system":
		if o.At("subtype").Text() == "turn_duration" && t.view.Phase != meterbridge.PhaseInterrupted && t.view.Phase != meterbridge.PhaseFailed {
			t.enter(meterbridge.PhaseEnded, at)
		}
	case "queue-operation":
		t.queue(o.At("operation").Text())
	}
}

func (t *transcript) enter(phase meterbridge.TranscriptPhase, at time.Time) {
	if at.IsZero() {
		return
	}
	t.view.Phase, t.view.At = phase, at
}

func (t *transcript) queue(operation string) {
	switch operation {
	case "enqueue":
		t.view.Queued++
	case "dequeue", "remove":
		t.view.Queued = max(0, t.view.Queued-1)
	}
}

func (t *transcript) assistant(o jsonvalue.Object, at time.Time) {
	if o.At("isApiErrorMessage").True() {
		t.view.Error = failure(o)
		t.view.ErrorText = errorText(t.view.Error)
		t.enter(meterbridge.PhaseFailed, at)
		return
	}
	message := o.At("message").Object()
	tool := false
	for _, block := range message.At("content").Elements() {
		tool = tool || block.Object().At("type").Text() == "tool_use"
	}
	phase := meterbridge.PhaseBusy
	if stop := message.At("stop_reason").Text(); !tool && (stop == "end_turn" || stop == "stop_sequence") {
		phase = meterbridge.PhaseAnswered
	}
	t.enter(phase, at)
	if !at.IsZero() {
		t.view.AssistantAt = at
	}
}

// failure is the kind of an API error: its word, or the status of the answer.
func failure(o jsonvalue.Object) string {
	if kind := o.At("error").Text(); kind != "" {
		return kind
	}
	if status, ok := o.At("apiErrorStatus").Int(); ok {
		return strconv.FormatInt(status, 10)
	}
	return "unknown"
}

func (t *transcript) user(o jsonvalue.Object, at time.Time) {
	text, result := userText(o.At("message", "content"))
	switch {
	case strings.HasPrefix(text, interruptMark) || strings.HasPrefix(result, interruptMark):
		t.enter(meterbridge.PhaseInterrupted, at)
	case result != "" || text == "":
		if result != "" {
			t.enter(meterbridge.PhaseBusy, at)
		}
	case !isPrompt(text):
	case !at.IsZero():
		t.enter(meterbridge.PhaseBusy, at)
		t.view.TurnAt, t.view.TurnID = at, o.At("promptId").Text()
		t.view.Automatic = strings.HasPrefix(text, "<task-notification>")
		t.view.Error, t.view.ErrorText = "", ""
	}
}

// userText is the text of a user's line and, apart, that of a tool's result (a
// blank one is told as a space).
func userText(content jsonvalue.Value) (text, result string) {
	if content.IsText() {
		return strings.TrimSpace(content.Clip(200)), ""
	}
	for _, block := range content.Elements() {
		b := block.Object()
		switch b.At("type").Text() {
		case "text":
			if text == "" {
				text = strings.TrimSpace(b.At("text").Clip(200))
			}
		case "tool_result":
			result = resultText(b.At("content"))
		case "image", "document":
			if text == "" {
				text = "(attachment)"
			}
		}
	}
	return text, result
}

func resultText(content jsonvalue.Value) string {
	if content.IsText() {
		return content.Clip(200) + " "
	}
	for _, block := range content.Elements() {
		if text := block.Object().At("text").Clip(200); text != "" {
			return text
		}
	}
	return " "
}

// isPrompt reports whether a text is a prompt: what commands of the harness and of
// the shell leave behind is none; the end of a background task is.
func isPrompt(text string) bool {
	notice := strings.HasPrefix(text, "<task-notification>")
	return notice || !byMachine(text) && !strings.HasPrefix(text, "<command-name>") && !bareCommand(text)
}
