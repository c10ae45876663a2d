// Package codebuff lists Codebuff, of which no usage is read. It imports the contract of a
// harness; harnesses/all lists it.
package codebuff

import (
	"meterbridge/harnesses"
	"meterbridge/harnesses/roots"
	"meterbridge/harnesses/unread"
)

// Harness describes Codebuff.
func Harness() harnesses.Harness {
	return unread.Harness("codebuff", "Codebuff", func(env harnesses.Env) []harnesses.Root {
		l := roots.In(env)
		return l.Also(l.Home(".config", "manicode", "projects")).All()
	}, "The format is not confirmed: it is known from other tools only, and no file of the program was at hand.")
}
