package api

import (
	"net/http"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"meterbridge/dashboard"
	"meterbridge/dashboard/promptqueue"
)

// describeQueue adds the prompt queue to the document; dashboard/promptqueue serves
// it.
func describeQueue(doc *huma.OpenAPI) {
	agent := pathParam("id", "An agent's id, name, or a unique beginning of either.")
	list, one := reflect.TypeFor[dashboard.PromptList](), reflect.TypeFor[dashboard.PromptAnswer]()
	done := reflect.TypeFor[promptqueue.Done]()
	for _, op := range []*huma.Operation{
		{
			OperationID: "queue", Method: http.MethodGet, Path: "/queue", Summary: "Prompts that wait",
			Description: "The answer of `meterbridge queue --json`, in the order in which they will go out; times are epoch milliseconds.",
			Parameters:  []*huma.Param{textParam("agent", "Only those of this agent.")}, Responses: answers(doc, list, 401, 403, 404, 422),
		},
		{
			OperationID: "queue-log", Method: http.MethodGet, Path: "/queue/log", Summary: "What became of prompts, and what they spent",
			Description: "The answer of `meterbridge queue log --json`, the newest first.",
			Parameters:  []*huma.Param{textParam("agent", "Only those of this agent."), count("last", "How many, the newest; 50 without it.", 1000)},
			Responses:   answers(doc, list, 401, 403, 404, 422),
		},
		{
			OperationID: "agent-prompts", Method: http.MethodGet, Path: "/agents/{id}/prompts", Summary: "Prompts that wait for one agent",
			Description: "The rows of `queue` that are this agent's.", Parameters: []*huma.Param{agent}, Responses: answers(doc, list, 401, 403, 404, 422),
		},
		typing(&huma.Operation{
			OperationID: "agent-prompt", Method: http.MethodPost, Path: "/agents/{id}/prompts", Summary: "Send a prompt to an agent",
			Description: "The answer of `meterbridge prompt --json`: the prompt as it stands, which may have gone out or wait.",
			Parameters:  []*huma.Param{agent}, RequestBody: body(doc, reflect.TypeFor[promptqueue.Send]()), Responses: answers(doc, one, changes(429)...),
		}),
		typing(&huma.Operation{
			OperationID: "agent-queue-go", Method: http.MethodPost, Path: "/agents/{id}/queue/go", Summary: "Let an agent's queue go on",
			Description: "After a budget, a prompt of unknown fate or an interrupt held it.", Parameters: []*huma.Param{agent},
			Responses: answers(doc, done, changes()...),
		}),
		typing(&huma.Operation{
			OperationID: "queue-change", Method: http.MethodPatch, Path: "/queue/{prompt}", Summary: "Edit or move a prompt that waits",
			Parameters: []*huma.Param{prompt()}, RequestBody: body(doc, reflect.TypeFor[promptqueue.Change]()), Responses: answers(doc, one, changes()...),
		}),
		typing(&huma.Operation{
			OperationID: "queue-remove", Method: http.MethodDelete, Path: "/queue/{prompt}", Summary: "Remove a prompt that waits",
			Parameters: []*huma.Param{prompt()}, Responses: answers(doc, one, changes()...),
		}),
		typing(&huma.Operation{
			OperationID: "queue-decide", Method: http.MethodPost, Path: "/queue/{prompt}/decision", Summary: "Decide on a prompt that waits for a person",
			Parameters: []*huma.Param{prompt()}, RequestBody: body(doc, reflect.TypeFor[promptqueue.Decision]()), Responses: answers(doc, done, changes()...),
		}),
	} {
		doc.AddOperation(op)
	}
}

func prompt() *huma.Param { return pathParam("prompt", "The prompt's id.") }

// typing says that no token may do it: who may prompt may do what the user may.
func typing(op *huma.Operation) *huma.Operation {
	if op.Description != "" {
		op.Description += " "
	}
	op.Description += "For browsers and the owner of the socket: no token may prompt."
	op.Security = []map[string][]string{{"cookie": {}}}
	return op
}

// changes are the refusals of a change.
func changes(more ...int) []int { return append([]int{401, 403, 404, 409, 413, 415, 422}, more...) }
