package claudecode

import (
	"encoding/json"
	"path/filepath"

	"meterbridge"
	"meterbridge/harnesses"
)

// events are those that tell of the status. PreToolUse is not among them: it comes
// with each tool and says nothing. The versions are the first that are known to
// have them.
func events() []harnesses.HookEvent {
	return []harnesses.HookEvent{
		{Name: "UserPromptSubmit", Timeout: 2},
		{Name: "PostToolUse", Matcher: "*", Timeout: 5},
		{Name: "Notification", Timeout: 2},
		{Name: "Stop", Timeout: 2},
		{Name: "SubagentStop", Timeout: 2, Since: "1.0.41"},
		{Name: "SessionStart", Timeout: 2, Since: "1.0.62"},
		{Name: "SessionEnd", Timeout: 2, Since: "1.0.85"},
		{Name: "SubagentStart", Timeout: 2, Since: "2.0.43"},
		{Name: "PermissionRequest", Matcher: "*", Timeout: 10, Since: "2.0.45"},
		{Name: "StopFailure", Timeout: 2, Since: "2.1.332"},
		{Name: "PostToolBatch", Timeout: 5, Since: "2.1.332"},
	}
}

// sinceHTTP is a version whose hooks can be addresses, which cost no process.
const sinceHTTP = "2.1.332"

// entry is one hook of the settings.
type entry struct {
	Type    string            `json:"type"`
	Command string            `json:"command,omitempty"`
	URL     string            `json:"url,omitempty"`
	Timeout int               `json:"timeout,omitempty"`
	Headers map[string]string `json:"headers,omitempty"`
	Allowed []string          `json:"allowedEnvVars,omitempty"`
}

// group are the hooks of one matcher.
type group struct {
	Matcher string  `json:"matcher,omitempty"`
	Hooks   []entry `json:"hooks"`
}

// layer gives one launch a settings file, which is merged with the user's own.
func layer(l meterbridge.LaunchHooks) meterbridge.LaunchLayer {
	groups := map[string][]group{}
	for _, e := range events() {
		if e.Has(l.Version) {
			groups[e.Name] = []group{{Matcher: e.Matcher, Hooks: []entry{hook(e, l)}}}
		}
	}
	text, err := json.MarshalIndent(map[string]any{"hooks": groups}, "", "  ")
	if err != nil {
		return meterbridge.LaunchLayer{} // there is nothing in it that cannot be written
	}
	path := filepath.Join(l.Dir, "claude-settings.json")
	return meterbridge.LaunchLayer{
		Args:  []string{"--settings", path},
		Files: []meterbridge.LaunchFile{{Path: path, Content: append(text, '\n')}},
	}
}

// hook is an address for events that come often, or whose answer is waited for.
func hook(e harnesses.HookEvent, l meterbridge.LaunchHooks) entry {
	if e.Matcher == "" || !(harnesses.HookEvent{Since: sinceHTTP}).Has(l.Version) {
		return entry{Type: "command", Command: l.Forwarder + " " + ID, Timeout: e.Timeout}
	}
	return entry{
		Type: "http", URL: l.URL + "/" + ID, Timeout: e.Timeout,
		Headers: map[string]string{"Authorization": "Bearer $" + meterbridge.HookTokenVariable},
		Allowed: []string{meterbridge.HookTokenVariable},
	}
}

// settings is where a user's own agents are told to report.
func settings(env harnesses.Env) harnesses.HookSettings {
	found := roots(env)
	if len(found) == 0 {
		return harnesses.HookSettings{} // the variable names no folder
	}
	return harnesses.HookSettings{Form: harnesses.JSONHooks, Path: filepath.Join(found[0].Path, "settings.json"), Events: events()}
}
