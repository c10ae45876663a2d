// Command meterbridge shows what coding agents used and cost, and why. This
// package holds one file per command: each parses flags, asks internal/daemon,
// and prints. Nothing here knows a database, a log format or a price.
package main

import (
	"context"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"meterbridge/internal/daemon"
	"meterbridge/internal/holder"
	"meterbridge/internal/importer"
)

// version is set by the linker.
var version = "dev" //nolint:gochecknoglobals // the linker needs a variable

// softMemory is the size of the Go heap above which garbage is collected
// eagerly, in bytes: a first scan makes much garbage quickly, and what lives is
// far less. GOMEMLIMIT in the environment says otherwise.
const softMemory = 96 << 20

// garbage is how much of it may gather, in percent of what lives, below that: a
// command that ends soon has half as many collections as with the usual 100.
const garbage = 200

func main() {
	if len(os.Args) > 1 && os.Args[1] == daemon.FenceCommand {
		os.Exit(daemon.Fence(os.Args[2:]))
	}
	if len(os.Args) > 1 && os.Args[1] == hookCommand {
		forwardHook(os.Args[2:])
		return
	}
	if len(os.Args) == 2 && os.Args[1] == holder.Command {
		os.Exit(holder.Main()) // before anything that such a small process does not need
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(softMemory)
	}
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(garbage)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	var code int
	if len(os.Args) > 1 && os.Args[1] == importer.Command {
		code = importer.Main(ctx, os.Args[2:], os.Stdin, os.Stdout)
	} else {
		code = run(ctx, os.Args[1:], systemTerminal())
	}
	stop()
	os.Exit(code)
}
