package messagestore

import (
	_ "embed"
	"encoding/json"
	"path/filepath"
	"strings"

	"meterbridge"
	"meterbridge/harnesses"
	"meterbridge/harnesses/hookjson"
	"meterbridge/harnesses/jsonc"
)

// plugin is what the products run inside: it follows their bus of events and posts
// what hookFacts maps.
//
//go:embed plugin.js
var plugin string //nolint:gochecknoglobals // embedded

const pluginName = "meterbridge.js"

func (p Product) hooks() *harnesses.Hooks {
	if p.ConfigVariable == "" {
		return nil
	}
	return &harnesses.Hooks{Facts: hookFacts, Layer: p.layer, Settings: p.settings}
}

// hookFacts maps what the plugin posts.
func hookFacts(payload []byte) []meterbridge.StatusFact {
	p := hookjson.Read(payload)
	f := meterbridge.StatusFact{
		Source: meterbridge.FromHook, Confidence: meterbridge.Exact, At: p.At("at").Millis(),
		Session: p.Text("session"), Turn: p.Text("turn"), Dir: p.Text("directory"), Detail: hookjson.OneLine(p.Text("detail"), 300),
	}
	switch p.Text("event") {
	case "session":
		f.Kind, f.Reason = meterbridge.FactSessionStarted, meterbridge.SessionAnother
	case "working", "queued":
		f.Kind, f.Prompt = meterbridge.FactTurn, p.Prompt("prompt")
	case "finished":
		f.Kind, f.Error = meterbridge.FactFinished, p.Text("error")
		if p.At("interrupted").True() {
			f.Kind = meterbridge.FactInterrupted
		}
	case "needs-input":
		f.Kind, f.Question.Kind = meterbridge.FactNeedsInput, meterbridge.Asked
	case "answered":
		f.Kind = meterbridge.FactResumed
	case "retry":
		f.Kind = meterbridge.FactActivity
	case "subagent-start", "subagent-stop":
		f.Kind, f.Subagent, f.SubagentName = meterbridge.FactSubagentStarted, p.Text("id"), p.Text("agent")
		if p.Text("event") == "subagent-stop" {
			f.Kind = meterbridge.FactSubagentStopped
		}
	default:
		return nil
	}
	return []meterbridge.StatusFact{f}
}

// layer gives one launch the plugin, by a configuration file that holds the user's
// own too.
func (p Product) layer(l meterbridge.LaunchHooks) meterbridge.LaunchLayer {
	path, config := filepath.Join(l.Dir, pluginName), filepath.Join(l.Dir, "config.json")
	own := map[string]any{}
	if named := l.Getenv(p.ConfigVariable); named != "" && l.ReadFile != nil {
		if text, err := l.ReadFile(named); err == nil {
			_ = json.Unmarshal(jsonc.Plain(text), &own) // what cannot be read, the product cannot read either
		}
	}
	if own == nil {
		own = map[string]any{}
	}
	plugins, _ := own["plugin"].([]any)
	own["plugin"] = append(plugins, "file://"+filepath.ToSlash(path))
	text, err := json.MarshalIndent(own, "", "  ")
	if err != nil {
		return meterbridge.LaunchLayer{} // it came from JSON
	}
	pure := strings.TrimSuffix(p.ConfigVariable, "CONFIG") + "PURE=false"
	return meterbridge.LaunchLayer{
		Env: []string{p.ConfigVariable + "=" + config, pure},
		Files: []meterbridge.LaunchFile{
			{Path: path, Content: p.pluginText("")},
			{Path: config, Content: append(text, '\n')},
		},
	}
}

// settings is the file in the user's folder of plugins.
func (p Product) settings(env harnesses.Env) harnesses.HookSettings {
	config := env.Getenv("XDG_CONFIG_HOME")
	if !filepath.IsAbs(config) {
		config = filepath.Join(env.Home, ".config")
	}
	return harnesses.HookSettings{
		Form: harnesses.PluginFile, Path: filepath.Join(config, p.Folder, "plugin", pluginName),
		Content: p.pluginText,
	}
}

// pluginText is the plugin of this product; a command takes the facts of one that
// a user installed.
func (p Product) pluginText(command string) []byte {
	text := strings.NewReplacer("HARNESS = null", "HARNESS = "+jsText(p.ID), "NAME = null", "NAME = "+jsText(p.Name)).Replace(plugin)
	if command != "" {
		text = strings.Replace(text, "COMMAND = null", "COMMAND = "+jsText(command), 1)
	}
	return []byte(text)
}

// jsText is a text as JavaScript's, which is JSON's.
func jsText(s string) string {
	text, _ := json.Marshal(s) // a string can always be written
	return string(text)
}
