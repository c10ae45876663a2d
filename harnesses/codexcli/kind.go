package codexcli

// kind is what a line is to the parser.
type kind int

const (
	unread kind = iota
	sessionMeta
	turnContext
	threadSettings
	usageRecord
	tokenCount
	compacted
	taskStarted
	taskComplete
	turnAborted
	userMessage
	agentMessage
	itemCompleted
	rolledBack
	failure
	message
	toolCall
	toolOutput
	toolEnd
	// answer is anything else that the model wrote.
	answer
)

func label(e envelope) kind {
	switch string(e.typ) {
	case "session_meta":
		return sessionMeta
	case "turn_context":
		return turnContext
	case "token_usage_record":
		return usageRecord
	case "compacted":
		return compacted
	case "event_msg":
		return eventKind(quoted(member(e.payload, "type")))
	case "response_item":
		return itemKind(quoted(member(e.payload, "type")))
	}
	return unread
}

func eventKind(typ []byte) kind {
	switch string(typ) {
	case "token_count":
		return tokenCount
	case "user_message":
		return userMessage
	case "agent_message":
		return agentMessage
	case "agent_reasoning", "agent_reasoning_raw_content":
		return answer
	case "item_completed":
		return itemCompleted
	case "thread_settings_applied":
		return threadSettings
	case "task_started", "turn_started":
		return taskStarted
	case "task_complete", "turn_complete":
		return taskComplete
	case "turn_aborted":
		return turnAborted
	case "thread_rolled_back":
		return rolledBack
	case "error", "stream_error":
		return failure
	case "exec_command_end", "mcp_tool_call_end", "patch_apply_end":
		return toolEnd
	}
	return unread
}

func itemKind(typ []byte) kind {
	switch string(typ) {
	case "message":
		return message
	case "function_call", "custom_tool_call", "local_shell_call", "web_search_call":
		return toolCall
	case "function_call_output", "custom_tool_call_output":
		return toolOutput
	case "reasoning", "tool_search_call", "image_generation_call":
		return answer
	}
	return unread
}
