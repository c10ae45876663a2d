//go:build clients && unix

package main

import (
	"strings"
	"testing"
)

// An agent's credential lists and calls a tool of an extension in every era, over HTTP
// and over the relay that speaks for the agent.
func TestInspector_ExtensionTool(t *testing.T) {
	i := newInspector(t)
	m, s, agent, token := linked(t, "")
	i.machine = m
	ways := map[string]func(args ...string) []string{
		"http": func(args ...string) []string {
			return append([]string{s.url + "/mcp", "--transport", "http", "--header", "Authorization: Bearer " + token}, args...)
		},
		"stdio": func(args ...string) []string {
			for _, pair := range m.env {
				args = append(args, "-e", pair)
			}
			return append(args, "--", m.command().Path, "mcp", "--agent", agent)
		},
	}
	for name, way := range ways {
		for _, era := range []string{"legacy", "modern", "auto"} {
			out, code := i.run(way("--protocol-era", era, "--method", "tools/list", "--strict")...)
			if code != 0 || !strings.Contains(out, `"ticket_desk_open"`) || !strings.Contains(out, "community code") {
				t.Errorf("%s, %s: list: exit %d: %.500s", name, era, code, out)
			}
			out, code = i.run(way("--protocol-era", era, "--method", "tools/call", "--tool-name", "ticket_desk_open", "--format", "json", "-q")...)
			if code != 0 || !strings.Contains(out, "DESK-12") {
				t.Errorf("%s, %s: call: exit %d: %.500s", name, era, code, out)
			}
		}
	}
	m.must("agents", "stop", "anna")
	m.over(s)
}
