package terminal

import (
	"fmt"
	"os"
	"strings"
)

// Shell is a shell that Run knows how to ask for its prompts; "" is any other program.
type Shell string

// The shells with prompt marks.
const (
	Bash Shell = "bash"
	Zsh  Shell = "zsh"
	Fish Shell = "fish"
)

// Spec says what to start.
type Spec struct {
	// Argv is the program and its arguments; for a Shell its name alone will do.
	Argv []string
	// Shell, when set, loads the marks that Run needs behind the user's own files.
	Shell Shell
	// Dir is the working folder; "" is the caller's.
	Dir string
	// Base is the environment that the program inherits; nil is the caller's.
	Base []string
	// Env is added to it, as "NAME=value".
	Env []string
	// Generation is the number of this start when the caller counts them; 0 is the
	// next one of the terminal.
	Generation int
	// Cols and Rows are the size; 0 means 80 and 24.
	Cols, Rows int
}

func (s *Spec) complete() {
	if s.Cols <= 0 {
		s.Cols = 80
	}
	if s.Rows <= 0 {
		s.Rows = 24
	}
	if s.Base == nil {
		s.Base = os.Environ()
	}
	if len(s.Argv) == 0 && s.Shell != "" {
		s.Argv = []string{string(s.Shell)}
	}
}

// nested are the variables by which Claude Code takes itself for started inside
// another one, and then writes no transcript. It is a list and no prefix: others
// of the same prefix are the user's settings.
func nested() []string {
	return []string{
		"CLAUDECODE", "CLAUDE_PID", "CLAUDE_EFFORT", "AI_AGENT", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SSE_PORT",
		"CLAUDE_CODE_SESSION_ID", "CLAUDE_CODE_PARENT_SESSION_ID", "CLAUDE_CODE_CHILD_SESSION",
		"CLAUDE_CODE_SESSION_ATTENDED", "CLAUDE_CODE_EXECPATH", "CLAUDE_CODE_MESSAGING_SOCKET", "CLAUDE_CODE_MESSAGING_TOKEN",
	}
}

// environment is what a program of a generation of the terminal gets: the
// inherited variables, without those of a nested agent and of a terminal that it
// is not in, then ours, then those of the caller.
func (t *Terminal) environment(spec Spec, generation int) []string {
	dropped := map[string]bool{}
	for _, name := range append(nested(), "TERM", "COLORTERM", "COLUMNS", "LINES", "PWD", "OLDPWD", "METERBRIDGE_AGENT", "METERBRIDGE_GENERATION") {
		dropped[name] = true
	}
	var env []string
	for _, v := range spec.Base {
		if name, _, _ := strings.Cut(v, "="); !dropped[strings.ToUpper(name)] {
			env = append(env, v)
		}
	}
	env = append(env,
		"TERM=xterm-256color", "COLORTERM=truecolor",
		"METERBRIDGE_AGENT="+t.id, fmt.Sprintf("METERBRIDGE_GENERATION=%d", generation))
	if spec.Dir != "" {
		env = append(env, "PWD="+spec.Dir)
	}
	return append(env, spec.Env...)
}
