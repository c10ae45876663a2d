// Package warp lists Warp, of which no usage is read. It imports the contract of a
// harness; harnesses/all lists it.
package warp

import (
	"meterbridge/harnesses"
	"meterbridge/harnesses/roots"
	"meterbridge/harnesses/unread"
)

// Harness describes Warp.
func Harness() harnesses.Harness {
	return unread.Harness("warp", "Warp", func(env harnesses.Env) []harnesses.Root {
		l := roots.In(env)
		return l.Also(l.Home(".local", "state", "warp-terminal")).All()
	}, "Its database has one total for each conversation and model, without input and output: it can be neither dated nor priced.")
}
