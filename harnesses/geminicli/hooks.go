package geminicli

import (
	"path/filepath"
	"strings"

	"meterbridge"
	"meterbridge/harnesses"
	"meterbridge/harnesses/hookjson"
)

// hooks: the title tells all of the status passively; hooks add the prompt and the
// question. BeforeTool comes before the dialog and says nothing.
func hooks() *harnesses.Hooks {
	return &harnesses.Hooks{Facts: hookFacts, Title: title, Settings: settings}
}

// longestQuestion is what of a question is shown, in characters.
const longestQuestion = 200

// hookFacts maps one payload. None has the id of a turn.
func hookFacts(payload []byte) []meterbridge.StatusFact {
	p := hookjson.Read(payload)
	switch p.Event() {
	case "SessionStart":
		f := p.Fact(meterbridge.FactSessionStarted)
		f.Reason = p.Text("source")
		return []meterbridge.StatusFact{f}
	case "SessionEnd":
		f := p.Fact(meterbridge.FactSessionEnded)
		f.Reason = p.Text("reason")
		return []meterbridge.StatusFact{f}
	case "BeforeAgent":
		f := p.Fact(meterbridge.FactTurn)
		f.Prompt = p.Prompt("prompt")
		return []meterbridge.StatusFact{f}
	case "AfterTool":
		return []meterbridge.StatusFact{p.Fact(meterbridge.FactResumed)}
	case "AfterAgent":
		f := p.Fact(meterbridge.FactFinished)
		f.Reply = p.Reply("prompt_response")
		return []meterbridge.StatusFact{f}
	case "Notification":
		if p.Text("notification_type") != "ToolPermission" {
			return nil
		}
		f := p.Fact(meterbridge.FactNeedsInput)
		f.Detail, f.Question.Kind = question(p), meterbridge.Asked
		return []meterbridge.StatusFact{f}
	}
	return nil
}

func question(p hookjson.Payload) string {
	if command := p.Text("details", "command"); command != "" {
		return hookjson.OneLine("Gemini wants to run: "+command, longestQuestion)
	}
	if title := p.Text("details", "title"); title != "" {
		return hookjson.OneLine("Gemini needs your permission: "+title, longestQuestion)
	}
	return hookjson.OneLine(p.Text("message"), longestQuestion)
}

// title maps "◇ Ready (dir)", "✦ Working… (dir)" and "✋ Action Required (dir)".
func title(text string) (meterbridge.StatusFact, bool) {
	f := meterbridge.StatusFact{Source: meterbridge.FromTitle, Confidence: meterbridge.Inferred}
	switch {
	case strings.HasPrefix(text, "✋"):
		f.Kind, f.Question.Kind = meterbridge.FactNeedsInput, meterbridge.Notice
	case strings.HasPrefix(text, "✦"):
		f.Kind = meterbridge.FactTurn
	case strings.HasPrefix(text, "◇"):
		f.Kind = meterbridge.FactFinished
	default:
		return f, false
	}
	return f, true
}

// settings is where a user's own agents are told to report. Timeouts are in
// milliseconds there.
func settings(env harnesses.Env) harnesses.HookSettings {
	s := harnesses.HookSettings{Form: harnesses.JSONHooks, Path: filepath.Join(env.Home, ".gemini", "settings.json")}
	for _, name := range []string{"SessionStart", "BeforeAgent", "AfterTool", "Notification", "AfterAgent", "SessionEnd"} {
		s.Events = append(s.Events, harnesses.HookEvent{Name: name, Timeout: 5000})
	}
	return s
}
