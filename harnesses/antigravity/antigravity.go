// Package antigravity lists Antigravity, of which no usage is read. It imports the contract of a
// harness; harnesses/all lists it.
package antigravity

import (
	"meterbridge/harnesses"
	"meterbridge/harnesses/roots"
	"meterbridge/harnesses/unread"
)

// Harness describes Antigravity.
func Harness() harnesses.Harness {
	return unread.Harness("antigravity", "Antigravity", func(env harnesses.Env) []harnesses.Root {
		l := roots.In(env)
		return l.Also(l.Home(".gemini", "antigravity", "conversations")).Also(l.Home(".gemini", "antigravity-cli", "conversations")).All()
	}, "The format is not confirmed: it is known from other tools only, and no file of the program was at hand.")
}
