package agents

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"meterbridge"
)

// MCPServer is the server that a launched agent gets.
type MCPServer struct {
	// Name is that in the agent's configuration, Argv starts it.
	Name string
	Argv []string
	// Env is what it needs of the environment beyond what every program has.
	Env map[string]string
}

// Wiring is what a launch adds so that the agent tells of itself and is served.
type Wiring struct {
	// Layer is that of the hooks; the zero value is none.
	Layer meterbridge.LaunchLayer
	// Server is nil for an agent that gets none.
	Server *MCPServer
	// Folder is the launch's own; files are made below it.
	Folder string
	// Getenv and ReadFile see the user's own configuration.
	Getenv   func(string) string
	ReadFile func(string) ([]byte, error)
}

// Plan is a launch as it is carried out.
type Plan struct {
	// Argv and Env are the program's; Session is the id that it was given, or was
	// told to resume, empty when it chooses its own.
	Argv, Env []string
	Session   string
	// Files are made, with mode 0600, before the start.
	Files []meterbridge.LaunchFile
}

// plan lays out a launch. session is that to resume, or for a new one an id to
// choose; resume tells which.
func plan(p *meterbridge.LaunchProfile, a *meterbridge.Agent, session string, resume bool, w Wiring) (Plan, error) {
	words := newWords(a, session, w)
	made := Plan{Argv: slices.Clone(p.Program), Env: slices.Clone(p.Env)}
	add := func(args []string) { made.Argv = append(made.Argv, words.fill(args)...) }
	switch {
	case resume && p.Resume == nil:
		return made, fmt.Errorf("%w: resume a session", ErrCannot)
	case resume:
		add(p.Resume)
		made.Session = session
	case p.ChoosesSession():
		add(p.New)
		made.Session = session
	default:
		add(p.New)
	}
	add(p.Always)
	made.Argv = append(made.Argv, w.Layer.Args...)
	if w.Server != nil {
		add(p.MCPArgs)
	}
	if err := wishes(p, a, add); err != nil {
		return made, err
	}
	made.Argv = append(made.Argv, a.Argv...)
	made.Env = append(made.Env, w.Layer.Env...)
	made.Files = slices.Clone(w.Layer.Files)
	return made, made.configure(p, words, w)
}

// wishes adds what the person asked for.
func wishes(p *meterbridge.LaunchProfile, a *meterbridge.Agent, add func([]string)) error {
	if a.Model != "" {
		if p.Model == nil {
			return fmt.Errorf("%w: choose a model", ErrCannot)
		}
		add(p.Model)
	}
	if a.Dangerous {
		if p.Dangerous == nil && !p.DangerousByHook {
			return fmt.Errorf("%w: act without asking", ErrCannot)
		}
		add(p.Dangerous)
	}
	if a.Trust {
		add(p.Trust)
	}
	return nil
}

// configure adds the files by which the agent gets its MCP server.
func (m *Plan) configure(p *meterbridge.LaunchProfile, words words, w Wiring) error {
	if w.Server == nil {
		return nil
	}
	if p.MCPFile != "" {
		m.Files = append(m.Files, meterbridge.LaunchFile{Path: words.file, Content: []byte(words.text(p.MCPFile))})
	}
	if p.MCPConfig == "" {
		return nil
	}
	name := p.ConfigVariable + "="
	path := ""
	for _, v := range m.Env {
		if rest, ok := strings.CutPrefix(v, name); ok {
			path = rest
		}
	}
	if path == "" {
		path = filepath.Join(w.Folder, "config.json")
		m.Env = append(m.Env, name+path)
	}
	index := slices.IndexFunc(m.Files, func(f meterbridge.LaunchFile) bool { return f.Path == path })
	if index < 0 {
		m.Files = append(m.Files, meterbridge.LaunchFile{Path: path, Content: ownConfig(p.ConfigVariable, w)})
		index = len(m.Files) - 1
	}
	merged, err := mergeJSON(m.Files[index].Content, []byte(words.text(p.MCPConfig)))
	if err != nil {
		return fmt.Errorf("add the MCP server to %s: %w", path, err)
	}
	m.Files[index].Content = merged
	return nil
}

// ownConfig is the file that the user's own variable names; an empty object without one.
func ownConfig(variable string, w Wiring) []byte {
	if path := w.Getenv(variable); path != "" && w.ReadFile != nil {
		if text, err := w.ReadFile(path); err == nil && json.Valid(text) {
			return text
		}
	}
	return []byte("{}")
}

// mergeJSON puts the members of one object over those of another, object by object.
func mergeJSON(under, over []byte) ([]byte, error) {
	var a, b map[string]any
	if err := json.Unmarshal(under, &a); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(over, &b); err != nil {
		return nil, err
	}
	return json.MarshalIndent(merged(a, b), "", "  ")
}

func merged(a, b map[string]any) map[string]any {
	if a == nil {
		a = map[string]any{}
	}
	for k, v := range b {
		under, ok := a[k].(map[string]any)
		over, both := v.(map[string]any)
		if ok && both {
			v = merged(under, over)
		}
		a[k] = v
	}
	return a
}

// words fill in the words in braces of a profile.
type words struct {
	*strings.Replacer
	file string
}

func newWords(a *meterbridge.Agent, session string, w Wiring) words {
	file := filepath.Join(w.Folder, "mcp.json")
	pairs := []string{"{session}", session, "{model}", a.Model, "{dir}", a.Dir, "{dir-json}", jsonText(a.Dir), "{file}", file}
	if s := w.Server; s != nil {
		pairs = append(pairs, "{server}", s.Name, "{command}", jsonText(s.Argv[0]), "{args}", jsonText(s.Argv[1:]),
			"{argv}", jsonText(s.Argv), "{env}", jsonText(s.Env), "{env-toml}", tomlTable(s.Env))
	}
	return words{strings.NewReplacer(pairs...), file}
}

func (w words) text(s string) string { return w.Replace(s) }

func (w words) fill(args []string) []string {
	filled := make([]string, len(args))
	for i, a := range args {
		filled[i] = w.Replace(a)
	}
	return filled
}

// jsonText is v as JSON without escapes that only browsers need: TOML reads it too.
func jsonText(v any) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(v) != nil {
		return "null" // strings, lists and maps of them can always be written
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// tomlTable is an inline table of TOML, its keys in order.
func tomlTable(m map[string]string) string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	for i, k := range keys {
		keys[i] = k + "=" + jsonText(m[k])
	}
	return "{" + strings.Join(keys, ",") + "}"
}
