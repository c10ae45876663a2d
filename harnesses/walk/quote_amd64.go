package walk

import "golang.org/x/sys/cpu"

// wide: the processor compares 32 bytes at once.
var wide = cpu.X86.HasAVX2 //nolint:gochecknoglobals // a fact of the machine

// quote64 is the place of the first quote that no backslash escapes among the n
// bytes at p, -1 when there is none; n is a multiple of 64 and not 0.
//
//go:noescape
func quote64(p *byte, n int) int
