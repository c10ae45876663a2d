package dashboard

import (
	"context"
	"encoding/json"
	"time"

	"meterbridge/analytics"
)

// Calls tells of calls of tools over the bridge.
type Calls interface {
	// ToolCalls are the newest first.
	ToolCalls(ctx context.Context, q analytics.BridgeCallQuery) (ToolCallList, error)
}

// ToolCall is a call of a tool over the bridge; null is not known.
type ToolCall struct {
	ID        string    `json:"id"`
	StartedAt time.Time `json:"startedAt"`
	TookMs    int64     `json:"tookMs"`
	Agent     string    `json:"agent"`
	Session   *string   `json:"session"`
	// Tool is the name for agents; Package is null for our own tools.
	Tool      string  `json:"tool"`
	Package   *string `json:"package"`
	Version   *string `json:"version"`
	LocalTool string  `json:"localTool"`
	// Via is link, switch or built-in; Outcome is ok, tool_error, cancelled or a code.
	Via     string `json:"via"`
	Outcome string `json:"outcome"`
	// QueuedMs, WokeMs and HandledMs are the parts of the time it took.
	QueuedMs  int64 `json:"queuedMs"`
	WokeMs    int64 `json:"wokeMs"`
	HandledMs int64 `json:"handledMs"`
	// ArgumentShape has keys and types, and no value.
	ArgumentShape json.RawMessage `json:"argumentShape"`
	ArgumentBytes int             `json:"argumentBytes"`
	ResultBytes   int             `json:"resultBytes"`
	Items         int             `json:"items"`
	Removed       int             `json:"removed"`
	Progress      int             `json:"progress"`
	Instance      *string         `json:"instance"`
	ToolDigest    *string         `json:"toolDigest"`
	TreeDigest    *string         `json:"treeDigest"`
	Era           *string         `json:"era"`
	TraceID       *string         `json:"traceId"`
	// Arguments and Answer are kept with `[bridge] trace_values = true` alone.
	Arguments *string `json:"arguments" doc:"Values, secrets blanked; null unless [bridge] trace_values is on."`
	Answer    *string `json:"answer" doc:"Texts of the answer, secrets blanked; null unless [bridge] trace_values is on."`
}

// ToolCallList is the answer of `tools log`, the newest first.
type ToolCallList struct {
	SchemaVersion int        `json:"schemaVersion"`
	Rows          []ToolCall `json:"rows"`
}
