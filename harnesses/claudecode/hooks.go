package claudecode

import (
	"strings"
	"time"

	"meterbridge"
	"meterbridge/harnesses"
	"meterbridge/harnesses/hookjson"
)

// hooks: a permission is told of at once by PermissionRequest, the end of a turn by
// Stop, and what no hook tells (an interrupt, a refusal) by the transcript. The
// title is a constant and no signal.
func hooks() *harnesses.Hooks {
	return &harnesses.Hooks{
		Facts: hookFacts, Allow: allow, HoldStop: true,
		Transcript: func() harnesses.TranscriptReader { return &transcript{} },
		Layer:      layer, Settings: settings,
	}
}

// longestQuestion is what of a question is shown, in characters.
const longestQuestion = 200

// unattended is how long a permission must stay unanswered to count in modes in
// which the harness mostly answers itself.
const unattended = time.Second

// hookFacts maps one payload.
func hookFacts(payload []byte) []meterbridge.StatusFact {
	p := hookjson.Read(payload)
	turn := p.Text("prompt_id")
	fact := func(kind meterbridge.FactKind) meterbridge.StatusFact {
		f := p.Fact(kind)
		f.Turn = turn
		f.Transcript = p.Log("projects")
		return f
	}
	switch p.Event() {
	case "SessionStart":
		f := fact(meterbridge.FactSessionStarted)
		f.Turn, f.Reason = "", p.Text("source")
		return []meterbridge.StatusFact{f}
	case "SessionEnd":
		// Its prompt_id may be of a turn that never was.
		f := fact(meterbridge.FactSessionEnded)
		f.Turn, f.Reason = "", p.Text("reason")
		return []meterbridge.StatusFact{f}
	case "UserPromptSubmit":
		f := fact(meterbridge.FactTurn)
		f.Prompt = p.Prompt("prompt")
		f.Automatic = strings.HasPrefix(f.Prompt, "<task-notification>")
		return []meterbridge.StatusFact{f}
	case "PostToolUse", "PostToolUseFailure":
		f := fact(meterbridge.FactResumed)
		f.Detail = question(p) // tells which question it answers
		return []meterbridge.StatusFact{f}
	case "PostToolBatch":
		return []meterbridge.StatusFact{fact(meterbridge.FactResumed)}
	case "PermissionRequest":
		f := fact(meterbridge.FactNeedsInput)
		f.Detail, f.Question = question(p), meterbridge.Question{Kind: meterbridge.Permission, Unless: patience(p)}
		return []meterbridge.StatusFact{f}
	case "Notification":
		return notification(p, fact)
	case "Stop", "StopFailure":
		return []meterbridge.StatusFact{stop(p, fact(meterbridge.FactFinished))}
	case "SubagentStart", "SubagentStop":
		return p.Subagents(fact)
	case "PreToolUse", "MessageDisplay":
		return []meterbridge.StatusFact{fact(meterbridge.FactActivity)}
	}
	return nil
}

// patience is how long a permission must stay unanswered: these modes answer most
// by themselves.
func patience(p hookjson.Payload) time.Duration {
	switch p.Text("permission_mode") {
	case "default", "plan", "acceptEdits":
		return 0
	}
	return unattended
}

func stop(p hookjson.Payload, f meterbridge.StatusFact) meterbridge.StatusFact {
	f.Reply = p.Reply("last_assistant_message")
	if p.Event() == "StopFailure" {
		f.Error = p.Text("error")
		if f.Error == "" {
			f.Error = "unknown"
		}
		f.Detail = errorText(f.Error)
		return f
	}
	if tasks := p.At("background_tasks"); !tasks.Null() {
		f.Subagents, f.BackgroundWork = hookjson.Background(tasks)
		f.SubagentsKnown = true
	}
	return f
}

func errorText(kind string) string { return "Claude stopped: API error (" + kind + ")" }

// notification is a question where its type, or in older builds its text, says so.
func notification(p hookjson.Payload, fact func(meterbridge.FactKind) meterbridge.StatusFact) []meterbridge.StatusFact {
	message := hookjson.OneLine(p.Text("message"), longestQuestion)
	switch p.Text("notification_type") {
	case "permission_prompt", "elicitation_dialog", "elicitation_url_dialog", "worker_permission_prompt", "agent_needs_input":
	case "":
		if strings.Contains(strings.ToLower(message), "waiting for your input") {
			return []meterbridge.StatusFact{fact(meterbridge.FactActivity)}
		}
	default:
		return []meterbridge.StatusFact{fact(meterbridge.FactActivity)}
	}
	f := fact(meterbridge.FactNeedsInput)
	f.Detail, f.Question = message, meterbridge.Question{Kind: meterbridge.Notice}
	return []meterbridge.StatusFact{f}
}

// question is what a person is asked.
func question(p hookjson.Payload) string {
	input, text := p.At("tool_input").Object(), ""
	tool := p.Text("tool_name")
	switch tool {
	case "AskUserQuestion":
		text = "Claude has a question"
		for _, q := range input.At("questions").Elements() {
			text = "Claude is asking: " + q.Object().At("question").Text()
			break
		}
	case "ExitPlanMode":
		text = "Claude wants you to approve its plan"
	case "Bash":
		text = "Claude wants to run: " + input.At("command").Text()
	case "Edit", "Write", "MultiEdit", "NotebookEdit":
		path := input.At("file_path").Text()
		if path == "" {
			path = input.At("notebook_path").Text()
		}
		text = "Claude wants to edit " + path
	case "":
		text = "Claude needs your permission"
	default:
		text = "Claude needs your permission to use " + tool
	}
	return hookjson.OneLine(asker(p)+text, longestQuestion)
}

// asker begins the question of a sub-agent.
func asker(p hookjson.Payload) string {
	switch {
	case p.Text("agent_id") == "":
		return ""
	case p.Text("agent_type") == "":
		return "Subagent: "
	}
	return "Subagent " + hookjson.OneLine(p.Text("agent_type"), 40) + ": "
}

// allow answers a permission with yes; the user's deny rules never get this far.
func allow(payload []byte) ([]byte, bool) {
	if hookjson.Read(payload).Event() != "PermissionRequest" {
		return nil, false
	}
	return []byte(`{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}`), true
}
