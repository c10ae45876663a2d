// Package devin lists Devin CLI, of which no usage is read. It imports the contract of a
// harness; harnesses/all lists it.
package devin

import (
	"meterbridge/harnesses"
	"meterbridge/harnesses/roots"
	"meterbridge/harnesses/unread"
)

// Harness describes Devin CLI.
func Harness() harnesses.Harness {
	return unread.Harness("devin", "Devin CLI", func(env harnesses.Env) []harnesses.Root {
		l := roots.In(env)
		return l.InData("devin", "cli").All()
	}, "The format is not confirmed: it is known from other tools only, and no file of the program was at hand.")
}
