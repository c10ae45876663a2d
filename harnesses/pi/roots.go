package pi

import (
	"path/filepath"
	"slices"
	"strings"

	"meterbridge"
	"meterbridge/harnesses"
	"meterbridge/harnesses/treelog"
)

// kindSession is the layout of all sources.
const kindSession = "session"

// twin is a program that writes such sessions below a folder of its own.
type twin struct {
	// agent is its folder below the home folder.
	agent []string
	// agentVariable moves that folder, sessionVariables the sessions alone.
	agentVariable    string
	sessionVariables []string
}

func twins() []twin {
	return []twin{
		{[]string{".pi", "agent"}, "PI_CODING_AGENT_DIR", []string{"PI_CODING_AGENT_SESSION_DIR"}},
		{[]string{".omp", "agent"}, "", nil},
		{[]string{".prime", "agent"}, "PRIME_AGENT_CODING_AGENT_DIR", []string{"PRIME_AGENT_SESSION_DIR", "PRIME_AGENT_CODING_AGENT_SESSION_DIR"}},
		{[]string{".senpi", "agent"}, "SENPI_CODING_AGENT_DIR", []string{"SENPI_CODING_AGENT_SESSION_DIR"}},
		{[]string{".gjc", "agent"}, "GJC_CODING_AGENT_DIR", nil},
	}
}

// roots are the folders of sessions. One that a variable names is read beside
// the one of its agent folder, which holds what was written before it was set.
func roots(env harnesses.Env) []harnesses.Root {
	var all []harnesses.Root
	add := func(path, variable string, set bool) {
		if !slices.ContainsFunc(all, func(r harnesses.Root) bool { return r.Path == path }) {
			all = append(all, harnesses.Root{Path: path, Variable: variable, Set: set})
		}
	}
	for _, t := range twins() {
		agent, set := filepath.Join(append([]string{env.Home}, t.agent...)...), false
		if t.agentVariable != "" {
			if dir := env.Getenv(t.agentVariable); dir != "" {
				agent, set = expand(env.Home, dir), true
			}
		}
		add(filepath.Join(agent, "sessions"), t.agentVariable, set)
		for _, v := range t.sessionVariables {
			if dir := env.Getenv(v); dir != "" {
				add(expand(env.Home, dir), v, true)
			}
		}
	}
	if data := env.Getenv("XDG_DATA_HOME"); filepath.IsAbs(data) {
		add(filepath.Join(data, "omp", "sessions"), "XDG_DATA_HOME", true)
	}
	for _, dir := range strings.Split(env.Getenv("PI_AGENT_DIR"), ",") { // a name that other meters read
		if dir = strings.TrimSpace(dir); dir != "" {
			add(expand(env.Home, dir), "PI_AGENT_DIR", true)
		}
	}
	return all
}

// expand resolves ~ as the programs do, and makes the path absolute.
func expand(home, dir string) string {
	if dir == "~" {
		return home
	}
	if rest, ok := strings.CutPrefix(dir, "~/"); ok {
		return filepath.Join(home, rest)
	}
	if abs, err := filepath.Abs(dir); err == nil {
		return abs
	}
	return filepath.Clean(dir)
}

// claim takes every log of lines: sessions lie in a folder for each working
// directory, those of sub-agents a folder deeper.
func claim(rel string) (harnesses.Kind, bool) {
	return harnesses.Kind{Name: kindSession, Shape: harnesses.Lines}, strings.HasSuffix(rel, ".jsonl")
}

// skip keeps the walk out of what lies beside the sessions, where a root is the
// whole folder of the agent.
func skip(relDir string) bool {
	switch relDir[strings.LastIndexByte(relDir, '/')+1:] {
	case "node_modules", ".git", "bin", "logs", "extensions", "skills", "tools":
		return true
	}
	return false
}

// originOf tells what the path of a log says: its session, and the session
// whose sub-agent it is when it lies in a folder with a session's name.
func originOf(path string) treelog.Origin {
	dir, name := filepath.Split(path)
	o := treelog.Origin{Session: treelog.SessionOf(name)}
	if folder := filepath.Base(dir); treelog.SessionOf(folder) != folder {
		o.Parent, o.Relation = treelog.SessionOf(folder), meterbridge.SubAgent
	}
	return o
}
