package userfile

import (
	"encoding/json"
	"fmt"
	"strings"

	"meterbridge/harnesses"
)

// The block that is put at the end of a YAML file stands between these lines.
const (
	yamlBegin = "# meterbridge hooks: begin"
	yamlEnd   = "# meterbridge hooks: end"
)

// yamlPut puts the hooks at the end of a YAML file. One that has hooks of its own is
// not changed: two keys of one name would be wrong, and theirs are theirs.
func yamlPut(text []byte, events []harnesses.HookEvent, command string) ([]byte, error) {
	if strings.Contains(string(text), yamlBegin) {
		return text, nil
	}
	for line := range strings.Lines(string(text)) {
		if name, _, ok := strings.Cut(line, ":"); ok && strings.Trim(name, `"'`) == "hooks" {
			return nil, fmt.Errorf("%w: it has hooks already; add below them:\n%s", ErrByHand, yamlBlock(events, command))
		}
	}
	before := string(text)
	if before != "" && !strings.HasSuffix(before, "\n") {
		before += "\n"
	}
	return []byte(before + yamlBegin + "\nhooks:\n" + yamlBlock(events, command) + yamlEnd + "\n"), nil
}

func yamlBlock(events []harnesses.HookEvent, command string) string {
	quoted, _ := json.Marshal(command) // JSON's strings are YAML's
	var b strings.Builder
	for _, e := range events {
		fmt.Fprintf(&b, "  %s:\n    - command: %s\n      timeout: %d\n", e.Name, quoted, e.Timeout)
	}
	return b.String()
}

// yamlInstalled are the events that have our hook.
func yamlInstalled(text []byte, events []harnesses.HookEvent, command string) (found []string) {
	for _, e := range events {
		if strings.Contains(string(text), yamlBlock([]harnesses.HookEvent{e}, command)) {
			found = append(found, e.Name)
		}
	}
	return found
}

// yamlTake removes our block.
func yamlTake(text []byte) []byte {
	before, rest, ok := strings.Cut(string(text), yamlBegin+"\n")
	_, after, closed := strings.Cut(rest, yamlEnd+"\n")
	if !ok || !closed {
		return text
	}
	return []byte(before + after)
}
