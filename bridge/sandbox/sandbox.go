// Package sandbox is the last step before an extension's own program: a process
// of ours that takes limits and, where the kernel has Landlock, a fence of files
// and connections upon itself and then becomes the program. The ruleset holds for
// the thread that asks for it, so the same thread calls exec. It imports nothing
// of the project; bridge/host starts it, the program's main calls Main.
package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
)

// Command is the hidden command that starts a program inside the fence:
// PROGRAM Command POLICY -- ARGV.
const Command = "__sandbox"

// Policy is the fence of one extension. Paths are absolute.
type Policy struct {
	// Read are files and folders that may be read and executed, Write folders that
	// may be changed too. What does not exist is left out.
	Read  []string `json:"read,omitempty"`
	Write []string `json:"write,omitempty"`
	// Connect allows TCP connections.
	Connect bool `json:"connect,omitempty"`
	// Files is how many files may be open, CPUSeconds how long it may compute; 0
	// leaves what is.
	Files      uint64 `json:"files,omitempty"`
	CPUSeconds uint64 `json:"cpuSeconds,omitempty"`
}

// ErrUsage says that the hidden command was called by somebody else.
var ErrUsage = errors.New("this command is for extensions only")

// Argv is the command that runs argv inside the fence.
func (p Policy) Argv(program string, argv []string) ([]string, error) {
	text, err := json.Marshal(p)
	if err != nil {
		return nil, fmt.Errorf("write a policy: %w", err)
	}
	return append([]string{program, Command, string(text), "--"}, argv...), nil
}

// Main becomes the program that args (POLICY -- ARGV) name. It returns only when
// that failed, with the exit code.
func Main(args []string) int {
	err := run(args)
	fmt.Fprintln(os.Stderr, "meterbridge:", err)
	return 126
}

func run(args []string) error {
	if len(args) < 3 || args[1] != "--" {
		return ErrUsage
	}
	var p Policy
	if err := json.Unmarshal([]byte(args[0]), &p); err != nil {
		return fmt.Errorf("read the policy: %w", err)
	}
	return become(p, args[2:])
}
