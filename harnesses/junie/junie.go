// Package junie lists Junie CLI, of which no usage is read. It imports the contract of a
// harness; harnesses/all lists it.
package junie

import (
	"meterbridge/harnesses"
	"meterbridge/harnesses/roots"
	"meterbridge/harnesses/unread"
)

// Harness describes Junie CLI.
func Harness() harnesses.Harness {
	return unread.Harness("junie", "Junie CLI", func(env harnesses.Env) []harnesses.Root {
		l := roots.In(env)
		return l.Also(l.Home(".junie", "sessions")).All()
	}, "The format is not confirmed: it is known from other tools only, and no file of the program was at hand.")
}
