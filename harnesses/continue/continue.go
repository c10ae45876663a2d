// Package continuecli lists Continue, of which no usage is read; its folder has
// the harness's id, which is a word of the language. It imports the contract of a
// harness; harnesses/all lists it.
package continuecli

import (
	"meterbridge/harnesses"
	"meterbridge/harnesses/roots"
	"meterbridge/harnesses/unread"
)

// Harness describes Continue's command line.
func Harness() harnesses.Harness {
	return unread.Harness("continue", "Continue", func(env harnesses.Env) []harnesses.Root {
		l := roots.In(env)
		return l.Moved("CONTINUE_GLOBAL_DIR", l.Home(".continue", "sessions"), "sessions").All()
	}, "A session has one total and no time of any kind: it cannot be dated.",
		"dev_data holds counts of the editor's own tokenizer, which are no usage.")
}
