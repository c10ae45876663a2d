package api

import (
	"net/http"
	"strconv"

	"github.com/danielgtaylor/huma/v2"
)

// describeEvents adds the stream of events to the document; dashboard/events
// serves it.
func describeEvents(doc *huma.OpenAPI) {
	responses := map[string]*huma.Response{
		"200": {
			Description: "Server-sent events, until the client or the server goes.",
			Content:     map[string]*huma.MediaType{"text/event-stream": {Schema: &huma.Schema{Type: huma.TypeString}}},
		},
	}
	for _, status := range []int{http.StatusUnauthorized, http.StatusForbidden, http.StatusServiceUnavailable} {
		responses[strconv.Itoa(status)] = &huma.Response{Description: http.StatusText(status)}
	}
	doc.AddOperation(&huma.Operation{
		OperationID: "events", Method: http.MethodGet, Path: "/events", Summary: "What changes, as it changes",
		Description: "Event types: usage, scan, budget, prices, health, and reset where events were missed: then ask for everything again. docs/http.md has their data.",
		Parameters: []*huma.Param{{
			Name: "Last-Event-ID", In: "header", Description: "The id of the last event that was seen: what came since is sent first.",
			Schema: &huma.Schema{Type: huma.TypeString},
		}},
		Responses: responses,
	})
}
