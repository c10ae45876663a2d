package dashboard

// PromptSender is who sent a prompt.
type PromptSender struct {
	// Kind is person, agent or extension.
	Kind    string  `json:"kind"`
	ID      *string `json:"id"`
	Package *string `json:"package"`
	Name    string  `json:"name"`
}

// PromptAnswer is a prompt of the queue; times are epoch milliseconds.
type PromptAnswer struct {
	ID        string       `json:"id"`
	AgentID   string       `json:"agentId"`
	AgentName string       `json:"agentName"`
	Sender    PromptSender `json:"sender"`
	// State is queued, waiting, delivering, sent, inserted, dropped, failed or unknown.
	State  string  `json:"state"`
	Reason *string `json:"reason"`
	// Text is the beginning of one that went out; Length that of all of it, in characters.
	Text   string `json:"text"`
	Length int    `json:"length"`
	Submit bool   `json:"submit"`
	// Place is that in its agent's queue, from 1; null for one that does not wait.
	Place     *int   `json:"place"`
	CreatedAt int64  `json:"createdAt"`
	SentAt    *int64 `json:"sentAt"`
	// NotBefore and After are conditions: a time, and an agent that must finish first.
	NotBefore *int64  `json:"notBefore"`
	After     *string `json:"after"`
	// Turn is the harness's id of the turn that it started; what follows is of that
	// turn, and null where none is known.
	Turn          *string `json:"turn"`
	TurnStartedAt *int64  `json:"turnStartedAt"`
	TurnEndedAt   *int64  `json:"turnEndedAt"`
	Requests      *int64  `json:"requests"`
	TotalTokens   *int64  `json:"totalTokens"`
	CostMicroUSD  *int64  `json:"costMicroUsd"`
}

// PromptList is the answer of `queue` and of `queue log`.
type PromptList struct {
	SchemaVersion int            `json:"schemaVersion"`
	Rows          []PromptAnswer `json:"rows"`
}
