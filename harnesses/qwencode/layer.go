package qwencode

import (
	"encoding/json"
	"path/filepath"

	"meterbridge"
	"meterbridge/harnesses"
)

// defaultsVariable names the file of the system's defaults, the lowest layer of Qwen
// Code's settings. Its hooks run beside those of the user's own files (tried with
// 0.24.4: lists of hooks are joined over the layers).
const defaultsVariable = "QWEN_CODE_SYSTEM_DEFAULTS_PATH"

// defaultsPlace is where an administrator's defaults lie when the variable is not set.
const defaultsPlace = "/etc/qwen-code/system-defaults.json"

// command is one hook of the settings; timeouts are in milliseconds.
type command struct {
	Type    string `json:"type"`
	Command string `json:"command"`
	Timeout int    `json:"timeout"`
}

// layer is a copy of the defaults in force with our hooks added. No file of the user
// is touched.
func layer(l meterbridge.LaunchHooks) meterbridge.LaunchLayer {
	settings := defaults(l)
	hooks, _ := settings["hooks"].(map[string]any)
	if hooks == nil {
		hooks = map[string]any{}
	}
	for _, e := range events() {
		own, _ := hooks[e.Name].([]any)
		hooks[e.Name] = append(own, map[string]any{"hooks": []command{{"command", l.Forwarder + " " + id, e.Timeout}}})
	}
	settings["hooks"] = hooks
	text, err := json.MarshalIndent(settings, "", "  ")
	if err != nil {
		return meterbridge.LaunchLayer{} // it was read from JSON
	}
	path := filepath.Join(l.Dir, "qwen-defaults.json")
	return meterbridge.LaunchLayer{
		Env:   []string{defaultsVariable + "=" + path},
		Files: []meterbridge.LaunchFile{{Path: path, Content: append(text, '\n')}},
	}
}

// defaults are those in force; empty where there are none, or none that can be read.
func defaults(l meterbridge.LaunchHooks) map[string]any {
	path := l.Getenv(defaultsVariable)
	if path == "" {
		path = defaultsPlace
	}
	settings := map[string]any{}
	if text, err := l.ReadFile(path); err == nil && json.Unmarshal(text, &settings) != nil || settings == nil {
		return map[string]any{}
	}
	return settings
}

// events are those that tell of the status.
func events() (list []harnesses.HookEvent) {
	for _, name := range []string{"SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PermissionRequest", "Notification", "Stop", "SessionEnd"} {
		list = append(list, harnesses.HookEvent{Name: name, Timeout: 5000})
	}
	return list
}
