package terminal

import (
	"crypto/rand"
	_ "embed"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
)

//go:embed shell/bash.sh
var bashStart string

//go:embed shell/zsh.env
var zshEnv string

//go:embed shell/zsh.rc
var zshStart string

//go:embed shell/fish.fish
var fishStart string

// integration is how a program is started so that its prompts are marked.
type integration struct {
	argv, env []string
	// nonce is in every mark of this start, so that no other program's marks count.
	nonce   string
	cleanup func()
}

// integrate prepares the start of a spec. For a shell it writes start-up files
// that load the user's own first; the shell deletes them, cleanup the rest.
func integrate(spec Spec, env []string, folder string) (integration, error) {
	in := integration{argv: spec.Argv, env: env, cleanup: func() {}}
	files := filesOf(spec.Shell)
	if len(files) == 0 {
		return in, nil
	}
	dir, err := os.MkdirTemp(folder, "meterbridge-shell-")
	if err != nil {
		return in, err
	}
	in.cleanup = func() { os.RemoveAll(dir) }
	in.nonce = nonce()
	fill := strings.NewReplacer("@NONCE@", in.nonce, "@FOLDER@", quoted(dir), "@ZDOTDIR@", quoted(valueOf(env, "ZDOTDIR")))
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(fill.Replace(text)), 0o600); err != nil {
			in.cleanup()
			return in, err
		}
	}
	in.start(spec, dir)
	return in, nil
}

func filesOf(shell Shell) map[string]string {
	switch shell {
	case Bash:
		return map[string]string{"bashrc": bashStart}
	case Zsh:
		return map[string]string{".zshenv": zshEnv, ".zshrc": zshStart}
	case Fish:
		return map[string]string{"init.fish": fishStart}
	}
	return nil
}

// start adds to the command line and the environment what loads the files.
func (in *integration) start(spec Spec, dir string) {
	rest := spec.Argv[1:]
	switch spec.Shell {
	case Bash:
		in.argv = append([]string{spec.Argv[0], "--rcfile", filepath.Join(dir, "bashrc"), "-i"}, rest...)
	case Zsh:
		in.argv = append([]string{spec.Argv[0], "-i"}, rest...)
		in.env = append(in.env, "ZDOTDIR="+dir)
	case Fish:
		in.argv = append([]string{spec.Argv[0], "-i", "-C", "source " + quoted(filepath.Join(dir, "init.fish"))}, rest...)
	}
}

func nonce() string {
	b := make([]byte, 8)
	rand.Read(b) // it never fails
	return hex.EncodeToString(b)
}

// quoted is a word of any of the shells.
func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// valueOf is the last value of a variable of an environment.
func valueOf(env []string, name string) string {
	value := ""
	for _, v := range env {
		if rest, ok := strings.CutPrefix(v, name+"="); ok {
			value = rest
		}
	}
	return value
}
