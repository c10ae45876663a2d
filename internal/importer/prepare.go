package importer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"meterbridge/bridge"
	"meterbridge/bridge/imported"
	"meterbridge/bridge/manifest"
)

// Import says which server is to be imported and what it may do.
type Import struct {
	// Name is the package's.
	Name string
	// Command is an argv; empty with a URL.
	Command []string
	URL     string
	// AuthorizationEnv is the variable with the value of the header Authorization.
	AuthorizationEnv string
	// Env are variables that the server gets; those named in Secrets hold secrets.
	Env, Secrets []string
	// Hosts are those that a command may call, Local allows this machine.
	Hosts []string
	Local bool
	// Getenv is the environment.
	Getenv func(string) string
}

// connectTime is how long the one look at a server may take.
const connectTime = 10 * time.Second

// ErrNothing says that a server has no tools.
var ErrNothing = errors.New("the MCP server has no tools")

// lastWords keeps the end of what a server writes to its standard error.
type lastWords struct {
	mu   sync.Mutex
	text []byte
}

// Write implements io.Writer.
func (w *lastWords) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.text = append(w.text, b...)
	w.text = w.text[max(0, len(w.text)-2000):]
	return len(b), nil
}

// with adds to an error what the server said last.
func (w *lastWords) with(err error) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	said := strings.TrimSpace(string(w.text))
	if said == "" {
		return err
	}
	return fmt.Errorf("%w\nthe server said:\n%s", err, said)
}

// Prepare connects to the server once, lists its tools, and writes the package
// that stands for it into dir.
func Prepare(ctx context.Context, i Import, dir string) error {
	ctx, cancel := context.WithTimeout(ctx, connectTime)
	defer cancel()
	// What the server leaves behind while it is looked at is no part of the package.
	scratch, err := os.MkdirTemp("", "meterbridge-server-")
	if err != nil {
		return fmt.Errorf("make a folder for the MCP server: %w", err)
	}
	defer os.RemoveAll(scratch)
	server, err := i.server(scratch)
	if err != nil {
		return err
	}
	said := &lastWords{}
	server.Stderr = said
	c, err := imported.Connect(ctx, server)
	if err != nil {
		return said.with(err)
	}
	tools, err := c.Tools(ctx)
	if err = errors.Join(err, c.Close()); err != nil {
		return err
	}
	if len(tools) == 0 {
		return ErrNothing
	}
	text, err := json.MarshalIndent(i.manifest(tools), "", "  ")
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, manifest.ImportFile), text, 0o644)
	}
	if err != nil {
		return fmt.Errorf("write the package of the MCP server: %w", err)
	}
	return nil
}

// server is how it is reached while it is looked at: with no more of the
// environment than it will have.
func (i Import) server(dir string) (imported.Server, error) {
	s := imported.Server{Command: i.Command, URL: i.URL, Dir: dir, Env: []string{"HOME=" + dir, "TMPDIR=" + dir}}
	for _, name := range append([]string{"PATH", "LANG"}, i.Env...) {
		if value := i.Getenv(name); value != "" {
			s.Env = append(s.Env, name+"="+value)
		}
	}
	if i.AuthorizationEnv != "" {
		s.Authorization = i.Getenv(i.AuthorizationEnv)
	}
	if len(i.Command) == 0 {
		return s, imported.CheckURL(i.URL)
	}
	program, err := exec.LookPath(i.Command[0])
	if err != nil {
		return s, fmt.Errorf("find the MCP server: %w", err)
	}
	s.Command = append([]string{program}, i.Command[1:]...)
	return s, nil
}

// importVersion is that of every import: servers have none that could be compared.
const importVersion = "1.0.0"

func (i Import) manifest(tools []imported.Tool) manifest.Import {
	m := manifest.Import{
		ManifestVersion: 1, Protocol: 1, Name: i.Name, DisplayName: bridge.Localised{"en": i.Name}, Version: importVersion,
		Server: manifest.ImportServer{Command: i.Command, URL: i.URL, AuthorizationEnv: i.AuthorizationEnv},
		Env:    i.Env, SecretsEnv: i.Secrets, Permissions: i.permissions(),
	}
	if i.AuthorizationEnv != "" {
		m.Env, m.SecretsEnv = append(m.Env, i.AuthorizationEnv), append(m.SecretsEnv, i.AuthorizationEnv)
	}
	taken := map[string]bool{}
	for _, t := range tools {
		m.Tools = append(m.Tools, manifest.ImportTool{
			Name: localID(t.Name, taken), ServerName: t.Name, Title: t.Title, Description: described(t), InputSchema: t.Input, ReadOnly: t.ReadOnly,
		})
	}
	return m
}

func (i Import) permissions() (list []manifest.ImportPermitted) {
	hosts, local := i.Hosts, i.Local
	if u, err := url.Parse(i.URL); err == nil && u.Host != "" {
		if ip := net.ParseIP(u.Hostname()); u.Hostname() == "localhost" || ip != nil && ip.IsLoopback() {
			local = true
		} else {
			hosts = append(hosts, u.Host)
		}
	}
	if len(hosts) > 0 {
		list = append(list, manifest.ImportPermitted{ID: "network", Hosts: hosts})
	}
	if local {
		list = append(list, manifest.ImportPermitted{ID: "network.local"})
	}
	return list
}

// described is what a model is told; a server may say nothing.
func described(t imported.Tool) string {
	switch {
	case strings.TrimSpace(t.Description) != "":
		return t.Description
	case t.Title != "":
		return t.Title
	}
	return t.Name
}

// longestLocal is the longest local id.
const longestLocal = 40

// localID is a server's name for a tool in the letters that ours have; one that is
// taken gets a number.
func localID(name string, taken map[string]bool) string {
	var b strings.Builder
	for _, c := range strings.ToLower(name) {
		if c >= 'a' && c <= 'z' || c >= '0' && c <= '9' {
			b.WriteRune(c)
		} else {
			b.WriteByte('_')
		}
	}
	id := strings.Trim(b.String(), "_")
	for strings.Contains(id, "__") {
		id = strings.ReplaceAll(id, "__", "_")
	}
	if id == "" || id[0] < 'a' {
		id = "t_" + id
	}
	id = strings.TrimRight(id[:min(len(id), longestLocal)], "_")
	for n, base := 2, id; taken[id]; n++ {
		suffix := fmt.Sprintf("_%d", n)
		id = base[:min(len(base), longestLocal-len(suffix))] + suffix
	}
	taken[id] = true
	return id
}
