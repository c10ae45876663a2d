package api

import (
	"net/http"
	"strconv"

	"github.com/danielgtaylor/huma/v2"
)

// describeBeside adds to the document what the daemon serves beside the API, each
// with the root of the server: probes, metrics, MCP, telemetry, hooks, extensions,
// and the document itself. What answers there has protocols of its own, so their
// bodies are not described here.
func describeBeside(doc *huma.OpenAPI) {
	doc.AddOperation(&huma.Operation{
		OperationID: "description", Method: http.MethodGet, Path: "/openapi.json", Summary: "This document",
		Responses: plain("application/json", 200, 401, 403),
	})
	for _, op := range []*huma.Operation{
		{OperationID: "alive", Path: "/healthz", Summary: "Whether the daemon answers", Security: nobody(), Responses: plain("text/plain", 200, 403)},
		{
			OperationID: "ready", Path: "/readyz", Summary: "Whether all sources were read once", Security: nobody(),
			Responses: plain("text/plain", 200, 403, 503),
		},
		{
			OperationID: "login", Path: "/login", Summary: "Where a one-time link of a browser leads", Security: nobody(),
			Parameters: []*huma.Param{textParam("token", "What the link carries; good once, for ten minutes.")}, Responses: plain("text/html", 200, 303, 401, 403),
		},
		{
			OperationID: "metrics", Path: "/metrics", Summary: "Metrics for Prometheus",
			Description: "docs/metrics.md says what each means. A token with the scope `metrics` or `read`; none with `[serve] metrics_open`.",
			Responses:   plain("text/plain", 200, 401, 403),
		},
		{
			OperationID: "mcp", Method: http.MethodPost, Path: "/mcp", Summary: "Tools for agents, by the Model Context Protocol",
			Description: "Streamable HTTP; docs/mcp.md. An agent's token, or one with the scope `mcp`.",
			RequestBody: taken("application/json"), Responses: plain("application/json", 200, 202, 400, 401, 403, 404, 413, 415),
		},
		{
			OperationID: "mcp-stream", Path: "/mcp", Summary: "What the server tells a session of MCP unasked",
			Responses: plain("text/event-stream", 200, 400, 401, 403, 404),
		},
		{
			OperationID: "mcp-end", Method: http.MethodDelete, Path: "/mcp", Summary: "End a session of MCP",
			Responses: plain("application/json", 200, 400, 401, 403, 404),
		},
		{
			OperationID: "telemetry", Method: http.MethodPost, Path: "/otlp/v1/{signal}", Summary: "Take what a harness exports by OpenTelemetry",
			Description: "`signal` is metrics, logs or traces; docs/otlp.md. A token with the scope `otlp`.",
			Parameters:  []*huma.Param{signal()}, RequestBody: taken("application/x-protobuf", "application/json"),
			Responses: plain("application/json", 200, 400, 401, 403, 404, 413, 415),
		},
		{
			OperationID: "hook", Method: http.MethodPost, Path: "/hooks/{harness}", Summary: "What a hook of a harness tells",
			Description: "docs/hooks.md. The token of an agent's hooks; the answer is what the harness reads from its hook.",
			Parameters:  []*huma.Param{pathParam("harness", "The harness's id.")}, RequestBody: taken("application/json"),
			Responses: plain("application/json", 200, 401, 403, 413, 415),
		},
		{
			OperationID: "extension-carrier", Path: "/ext", Summary: "Where the process of an extension connects, over WebSocket",
			Description: "docs/extensions.md. The secret that Meterbridge gave the process when it started it.", Security: nobody(),
			Responses: plain("", 101, 401, 403, 426),
		},
	} {
		if op.Method == "" {
			op.Method = http.MethodGet
		}
		doc.AddOperation(op)
		doc.Paths[op.Path].Servers = []*huma.Server{{URL: "/"}}
	}
}

// nobody is the security of what needs no credential of the guard's.
func nobody() []map[string][]string { return []map[string][]string{{}} }

func signal() *huma.Param {
	p := pathParam("signal", "What is exported.")
	p.Schema.Enum = []any{"metrics", "logs", "traces"}
	return p
}

// taken is a body that has a protocol of its own.
func taken(media ...string) *huma.RequestBody {
	b := &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{}}
	for _, m := range media {
		b.Content[m] = &huma.MediaType{Schema: &huma.Schema{}}
	}
	return b
}

// plain are responses whose bodies are not described.
func plain(media string, statuses ...int) map[string]*huma.Response {
	all := map[string]*huma.Response{}
	for _, status := range statuses {
		r := &huma.Response{Description: http.StatusText(status)}
		if status == http.StatusOK && media != "" {
			r.Content = map[string]*huma.MediaType{media: {Schema: &huma.Schema{}}}
		}
		all[strconv.Itoa(status)] = r
	}
	return all
}
