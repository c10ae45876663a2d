//go:build clients

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// These tests run programs of others, which npm installs once into the user's
// cache: `make test-clients`. Where that is impossible they fail.

const inspectorVersion = "2.12.0"

// inspector is the MCP Inspector's command line.
type inspector struct {
	*machine
	program string
}

func newInspector(t *testing.T) *inspector {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(cache, "meterbridge-tests", "inspector-"+inspectorVersion)
	program := filepath.Join(dir, "node_modules", ".bin", "mcp-inspector")
	if _, err := os.Stat(program); err != nil {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		c := exec.CommandContext(t.Context(), "npm", "install", "--prefix", dir, "--no-audit", "--no-fund",
			"@modelcontextprotocol/inspector@"+inspectorVersion)
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("install the MCP Inspector (node and npm are needed, and the registry): %v\n%s", err, out)
		}
	}
	return &inspector{newMachine(t), program}
}

// run runs the Inspector and returns what it printed and its exit code.
func (i *inspector) run(args ...string) (string, int) {
	i.t.Helper()
	c := exec.CommandContext(i.t.Context(), i.program, append([]string{"--cli"}, args...)...)
	c.Dir = i.dir
	c.Env = append(os.Environ(), "MCP_CATALOG_PATH="+filepath.Join(i.dir, "catalog.json"))
	var out, errOut bytes.Buffer
	c.Stdout, c.Stderr = &out, &errOut
	err := c.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		i.t.Fatal(err)
	}
	if s := errOut.String(); s != "" {
		i.t.Logf("inspector %s: %s", strings.Join(args, " "), s)
	}
	return out.String(), c.ProcessState.ExitCode()
}

// check lists the tools in every era through one way to the server, and calls all
// of them in one era, two in the others.
func (i *inspector) check(whole string, way func(args ...string) []string) {
	i.t.Helper()
	for _, era := range []string{"legacy", "modern", "auto"} {
		ask := func(args ...string) (string, int) {
			i.t.Helper()
			return i.run(way(append([]string{"--protocol-era", era}, args...)...)...)
		}
		out, code := ask("--method", "tools/list", "--strict")
		var list struct {
			Tools []struct{ Name string }
		}
		if err := json.Unmarshal([]byte(out), &list); err != nil || code != 0 {
			i.t.Fatalf("%s: exit %d, %v: %.500s", era, code, err, out)
		}
		var names []string
		for _, tool := range list.Tools {
			names = append(names, tool.Name)
		}
		want := []string{"meter_budget", "meter_explain", "meter_pricing", "meter_sessions", "meter_timeline", "meter_usage"}
		if d := cmp.Diff(want, names); d != "" {
			i.t.Errorf("%s: tools (-want +got)\n%s", era, d)
		}
		for _, c := range []struct {
			tool, arg, want string
			code            int
		}{
			{"meter_usage", "by=month", "4 rows by month (UTC): 16 requests, 64940 tokens", 0},
			{"meter_sessions", "last=3", "The newest 3 sessions.", 0},
			{"meter_timeline", "session=aaaa1111-0000-4000-8000-000000000001", "claude-code session aaaa1111-0000-4000-8000-000000000001:", 0},
			{"meter_explain", "session=aaaa1111-0000-4000-8000-000000000001", "which adds up to what reports show", 0},
			{"meter_budget", "weekStart=sunday", "The user has set no budget", 0},
			{"meter_pricing", "model=claude-sonnet-4-5", "prices of claude-sonnet-4-5.", 0},
			{"meter_usage", "by=year", "INVALID_PARAMS: `/by`: must be one of day", 5},
		} {
			if era != whole && c.tool != "meter_usage" {
				continue
			}
			out, code := ask("--method", "tools/call", "--tool-name", c.tool, "--tool-arg", c.arg, "--format", "json", "-q")
			var answer struct {
				Result struct {
					Content    []struct{ Text string }
					Structured map[string]any `json:"structuredContent"`
				}
			}
			err := json.Unmarshal([]byte(out), &answer)
			r := answer.Result
			if err != nil || code != c.code || len(r.Content) == 0 || !strings.Contains(r.Content[0].Text, c.want) || c.code == 0 && r.Structured == nil {
				i.t.Errorf("%s: %s %s: exit %d, %v: %.500s\nwant exit %d and %q", era, c.tool, c.arg, code, err, out, c.code, c.want)
			}
		}
	}
}

func TestInspector_Stdio(t *testing.T) {
	i := newInspector(t)
	i.check("legacy", func(args ...string) []string {
		for _, pair := range i.env {
			args = append(args, "-e", pair)
		}
		return append(args, "--", os.Args[0], "mcp")
	})
}

func TestInspector_HTTP(t *testing.T) {
	i := newInspector(t)
	s := i.serve()
	out, errOut, code := i.ask("token", "new", "--scope", "mcp", "--json")
	var made struct{ Token string }
	if err := json.Unmarshal([]byte(out), &made); err != nil || code != 0 || made.Token == "" {
		t.Fatalf("a token: %v, exit %d: %s%s", err, code, out, errOut)
	}
	i.check("modern", func(args ...string) []string {
		return append([]string{s.url + "/mcp", "--transport", "http", "--header", "Authorization: Bearer " + made.Token}, args...)
	})
	if err := s.process.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := <-s.ended; err != nil {
		t.Errorf("the daemon ended with %v", err)
	}
}
