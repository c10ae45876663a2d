//go:build agents

package main

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"meterbridge/internal/daemon"
)

// labTool is the name of the extension's tool for agents.
const labTool = "ticket_desk_open"

// Each harness is started as an agent, the extension is linked to it after that, and
// the model has it call the extension's tool: the tool is offered to the model, the
// extension answers, and the model is told the answer. Nothing but `agents start`
// configures the first three; Qwen Code gets the entry that `mcp config` prints.
func TestAgents_RealHarnessesCallABridgeTool(t *testing.T) {
	byHand := map[string]string{"qwen-code": filepath.Join(".qwen", "settings.json")}
	for _, h := range labHarnesses() {
		settings := byHand[h.id]
		if settings == "" && h.id == "gemini-cli" {
			continue // as Qwen Code, whose settings are the same
		}
		t.Run(h.id, func(t *testing.T) {
			l := newLab(t, h)
			if settings != "" {
				l.configured(filepath.Join(l.home, settings))
			}
			l.installed()
			l.start()
			l.ask("ext", "link", "ticket-desk", l.agent)
			l.settled()
			l.join()
			l.settled()
			l.typed("LAB:toolbridge open a ticket")
			l.consenting("the tool's answer", func() bool { return len(l.bridged(true)) > 0 })
			t.Logf("the model was told of %q", l.bridged(false))
			var calls daemon.ToolCallList
			if err := json.Unmarshal([]byte(l.ask("tools", "log", "--json")), &calls); err != nil {
				t.Fatal(err)
			}
			if len(calls.Rows) != 1 || calls.Rows[0].Tool != labTool || calls.Rows[0].Agent != l.agent || calls.Rows[0].Outcome != "ok" {
				t.Errorf("calls %+v, want one of %s by %s", calls.Rows, labTool, l.agent)
			} else {
				t.Logf("%s calls in revision %s", h.id, *calls.Rows[0].Era)
			}
			l.ask("agents", "stop", l.agent)
		})
	}
}

// configured adds what `mcp config` prints to the harness's settings.
func (l *lab) configured(path string) {
	l.t.Helper()
	var entry daemon.MCPEntry
	err := json.Unmarshal([]byte(l.ask("mcp", "config", l.h.id, "--json")), &entry)
	var settings, added map[string]any
	text, readErr := os.ReadFile(path)
	if err = errors.Join(err, readErr, json.Unmarshal(text, &settings), json.Unmarshal([]byte(entry.Entry), &added)); err != nil {
		l.t.Fatal(err)
	}
	for key, value := range added {
		settings[key] = value
	}
	if text, err = json.Marshal(settings); err == nil {
		err = os.WriteFile(path, text, 0o600)
	}
	if err != nil {
		l.t.Fatal(err)
	}
}

// installed installs the extension.
func (l *lab) installed() {
	l.t.Helper()
	pack := filepath.Join(l.home, "desk")
	err := errors.Join(os.Mkdir(pack, 0o700),
		os.WriteFile(filepath.Join(pack, "run"), []byte(extension), 0o700),
		os.WriteFile(filepath.Join(pack, "meterbridge-extension.json"), []byte(extensionManifest), 0o600))
	if err != nil {
		l.t.Fatal(err)
	}
	l.t.Cleanup(func() { // installed files are read-only
		_ = filepath.WalkDir(l.home, func(path string, _ os.DirEntry, _ error) error { return os.Chmod(path, 0o700) })
	})
	l.ask("ext", "install", pack, "--yes")
}

// consenting waits as a person does who allows what the program asks.
func (l *lab) consenting(what string, done func() bool) {
	l.t.Helper()
	asks := regexp.MustCompile(`Do you want to proceed|Would you like to run|Allow the .*(tool|MCP)|Allow execution|Yes, allow|Field 1/1`)
	looks := 0
	l.await(what, func() bool {
		if done() {
			return true
		}
		if looks++; looks%8 == 0 && asks.MatchString(l.screen()) {
			l.press("\r")
		}
		return false
	})
}

// bridged are the bridge's tools that the model was offered of the extension, in
// requests that have an answer of its tool or, the other way, in all.
func (l *lab) bridged(answered bool) (list []string) {
	l.t.Helper()
	text, err := os.ReadFile(l.truth)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		l.t.Fatal(err)
	}
	seen := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		var r struct {
			Bridge   []string
			Answered bool
			Scenario string
		}
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			l.t.Fatal(err)
		}
		for _, name := range r.Bridge {
			if strings.Contains(name, "ticket_desk") && !seen[name] && (r.Answered || !answered) {
				seen[name] = true
				list = append(list, name)
			}
		}
	}
	return list
}
