// Command meterbridge-lite does what must start fast and stay small: it prints
// the status line from the daemon, hands hooks on to it and holds terminals. It links neither a database nor a command
// library; everything else is meterbridge's.
package main

import (
	"fmt"
	"os"
	"time"

	"meterbridge/internal/config"
	"meterbridge/internal/holder"
	"meterbridge/internal/hooks/forward"
	"meterbridge/internal/statusline"
)

// version is set by the linker.
var version = "dev" //nolint:gochecknoglobals // the linker needs a variable

const usage = `usage: meterbridge-lite statusline

Prints one line on usage and cost from the daemon of ` + "`meterbridge serve`" + `, or its
last one when none runs. Give it to Claude Code as its status line command, or
put it into a shell prompt.
`

func main() { os.Exit(run(os.Args[1:])) }

func run(args []string) int {
	if len(args) > 0 && args[0] == "hook" {
		paths := config.Locate(os.Getenv)
		places := forward.Places{Socket: paths.Socket(), Token: paths.HookToken(), Spool: paths.HookSpool()}
		forward.Command(args[1:], places, os.Getenv, os.Stdin, os.Stdout)
		return 0 // whatever happened: a harness shows its user every other code
	}
	if len(args) != 1 {
		fmt.Fprint(os.Stderr, usage)
		return 2
	}
	switch args[0] {
	case "statusline":
		paths := config.Locate(os.Getenv)
		if err := statusline.Print(statusline.Places{Socket: paths.Socket(), Last: paths.LastStatusLine()}, os.Stdin, os.Stdout, time.Now()); err != nil {
			fmt.Fprintf(os.Stderr, "meterbridge-lite: %v\nhint: `meterbridge serve` starts the daemon\n", err)
			return 3
		}
	case "hold":
		return holder.Main()
	case "version", "--version":
		fmt.Println(version)
	case "help", "-h", "--help":
		fmt.Print(usage)
	default:
		fmt.Fprint(os.Stderr, usage)
		return 2
	}
	return 0
}
