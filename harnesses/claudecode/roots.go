package claudecode

import (
	"os"
	"path"
	"path/filepath"
	"strings"

	"meterbridge/harnesses"
)

const rootVariable = "CLAUDE_CONFIG_DIR"

// The layouts of files.
const (
	kindTranscript = "transcript"
	kindAgent      = "agent-transcript"
	kindAgentMeta  = "agent-meta"
)

// roots are the configuration folders: the variable's, else ~/.claude and the
// place below the XDG folder that some 1.0 builds used.
func roots(env harnesses.Env) []harnesses.Root {
	if value := env.Getenv(rootVariable); value != "" {
		return configured(value)
	}
	xdg, set := env.Getenv("XDG_CONFIG_HOME"), true
	if xdg == "" {
		xdg, set = filepath.Join(env.Home, ".config"), false
	}
	return distinct([]harnesses.Root{
		{Path: filepath.Join(env.Home, ".claude"), Variable: rootVariable},
		{Path: filepath.Join(xdg, "claude"), Variable: "XDG_CONFIG_HOME", Set: set},
	})
}

// configured reads the variable's value. Claude Code takes it as one folder,
// whose name may hold a comma; a list is a convenience of ours, so it is split
// only where no such folder exists.
func configured(value string) []harnesses.Root {
	parts := []string{value}
	if strings.Contains(value, ",") {
		if _, err := os.Stat(value); err != nil {
			parts = strings.Split(value, ",")
		}
	}
	var out []harnesses.Root
	for _, p := range parts {
		if p = strings.TrimSpace(p); p != "" {
			out = append(out, harnesses.Root{Path: filepath.Clean(p), Variable: rootVariable, Set: true})
		}
	}
	return distinct(out)
}

func distinct(in []harnesses.Root) []harnesses.Root {
	seen := map[string]bool{}
	out := in[:0]
	for _, r := range in {
		if !seen[r.Path] {
			seen[r.Path] = true
			out = append(out, r)
		}
	}
	return out
}

// claim tells the sources below projects/ from what never holds usage.
func claim(rel string) (harnesses.Kind, bool) {
	if !strings.HasPrefix(rel, "projects/") {
		return harnesses.Kind{}, false
	}
	name := path.Base(rel)
	switch {
	case strings.HasPrefix(name, "agent-") && strings.HasSuffix(name, ".meta.json"):
		return harnesses.Kind{Name: kindAgentMeta, Shape: harnesses.Document}, true
	case !strings.HasSuffix(name, ".jsonl"), name == "history.jsonl", name == "resume-head.jsonl":
		return harnesses.Kind{}, false
	case strings.HasPrefix(name, "agent-"):
		return harnesses.Kind{Name: kindAgent, Shape: harnesses.Lines}, true
	}
	return harnesses.Kind{Name: kindTranscript, Shape: harnesses.Lines}, true
}

// skip names the folders that hold no transcripts: all but projects/, and the
// stored outputs of tools.
func skip(relDir string) bool {
	switch {
	case relDir == "" || relDir == "." || relDir == "projects":
		return false
	case !strings.HasPrefix(relDir, "projects/"):
		return true
	}
	return path.Base(relDir) == "tool-results"
}

// place is what the path of a source tells: the session that a file is named
// after, and the agent of a sub-agent's file. Rows decide where they say more.
func pathNames(rel string) (session, agent string) {
	dir, name := path.Split(rel)
	name = strings.TrimSuffix(strings.TrimSuffix(name, ".jsonl"), ".meta.json")
	if !strings.HasPrefix(name, "agent-") {
		return name, ""
	}
	if before, _, ok := strings.Cut(dir, "/subagents/"); ok {
		session = path.Base(before)
	}
	return session, strings.TrimPrefix(name, "agent-")
}
