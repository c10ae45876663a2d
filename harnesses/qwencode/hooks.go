package qwencode

import (
	"path/filepath"

	"meterbridge"
	"meterbridge/harnesses"
	"meterbridge/harnesses/hookjson"
)

// hooks: PreToolUse comes after a permission was granted, so it tells that the
// agent goes on.
func hooks() *harnesses.Hooks {
	return &harnesses.Hooks{Facts: hookFacts, Settings: settings}
}

// longestQuestion is what of a question is shown, in characters.
const longestQuestion = 200

// hookFacts maps one payload. UserPromptSubmit comes again, with an empty text,
// after each round of tools: its prompt_id is that of the open turn.
func hookFacts(payload []byte) []meterbridge.StatusFact {
	p := hookjson.Read(payload)
	fact := func(kind meterbridge.FactKind) meterbridge.StatusFact {
		f := p.Fact(kind)
		f.Turn = p.Text("prompt_id")
		return f
	}
	switch p.Event() {
	case "SessionStart":
		f := fact(meterbridge.FactSessionStarted)
		f.Reason = p.Text("source")
		return []meterbridge.StatusFact{f}
	case "SessionEnd":
		f := fact(meterbridge.FactSessionEnded)
		f.Turn, f.Reason = "", p.Text("reason")
		return []meterbridge.StatusFact{f}
	case "UserPromptSubmit":
		f := fact(meterbridge.FactTurn)
		f.Prompt = p.Prompt("submitted_prompt")
		if f.Prompt == "" {
			f.Prompt = p.Prompt("prompt")
		}
		return []meterbridge.StatusFact{f}
	case "PreToolUse", "PostToolUse":
		return []meterbridge.StatusFact{fact(meterbridge.FactResumed)}
	case "PermissionRequest":
		f := fact(meterbridge.FactNeedsInput)
		f.Detail, f.Question.Kind = question(p), meterbridge.Permission
		return []meterbridge.StatusFact{f}
	case "Notification":
		if p.Text("notification_type") != "permission_prompt" {
			return nil
		}
		f := fact(meterbridge.FactNeedsInput)
		f.Detail, f.Question.Kind = hookjson.OneLine(p.Text("message"), longestQuestion), meterbridge.Notice
		return []meterbridge.StatusFact{f}
	case "Stop", "StopFailure":
		return []meterbridge.StatusFact{stop(p, fact(meterbridge.FactFinished))}
	}
	return nil
}

func stop(p hookjson.Payload, f meterbridge.StatusFact) meterbridge.StatusFact {
	f.Reply = p.Reply("last_assistant_message")
	if p.Event() == "StopFailure" {
		if f.Error = p.Text("error"); f.Error == "" {
			f.Error = "unknown"
		}
		f.Detail = "Qwen Code stopped: API error (" + f.Error + ")"
		return f
	}
	if tasks := p.At("background_tasks"); !tasks.Null() {
		f.Subagents, f.BackgroundWork = hookjson.Background(tasks)
		f.SubagentsKnown = true
	}
	return f
}

func question(p hookjson.Payload) string {
	if command := p.Text("tool_input", "command"); command != "" {
		return hookjson.OneLine("Qwen Code wants to run: "+command, longestQuestion)
	}
	if tool := p.Text("tool_name"); tool != "" {
		return "Qwen Code needs your permission to use " + hookjson.OneLine(tool, 100)
	}
	return "Qwen Code needs your permission"
}

// settings is where a user's own agents are told to report. Timeouts are in
// milliseconds there.
func settings(env harnesses.Env) harnesses.HookSettings {
	home := env.Getenv("QWEN_HOME")
	if home == "" {
		home = filepath.Join(env.Home, ".qwen")
	}
	return harnesses.HookSettings{Form: harnesses.JSONHooks, Path: filepath.Join(home, "settings.json"), Events: events()}
}

// events are those that tell of the status.
func events() (list []harnesses.HookEvent) {
	for _, name := range []string{"SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PermissionRequest", "Notification", "Stop", "SessionEnd"} {
		list = append(list, harnesses.HookEvent{Name: name, Timeout: 5000})
	}
	return list
}
