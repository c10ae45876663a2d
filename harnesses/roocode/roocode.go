// Package roocode declares Roo Code, and Zoo Code that goes on with it: where
// they keep their tasks and what their numbers mean. The reading itself is that
// of harnesses/clinetasks; nothing else of the project is imported but the
// domain and the contract of a harness, and only harnesses/all calls it.
package roocode

import (
	"meterbridge"
	"meterbridge/harnesses"
	"meterbridge/harnesses/clinetasks"
)

// Harness describes Roo Code.
func Harness() harnesses.Harness {
	tasks := clinetasks.New(clinetasks.Options{
		Harness: "roo-code", Store: "messages", CacheInside: true,
		Extensions: []string{"rooveterinaryinc.roo-cline", "zoocodeorganization.zoo-code"},
	})
	return harnesses.Harness{
		ID:            "roo-code",
		Name:          "Roo Code",
		ParserVersion: 2,
		Declaration:   declaration(),
		Roots:         tasks.Roots,
		Claim:         tasks.Claim,
		Skip:          tasks.Skip,
		Document:      tasks.Document,
	}
}

func declaration() harnesses.Declaration {
	return harnesses.Declaration{
		ZeroCost:      harnesses.ZeroUnknown,
		CostField:     "cost of api_req_started",
		RequestTimes:  harnesses.EndOnly,
		Precision:     meterbridge.PerRequest,
		UsageReadable: true,
		NeverReported: []string{"reasoning"},
		Gaps: []string{
			"Only the start of a request is logged; it stands for its end.",
			"Newer builds count the cache inside the input, older ones beside it: it is taken out where it fits in.",
			"The model of a request is that which the extension told the model about around that time; the profile's name is no model.",
			"What a restore took away of a task is known as one sum, of which the requests that were read before it are taken off.",
			"Condensing a conversation is logged with its cost only.",
			"A folder set by customStoragePath is not found; name it in a [[source]].",
			"The lifetime of cache writes, the outcome of tools and the git branch are not recorded.",
		},
		Layouts: []string{
			"tasks/<id>/ui_messages.json with history_item.json, tasks/_index.json and api_conversation_history.json, below an editor's globalStorage",
		},
	}
}
