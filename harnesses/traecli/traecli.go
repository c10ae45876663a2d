// Package traecli lists Trae CLI, of which no usage is read. It imports the contract of a
// harness; harnesses/all lists it.
package traecli

import (
	"meterbridge/harnesses"
	"meterbridge/harnesses/roots"
	"meterbridge/harnesses/unread"
)

// Harness describes Trae CLI.
func Harness() harnesses.Harness {
	return unread.Harness("trae-cli", "Trae CLI", func(env harnesses.Env) []harnesses.Root {
		l := roots.In(env)
		return l.Also(l.Home(".cache", "trae-cli", "sessions")).All()
	}, "Whether its input holds the cache is not confirmed: no file of the program was at hand.")
}
