package hermes

import (
	"path/filepath"

	"meterbridge"
	"meterbridge/harnesses"
	"meterbridge/harnesses/hookjson"
)

// hooks are its lifecycle hooks; none of them was seen at work, they are known
// from its source.
func hooks() *harnesses.Hooks {
	return &harnesses.Hooks{Facts: hookFacts, Settings: settings}
}

// longestQuestion is what of a question is shown, in characters.
const longestQuestion = 200

// hookFacts maps one payload. on_session_end comes after every turn, so it ends a
// turn that was interrupted: post_llm_call is skipped then.
func hookFacts(payload []byte) []meterbridge.StatusFact {
	p := hookjson.Read(payload)
	fact := func(kind meterbridge.FactKind) []meterbridge.StatusFact {
		return []meterbridge.StatusFact{begin(p, kind)}
	}
	switch p.Event() {
	case "on_session_start":
		return fact(meterbridge.FactSessionStarted)
	case "pre_llm_call":
		f := begin(p, meterbridge.FactTurn)
		f.Prompt = p.Prompt("user_message")
		return []meterbridge.StatusFact{f}
	case "post_tool_call", "post_approval_response":
		return fact(meterbridge.FactResumed)
	case "pre_approval_request":
		f := begin(p, meterbridge.FactNeedsInput)
		f.Detail, f.Question.Kind = question(p), meterbridge.Asked
		return []meterbridge.StatusFact{f}
	case "post_llm_call":
		f := begin(p, meterbridge.FactFinished)
		f.Reply = p.Reply("assistant_response")
		return []meterbridge.StatusFact{f}
	case "on_session_end":
		return fact(meterbridge.FactInterrupted)
	case "on_session_finalize":
		return fact(meterbridge.FactExited)
	}
	return nil
}

// begin begins a fact; members that name it may lie in "extra".
func begin(p hookjson.Payload, kind meterbridge.FactKind) meterbridge.StatusFact {
	f := p.Fact(kind)
	if f.Session == "" {
		f.Session = p.Text("extra", "session_id")
	}
	return f
}

func question(p hookjson.Payload) string {
	for _, place := range [][]string{{"tool_input", "command"}, {"extra", "command"}, {"command"}, {"extra", "description"}} {
		if text := p.Text(place...); text != "" {
			return hookjson.OneLine("Hermes wants to run: "+text, longestQuestion)
		}
	}
	return "Hermes needs your permission"
}

// settings is where its user adds hooks.
func settings(env harnesses.Env) harnesses.HookSettings {
	home := env.Getenv("HERMES_HOME")
	if home == "" {
		home = filepath.Join(env.Home, ".hermes")
	}
	s := harnesses.HookSettings{
		Form: harnesses.YAMLHooks, Path: filepath.Join(home, "config.yaml"),
		Note: "Hermes asks once for each hook before it runs it.",
	}
	for _, name := range []string{
		"on_session_start", "pre_llm_call", "post_tool_call", "pre_approval_request", "post_approval_response",
		"post_llm_call", "on_session_end", "on_session_finalize",
	} {
		s.Events = append(s.Events, harnesses.HookEvent{Name: name, Timeout: 5})
	}
	return s
}
