package daemon

import "meterbridge/bridge/sandbox"

// FenceCommand is the hidden command with which an extension's process begins.
const FenceCommand = sandbox.Command

// Fence becomes the program of an extension; it returns only when that failed.
func Fence(args []string) int { return sandbox.Main(args) }
