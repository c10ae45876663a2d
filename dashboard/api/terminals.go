package api

import (
	"net/http"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"meterbridge/dashboard/terminals"
)

// describeTerminals adds the terminals of agents to the document; dashboard/terminals
// serves them.
func describeTerminals(doc *huma.OpenAPI) {
	id := pathParam("id", "An agent's id, name, or a unique beginning of either.")
	doc.AddOperation(&huma.Operation{
		OperationID: "agent-screen", Method: http.MethodGet, Path: "/agents/{id}/screen", Summary: "What an agent's terminal shows",
		Description: "The answer of `meterbridge screen --json`: the last logical lines of the screen and of what has left it.",
		Parameters:  []*huma.Param{id, count("lines", "How many lines; all 500 without it.", 500)},
		Responses:   answers(doc, reflect.TypeFor[terminals.Screen](), 401, 403, 404, 409, 422),
	})
	doc.AddOperation(&huma.Operation{
		OperationID: "agent-runs", Method: http.MethodGet, Path: "/agents/{id}/runs", Summary: "What agents and extensions sent to a terminal",
		Description: "Commands and texts, the newest first, as the ledger keeps them; what a person ran is not kept.",
		Parameters:  []*huma.Param{id, count("last", "The newest how many; 500 without it.", 500)},
		Responses:   answers(doc, reflect.TypeFor[terminals.RunList](), 401, 403, 404, 409, 422),
	})
	doc.AddOperation(&huma.Operation{
		OperationID: "agent-run", Method: http.MethodPost, Path: "/agents/{id}/runs", Summary: "Run one command in an agent's shell",
		Description: "The answer of `meterbridge run --json`. For browsers and the owner of the socket: no token may run anything.",
		Parameters:  []*huma.Param{id}, Security: []map[string][]string{{"cookie": {}}},
		RequestBody: body(doc, reflect.TypeFor[terminals.Command]()),
		Responses:   answers(doc, reflect.TypeFor[terminals.Run](), 401, 403, 404, 409, 413, 415, 422),
	})
	doc.AddOperation(&huma.Operation{
		OperationID: "agent-attach", Method: http.MethodGet, Path: "/agents/{id}/attach", Summary: "An agent's terminal, over WebSocket",
		Description: "Output and keys are messages of bytes. A message of text is `{\"type\":\"resize\",\"cols\":80,\"rows\":24}` of the client, or " +
			"`{\"type\":\"ended\",\"exitCode\":0,\"signal\":null}` of the server. For browsers and the owner of the socket.",
		Parameters: []*huma.Param{id, count("cols", "The client's columns; 80 without it.", 1000), count("rows", "The client's rows; 24 without it.", 1000)},
		Security:   []map[string][]string{{"cookie": {}}},
		Responses:  answers(doc, nil, 401, 403, 404, 409, 422, 426),
	})
}
