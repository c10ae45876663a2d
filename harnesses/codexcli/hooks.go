package codexcli

import (
	"strings"

	"meterbridge"
	"meterbridge/harnesses"
	"meterbridge/harnesses/hookjson"
)

// hooks: a turn is told of by hooks, by the rollout and, passively, by the title of
// the terminal; a turn that failed only by a line of the terminal.
func hooks() *harnesses.Hooks {
	return &harnesses.Hooks{
		Facts: hookFacts, Allow: allow, Title: title, Line: terminalLine,
		Transcript: func() harnesses.TranscriptReader { return &transcript{} },
		Layer:      layer, Settings: settings,
	}
}

// longestQuestion is what of a question is shown, in characters.
const longestQuestion = 300

// asking is the tool by which the agent asks its user something.
const asking = "request_user_input"

// hookFacts maps one payload.
func hookFacts(payload []byte) []meterbridge.StatusFact {
	p := hookjson.Read(payload)
	fact := func(kind meterbridge.FactKind) meterbridge.StatusFact {
		f := p.Fact(kind)
		f.Turn = p.Text("turn_id")
		f.Transcript = p.Log("sessions")
		return f
	}
	switch p.Event() {
	case "SessionStart":
		f := fact(meterbridge.FactSessionStarted)
		f.Reason = p.Text("source")
		return []meterbridge.StatusFact{f}
	case "SessionEnd":
		f := fact(meterbridge.FactSessionEnded)
		f.Reason = p.Text("reason")
		return []meterbridge.StatusFact{f}
	case "UserPromptSubmit":
		if p.Text("agent_id") != "" {
			return nil // a sub-agent's
		}
		f := fact(meterbridge.FactTurn)
		f.Prompt = p.Prompt("prompt")
		return []meterbridge.StatusFact{f}
	case "Stop":
		f := fact(meterbridge.FactFinished)
		f.Reply = p.Reply("last_assistant_message")
		return []meterbridge.StatusFact{f}
	case "Interrupt":
		return []meterbridge.StatusFact{fact(meterbridge.FactInterrupted)}
	case "PermissionRequest":
		return permission(p, fact(meterbridge.FactNeedsInput))
	case "PreToolUse", "PostToolUse":
		return toolUse(p, fact)
	case "SubagentStart", "SubagentStop":
		return p.Subagents(fact)
	case "PreModelRequest":
		if p.Text("thread_id") == p.Text("session_id") { // not of the hidden thread that names the session
			return []meterbridge.StatusFact{fact(meterbridge.FactActivity)}
		}
	}
	return nil
}

// toolUse is a question where the tool asks the user something; a tool that ended
// tells that the agent goes on.
func toolUse(p hookjson.Payload, fact func(meterbridge.FactKind) meterbridge.StatusFact) []meterbridge.StatusFact {
	if p.Event() == "PostToolUse" {
		f := fact(meterbridge.FactResumed)
		if p.Text("tool_name") != asking {
			f.Detail = permitted(p) // tells which question it answers
		}
		return []meterbridge.StatusFact{f}
	}
	if p.Text("tool_name") != asking {
		return []meterbridge.StatusFact{fact(meterbridge.FactActivity)}
	}
	f := fact(meterbridge.FactNeedsInput)
	f.Question.Kind = meterbridge.Asked
	for _, q := range p.At("tool_input", "questions").Elements() {
		f.Detail = q.Object().At("question").Text()
		break
	}
	f.Detail = hookjson.OneLine(f.Detail+bySubagent(p), longestQuestion)
	return []meterbridge.StatusFact{f}
}

// permission is a question unless the harness's own reviewer answers it.
func permission(p hookjson.Payload, f meterbridge.StatusFact) []meterbridge.StatusFact {
	if reviewer := p.Text("approvals_reviewer"); reviewer != "" && reviewer != "user" {
		return []meterbridge.StatusFact{}
	}
	f.Detail, f.Question.Kind = permitted(p), meterbridge.Permission
	return []meterbridge.StatusFact{f}
}

// permitted is what a person is asked to permit.
func permitted(p hookjson.Payload) string {
	tool, input := p.Text("tool_name"), p.At("tool_input").Object()
	text := input.At("command").Text()
	if tool == "apply_patch" || strings.HasPrefix(text, "*** Begin Patch") {
		text = strings.Join(patched(text), ", ")
	}
	if text == "" {
		text = input.At("description").Text()
	}
	if text != "" {
		tool += " — " + text
	}
	return hookjson.OneLine(tool+bySubagent(p), longestQuestion)
}

func bySubagent(p hookjson.Payload) string {
	if kind := p.Text("agent_type"); kind != "" {
		return " (subagent " + kind + ")"
	}
	return ""
}

// patched are the files that a patch touches.
func patched(patch string) (files []string) {
	for line := range strings.Lines(patch) {
		for _, head := range []string{"*** Add File: ", "*** Update File: ", "*** Delete File: "} {
			if file, ok := strings.CutPrefix(strings.TrimSpace(line), head); ok {
				files = append(files, file)
			}
		}
	}
	return files
}

func allow(payload []byte) ([]byte, bool) {
	if hookjson.Read(payload).Event() != "PermissionRequest" {
		return nil, false
	}
	return []byte(`{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}`), true
}

// title: a spinner works, a mark asks, a plain text is at rest.
func title(text string) (meterbridge.StatusFact, bool) {
	f := meterbridge.StatusFact{Source: meterbridge.FromTitle, Confidence: meterbridge.Inferred}
	first, _, _ := strings.Cut(strings.TrimSpace(text), " ")
	r := []rune(first)
	switch {
	case text == "":
		return f, false
	case strings.Contains(text, "Action Required"):
		f.Kind, f.Question.Kind = meterbridge.FactNeedsInput, meterbridge.Notice
	case len(r) == 1 && r[0] >= 0x2800 && r[0] <= 0x28ff:
		f.Kind = meterbridge.FactResumed
	default:
		return f, false // at rest, or a blink of the mark
	}
	return f, true
}

// terminalLine tells of a turn that failed: it sends no hook.
func terminalLine(line string) (meterbridge.StatusFact, bool) {
	f := meterbridge.StatusFact{Kind: meterbridge.FactFinished, Source: meterbridge.FromOutput, Confidence: meterbridge.Inferred}
	text, ok := strings.CutPrefix(line, "■ ")
	if !ok {
		return f, false
	}
	if strings.HasPrefix(text, "Conversation interrupted") {
		f.Kind = meterbridge.FactInterrupted
		return f, true
	}
	f.Error, f.Detail = "unknown", hookjson.OneLine("Codex stopped: "+text, longestQuestion)
	return f, true
}
