package analytics

// viewNames are the documented views, in the order of docs/sql.md.
var viewNames = []string{"requests", "sessions", "prompts", "tool_calls", "turns", "events", "rate_limits", "usage_daily", "sources", "problems", "prices"}
