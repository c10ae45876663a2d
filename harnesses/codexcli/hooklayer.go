package codexcli

import (
	"crypto/sha256"
	hexadecimal "encoding/hex"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"unicode"

	"meterbridge"
	"meterbridge/harnesses"
)

// events are those that tell of the status. The harness cuts Interrupt off after
// three seconds.
func events() []harnesses.HookEvent {
	return []harnesses.HookEvent{
		{Name: "SessionStart", Timeout: 10},
		{Name: "UserPromptSubmit", Timeout: 10},
		{Name: "Stop", Timeout: 10},
		{Name: "PermissionRequest", Timeout: 10},
		{Name: "PreToolUse", Matcher: asking, Timeout: 10},
		{Name: "PostToolUse", Matcher: asking, Timeout: 10},
		{Name: "Interrupt", Timeout: 3},
		{Name: "SessionEnd", Timeout: 3},
	}
}

// layer gives one launch its hooks as settings of the session, each vouched for by
// its hash: the harness skips hooks that nobody has trusted. The command's text is
// the same for every agent, so the hash is; the token comes from the environment.
func layer(l meterbridge.LaunchHooks) meterbridge.LaunchLayer {
	command := l.Forwarder + " " + id
	var tables, trust []string
	for _, e := range events() {
		matcher := ""
		if e.Matcher != "" {
			matcher = "matcher=" + tomlText(e.Matcher) + ","
		}
		tables = append(tables, fmt.Sprintf("%s=[{%shooks=[{type=\"command\",command=%s,timeout=%d}]}]", e.Name, matcher, tomlText(command), e.Timeout))
		trust = append(trust, fmt.Sprintf("%s={trusted_hash=%s}", tomlText(sessionFlags+":"+snake(e.Name)+":0:0"), tomlText(hookHash(e, command))))
	}
	tables = append(tables, "state={"+strings.Join(trust, ",")+"}")
	return meterbridge.LaunchLayer{Args: []string{"-c", "hooks={" + strings.Join(tables, ",") + "}"}}
}

// sessionFlags is the file that settings of the command line stand for.
const sessionFlags = "/<session-flags>/config.toml"

// hookHash is the harness's hash of one hook: of its compact JSON with sorted keys.
func hookHash(e harnesses.HookEvent, command string) string {
	hook := map[string]any{"type": "command", "command": command, "timeout": e.Timeout, "async": false}
	identity := map[string]any{"event_name": snake(e.Name), "hooks": []any{hook}}
	if e.Matcher != "" {
		identity["matcher"] = e.Matcher
	}
	sum := sha256.Sum256(compactJSON(identity))
	return "sha256:" + hexadecimal.EncodeToString(sum[:])
}

// compactJSON writes < > and & as they are; maps are written with sorted keys.
func compactJSON(v any) []byte {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(v) // it holds texts and numbers only
	return []byte(strings.TrimSuffix(b.String(), "\n"))
}

// snake is a name in snake case: PreToolUse is pre_tool_use.
func snake(name string) string {
	var b strings.Builder
	for i, r := range name {
		if i > 0 && unicode.IsUpper(r) {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// tomlText is a text as TOML's basic string, which is JSON's but for slashes.
func tomlText(s string) string { return string(compactJSON(s)) }

// settings is where a user's own agents are told to report.
func settings(env harnesses.Env) harnesses.HookSettings {
	found := roots(env)
	if len(found) == 0 {
		return harnesses.HookSettings{}
	}
	return harnesses.HookSettings{
		Form: harnesses.JSONHooks, Path: filepath.Join(found[0].Path, "hooks.json"), Events: events(),
		Note: "Codex asks once, in /hooks of its terminal, whether these hooks can be trusted; until then it skips them.",
	}
}
