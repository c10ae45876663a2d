package qwencode

import (
	"io"
	"os"
	"path/filepath"
	"strings"

	"meterbridge/harnesses"
	"meterbridge/harnesses/jsonvalue"
	"meterbridge/harnesses/roots"
)

// settingsSize bounds the settings file that is looked into.
const settingsSize = 1 << 20

// places are the program's folder and, where a variable or a setting moves what
// it writes while it runs, that place too: older chats stay in the folder.
func places(env harnesses.Env) []harnesses.Root {
	l := roots.In(env)
	usual := l.Home(".qwen")
	base := usual
	if moved := env.Getenv("QWEN_HOME"); filepath.IsAbs(moved) {
		base = moved
	}
	l.Alias("QWEN_RUNTIME_DIR")
	if dir := runtimeDir(env, base); dir != "" && !filepath.IsAbs(env.Getenv("QWEN_RUNTIME_DIR")) {
		l.Also(dir)
	}
	return l.Moved("QWEN_HOME", usual).Alias("QWEN_DATA_DIR").All()
}

// runtimeDir is where the settings in the folder put chats; empty when they do not.
func runtimeDir(env harnesses.Env, folder string) string {
	f, err := os.Open(filepath.Join(folder, "settings.json"))
	if err != nil {
		return ""
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, settingsSize))
	if err != nil {
		return ""
	}
	o, _ := jsonvalue.Parse(text)
	dir := o.At("advanced", "runtimeOutputDir").Text()
	if rest, ok := strings.CutPrefix(dir, "~/"); ok {
		dir = filepath.Join(env.Home, filepath.FromSlash(rest))
	}
	if !filepath.IsAbs(dir) {
		return ""
	}
	return filepath.Clean(dir)
}
