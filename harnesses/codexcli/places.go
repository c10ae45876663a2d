package codexcli

import (
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"

	"meterbridge/harnesses"
	"meterbridge/harnesses/tomltext"
)

// roots are CODEX_HOME, else ~/.codex, CODEX_SQLITE_HOME where it is set, and the
// folder of the databases that the settings in those homes name.
// CODEX_HOME is one folder; a list with commas is taken apart only when no
// folder has that whole name.
func roots(env harnesses.Env) []harnesses.Root {
	var all []harnesses.Root
	if home := env.Getenv("CODEX_HOME"); home != "" {
		for _, p := range folders(home) {
			all = add(all, harnesses.Root{Path: p, Variable: "CODEX_HOME", Set: true})
		}
	} else if env.Home != "" {
		all = add(all, harnesses.Root{Path: filepath.Join(env.Home, ".codex"), Variable: "CODEX_HOME"})
	}
	if db := env.Getenv("CODEX_SQLITE_HOME"); db != "" {
		all = add(all, harnesses.Root{Path: absolute(db), Variable: "CODEX_SQLITE_HOME", Set: true})
	}
	for _, home := range all {
		if db := configured(home.Path, env.Home); db != "" {
			all = add(all, harnesses.Root{Path: db})
		}
	}
	return all
}

// configLimit is more than any settings take.
const configLimit = 1 << 20

// configured is the folder of the databases that the settings in a home name;
// empty where they name none.
func configured(home, user string) string {
	name := filepath.Join(home, "config.toml")
	if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() { // a pipe would be waited for
		return ""
	}
	f, err := os.Open(name)
	if err != nil {
		return ""
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, configLimit))
	if err != nil {
		return ""
	}
	db, ok := tomltext.Top(text, "sqlite_home")
	switch {
	case !ok || strings.TrimSpace(db) == "":
		return ""
	case db == "~" || strings.HasPrefix(db, "~/"):
		return filepath.Join(user, strings.TrimPrefix(db, "~"))
	case filepath.IsAbs(db):
		return filepath.Clean(db)
	}
	return filepath.Join(home, db)
}

func folders(value string) []string {
	if !strings.Contains(value, ",") || isDir(value) {
		return []string{absolute(value)}
	}
	var all []string
	for _, part := range strings.Split(value, ",") {
		if part = strings.TrimSpace(part); part != "" {
			all = append(all, absolute(part))
		}
	}
	return all
}

func isDir(p string) bool {
	info, err := os.Stat(p)
	return err == nil && info.IsDir()
}

func absolute(p string) string {
	if abs, err := filepath.Abs(p); err == nil {
		return abs
	}
	return filepath.Clean(p)
}

func add(all []harnesses.Root, r harnesses.Root) []harnesses.Root {
	for _, old := range all {
		if old.Path == r.Path {
			return all
		}
	}
	return append(all, r)
}

// claim knows a source by its place below the root.
func claim(rel string) (harnesses.Kind, bool) {
	dir, base := path.Split(rel)
	switch {
	case rel == "session_index.jsonl":
		return harnesses.Kind{Name: kindIndex, Shape: harnesses.Lines}, true
	case dir == "" && stateNumber(base) >= 0:
		return harnesses.Kind{Name: kindState, Shape: harnesses.Database}, true
	case !strings.HasPrefix(base, "rollout-") || !inSessions(dir):
		return harnesses.Kind{}, false
	case strings.HasSuffix(base, ".jsonl"):
		return harnesses.Kind{Name: kindRollout, Shape: harnesses.Lines}, true
	case strings.HasSuffix(base, ".jsonl.zst"):
		return harnesses.Kind{Name: kindCompressed, Shape: harnesses.CompressedLines}, true
	case strings.HasSuffix(base, ".json"):
		return harnesses.Kind{Name: kindOld, Shape: harnesses.Document}, true
	}
	return harnesses.Kind{}, false
}

func inSessions(dir string) bool {
	return strings.HasPrefix(dir, "sessions/") || strings.HasPrefix(dir, "archived_sessions/")
}

// skip enters the folders of rollouts only: the others hold logs, caches and
// locks, some of them many files.
func skip(relDir string) bool {
	return relDir != "" && relDir != "." && !inSessions(relDir+"/")
}

func companion(p string) string {
	if strings.HasSuffix(p, ".sqlite") {
		return p + "-wal"
	}
	return ""
}

// threadOfName is the thread id in a rollout's name
// (rollout-YYYY-MM-DDThh-mm-ss-ID.jsonl), for logs that lost their first line.
func threadOfName(p string) string {
	base := path.Base(filepath.ToSlash(p))
	base = strings.TrimSuffix(base, ".zst")
	base = strings.TrimSuffix(strings.TrimSuffix(base, ".jsonl"), ".json")
	name := strings.TrimPrefix(base, "rollout-")
	const stamp = len("2026-11-30T11-19-24-")
	if len(name) > stamp && name[10] == 'T' && name[stamp-1] == '-' {
		return name[stamp:]
	}
	return name
}
