package scanner

import "meterbridge"

// taken takes out what the batch holds, without room to spare, and leaves the
// batch empty but for its memory: rows are found one by one, and slices that grew
// for each source anew were half of the garbage of a first scan.
func taken(b *meterbridge.Batch) meterbridge.Batch {
	return meterbridge.Batch{
		Requests: exact(&b.Requests), Sessions: exact(&b.Sessions), Prompts: exact(&b.Prompts), ToolCalls: exact(&b.ToolCalls),
		Turns: exact(&b.Turns), Limits: exact(&b.Limits), Events: exact(&b.Events), Problems: exact(&b.Problems), Traces: exact(&b.Traces),
	}
}

func exact[T any](list *[]T) []T {
	if len(*list) == 0 {
		return nil
	}
	out := make([]T, len(*list))
	copy(out, *list)
	clear(*list)
	*list = (*list)[:0]
	return out
}

// lastCalls is how far back the start of a call is looked for.
const lastCalls = 16

// joinCalls makes one fact of the start and the end of a tool call, which lie in
// different lines, as the sink would: half of the facts of a busy session are
// the one or the other. What is not found near is left to the sink.
func joinCalls(b *meterbridge.Batch) {
	calls := b.ToolCalls[:0]
	for i := range b.ToolCalls {
		if !joinCall(calls[max(0, len(calls)-lastCalls):], &b.ToolCalls[i]) {
			calls = append(calls, b.ToolCalls[i])
		}
	}
	clear(b.ToolCalls[len(calls):])
	b.ToolCalls = calls
}

// joinCall lays a call's end over its start, if that is among the last ones.
func joinCall(last []meterbridge.ToolCall, end *meterbridge.ToolCall) bool {
	if end.EndedAt.IsZero() || !end.StartedAt.IsZero() || end.Name != "" || end.Request != "" {
		return false
	}
	for i := range last {
		start := &last[len(last)-1-i]
		if start.NativeID != end.NativeID || start.Session != end.Session {
			continue
		}
		if !start.EndedAt.IsZero() || start.OK != nil {
			return false
		}
		start.EndedAt, start.OK = end.EndedAt, end.OK
		return true
	}
	return false
}
