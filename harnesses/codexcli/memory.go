package codexcli

import (
	"encoding/json"
	"time"
)

// memory is all that the parser must know of the lines it has read to go on
// with the next one; it is kept at the checkpoint as JSON.
type memory struct {
	// Thread is the session's id: that of the first session_meta, else of the
	// file's name (Named: nothing better was seen yet).
	Thread string `json:"thread,omitempty"`
	Named  bool   `json:"named,omitempty"`
	// Sub: a sub-agent, whose user messages are no human's.
	Sub bool `json:"sub,omitempty"`
	// Parented: the log has told where the session came from.
	Parented bool `json:"parented,omitempty"`
	// Made is when the thread was made, as its head says, in ms; Born is the time
	// inside its id, 0 when that is no such time.
	Made int64 `json:"made,omitempty"`
	Born int64 `json:"born,omitempty"`

	Project  string `json:"project,omitempty"`
	Branch   string `json:"branch,omitempty"`
	Provider string `json:"provider,omitempty"`
	Model    string `json:"model,omitempty"`
	Tier     string `json:"tier,omitempty"`

	// Last is the time of the last line that had one, in ms.
	Last int64 `json:"last,omitempty"`
	// Copy: the lines are those of a copied parent.
	Copy bool `json:"copy,omitempty"`
	// Jump: a pause was seen in the copy, and nothing since that tells more.
	Jump bool `json:"jump,omitempty"`

	// Total is the running total of the last token_count.
	Total    usage `json:"total,omitzero"`
	HasTotal bool  `json:"hasTotal,omitempty"`
	// Counted is the number of requests counted by token_counts, LastCounted
	// the numbers of the last of them.
	Counted     int64 `json:"counted,omitempty"`
	LastCounted usage `json:"lastCounted,omitzero"`
	HasCounted  bool  `json:"hasCounted,omitempty"`
	// Records: the file has token_usage_records; token_counts no longer count.
	Records bool `json:"records,omitempty"`
	// Inherits: a fork that copied nothing; its first total is its parent's.
	Inherits bool `json:"inherits,omitempty"`
	// Began is the time of the last line that begins a turn, in ms.
	Began int64 `json:"began,omitempty"`

	// Answer: the model has written something since the last usage.
	Answer bool `json:"answer,omitempty"`
	// Cut: a turn was stopped since, so what it had called has no request unless
	// one comes before the next turn.
	Cut      bool     `json:"cut,omitempty"`
	Tools    []string `json:"tools,omitempty"`
	Searches int64    `json:"searches,omitempty"`
	// Open are the calls that still lack their request or their result.
	Open []call `json:"open,omitempty"`
	// Mute is the last request, if no answer came with it.
	Mute *mute `json:"mute,omitempty"`

	Prompts int64 `json:"prompts,omitempty"`
	// Spoken: the log marks prompts as such, so user items of the model's
	// history are none.
	Spoken     bool   `json:"spoken,omitempty"`
	LastPrompt uint64 `json:"lastPrompt,omitempty"`
	PromptAt   int64  `json:"promptAt,omitempty"`
	Held       *held  `json:"held,omitempty"`
	Titled     bool   `json:"titled,omitempty"`

	Turn  string `json:"turn,omitempty"`
	Turns int64  `json:"turns,omitempty"`
	// Failed: an error was logged in the open turn.
	Failed bool `json:"failed,omitempty"`

	Limits map[string]quota `json:"limits,omitempty"`
}

// remember reads what State wrote; anything else is an empty memory.
func remember(state []byte) memory {
	var m memory
	if len(state) > 0 && json.Unmarshal(state, &m) != nil {
		m = memory{}
	}
	return m
}

func (m *memory) bytes() []byte {
	b, err := json.Marshal(m)
	if err != nil {
		return nil
	}
	return b
}

func at(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}
