// Package unread declares harnesses of which no usage can be read: so that who
// asks hears it, with the reason and the place that was looked at. It imports the
// contract of a harness; the folders of such harnesses call it.
package unread

import (
	"meterbridge"
	"meterbridge/harnesses"
)

// Harness is one that is listed and not read; why are sentences.
func Harness(id, name string, roots func(harnesses.Env) []harnesses.Root, why ...string) harnesses.Harness {
	return harnesses.Harness{
		ID:            id,
		Name:          name,
		ParserVersion: 1,
		Declaration: harnesses.Declaration{
			ZeroCost:      harnesses.ZeroUnknown,
			RequestTimes:  harnesses.NoTimes,
			Precision:     meterbridge.PerSession,
			NeverReported: []string{"input", "output", "reasoning", "cacheRead", "cacheWrite", "cost"},
			Gaps:          why,
		},
		Roots: roots,
		Claim: func(string) (harnesses.Kind, bool) { return harnesses.Kind{}, false },
		Skip:  func(string) bool { return true },
	}
}
