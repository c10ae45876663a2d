package fleet

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"meterbridge"
	"meterbridge/agents"
	"meterbridge/internal/hooks"
)

// wire makes what a launch adds: the hooks' layer, the environment that names the
// agent, and the MCP server with a token of its own.
func (f *Fleet) wire(ctx context.Context, a meterbridge.Agent) (agents.Wiring, error) {
	w := agents.Wiring{
		Folder: filepath.Join(f.folder(a.ID), fmt.Sprint("launch-", a.Generation)), Getenv: f.o.Getenv, ReadFile: os.ReadFile,
	}
	if err := os.MkdirAll(w.Folder, 0o700); err != nil {
		return w, fmt.Errorf("make the launch's folder: %w", err)
	}
	if err := f.tokens.tool(f.o.Folder, a.ID); err != nil {
		return w, err
	}
	w.Server = &agents.MCPServer{Name: f.o.Server, Argv: []string{f.o.Program, "mcp", "--agent", a.ID}, Env: f.ownEnv()}
	var err error
	w.Layer, err = f.layer(ctx, a, w.Folder)
	return w, err
}

// layer is the hooks' part of a launch.
func (f *Fleet) layer(ctx context.Context, a meterbridge.Agent, folder string) (meterbridge.LaunchLayer, error) {
	h := f.of[a.Harness].Hooks
	url := f.o.HookURL()
	if h == nil || url == "" {
		return meterbridge.LaunchLayer{}, nil
	}
	var layer meterbridge.LaunchLayer
	if h.Layer != nil {
		layer = h.Layer(meterbridge.LaunchHooks{
			Dir: folder, URL: url, Forwarder: f.o.Forwarder, Version: f.version(ctx, a.Harness), WorkDir: a.Dir,
			Getenv: f.o.Getenv, ReadFile: os.ReadFile,
		})
	}
	token, err := f.tokens.hook(f.o.Folder, hooks.Spawn{Agent: a.ID, Generation: a.Generation})
	layer.Env = append(layer.Env, meterbridge.HookURLVariable+"="+url, meterbridge.HookTokenVariable+"="+token)
	return layer, err
}

// ownEnv are the variables by which this program finds its installation: not every
// agent hands its whole environment on to its MCP servers.
func (f *Fleet) ownEnv() map[string]string {
	env := map[string]string{}
	for _, name := range []string{"METERBRIDGE_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_RUNTIME_DIR"} {
		if v := f.o.Getenv(name); v != "" {
			env[name] = v
		}
	}
	return env
}

// versions remembers what programs said of their version, by path and time.
type versions struct {
	mu sync.Mutex
	of map[string]string
}

// versionLimit is how long a program may take to tell its version.
const versionLimit = 5 * time.Second

// version is that of the harness's program, empty when it does not tell.
func (f *Fleet) version(ctx context.Context, harness string) string {
	p, ok := f.o.Profiles[harness]
	if !ok || len(p.Version) == 0 || len(p.Program) == 0 {
		return ""
	}
	path, err := exec.LookPath(p.Program[0])
	if err != nil {
		return ""
	}
	key := path
	if info, err := os.Stat(path); err == nil {
		key += info.ModTime().String()
	}
	f.versions.mu.Lock()
	defer f.versions.mu.Unlock()
	if v, ok := f.versions.of[key]; ok {
		return v
	}
	ctx, cancel := context.WithTimeout(ctx, versionLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, p.Version...)
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	if err != nil {
		return ""
	}
	v := versionIn(string(out))
	if f.versions.of == nil {
		f.versions.of = map[string]string{}
	}
	f.versions.of[key] = v
	return v
}

// versionIn is the first word of a text that begins with a number and has a dot.
func versionIn(text string) string {
	for _, word := range strings.Fields(text) {
		word = strings.Trim(word, "v,()")
		if word != "" && word[0] >= '0' && word[0] <= '9' && strings.Contains(word, ".") {
			return word
		}
	}
	return ""
}
