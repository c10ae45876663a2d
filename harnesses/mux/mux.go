// Package mux lists Mux, of which no usage is read. It imports the contract of a
// harness; harnesses/all lists it.
package mux

import (
	"meterbridge/harnesses"
	"meterbridge/harnesses/roots"
	"meterbridge/harnesses/unread"
)

// Harness describes Mux.
func Harness() harnesses.Harness {
	return unread.Harness("mux", "Mux", func(env harnesses.Env) []harnesses.Root {
		l := roots.In(env)
		return l.Also(l.Home(".xum", "sessions")).Also(l.Home(".mux", "sessions")).Also(l.Home(".cmux", "sessions")).All()
	}, "The totals of a workspace hold those of workspaces that were rolled up into it, and how much is not confirmed: no file of the program was at hand.")
}
