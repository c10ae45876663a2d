package analytics

import "time"

// SchemaVersion is the version of every JSON report; a field is only ever added
// within one version.
const SchemaVersion = 1

// CostMode chooses which cost a report sums.
type CostMode string

// The cost modes of --cost.
const (
	// CostAuto is the recorded cost, else the list price.
	CostAuto     CostMode = "auto"
	CostRecorded CostMode = "recorded"
	CostList     CostMode = "list"
)

// Filter narrows a report. Zero values do not filter.
type Filter struct {
	// Since is inclusive, Until exclusive: instants, already resolved in the zone.
	Since, Until time.Time
	// Harness, Project and Model keep only exact matches. Session is an id as
	// `sessions` takes it (a unique beginning of one, HARNESS:ID); its sub-agents
	// are kept too.
	Harness, Project, Model, Session string
}

// UsageQuery asks for one usage report.
type UsageQuery struct {
	// By is "day", "week", "month", "hour", "session", "project", "model",
	// "harness", "agent" or "block".
	By string
	Filter
	// SinceText and UntilText are repeated in the answer as they were given.
	SinceText, UntilText string
	// Zone forms days, weeks, months and hours. WeekStart is the week's first day.
	Zone      *time.Location
	WeekStart time.Weekday
	Cost      CostMode
	// Breakdown adds rows by harness and model to each row.
	Breakdown bool
	// Last keeps the newest N rows; 0 keeps all.
	Last int
}

// Numbers are the figures of a row, of the totals, or of a breakdown. nil is
// "not reported". Tokens are counts, cost is micro-USD rounded up once.
type Numbers struct {
	Requests         int64    `json:"requests"`
	Prompts          *int64   `json:"prompts"`
	InputTokens      *int64   `json:"inputTokens"`
	OutputTokens     *int64   `json:"outputTokens"`
	ReasoningTokens  *int64   `json:"reasoningTokens"`
	CacheReadTokens  *int64   `json:"cacheReadTokens"`
	CacheWriteTokens *int64   `json:"cacheWriteTokens"`
	TotalTokens      *int64   `json:"totalTokens"`
	CostMicroUSD     *int64   `json:"costMicroUsd"`
	CostPartial      bool     `json:"costPartial"`
	CostBasis        string   `json:"costBasis" enum:"recorded,list,mixed,none"`
	UnpricedModels   []string `json:"unpricedModels"`
}

// UsageRow is one row of a usage report, or of a row's breakdown.
type UsageRow struct {
	// by is the report's, which names the key in JSON.
	by string
	// Key is the day, week, ... or id of the row; empty when it is not logged.
	Key string
	// Harness is set in rows by harness, session and block, and in breakdowns.
	Harness *string
	Numbers
	Models    []string
	Session   *SessionRow
	Block     *BlockRow
	Breakdown []UsageRow
}

// SessionRow is what a session's row has besides numbers.
type SessionRow struct {
	// Title and Project are nil where not logged; ParentSession is the session
	// that it was forked from or continues.
	Title, Project, ParentSession *string
	// FirstAt and LastAt are those of the requests in the row.
	FirstAt, LastAt time.Time
	// Subagents is the number of sub-agent sessions with a request in the row.
	Subagents int64
}

// BlockRow is what a block's row has besides numbers; Key is its start.
type BlockRow struct {
	EndAt time.Time
	// Active: the block is now.
	Active bool
	// ResetSource is "recorded" or "inferred".
	ResetSource string
}

// UsageReport is the answer of `usage` in every form (JSON, table, CSV, HTTP).
type UsageReport struct {
	SchemaVersion int        `json:"schemaVersion"`
	By            string     `json:"by"`
	Timezone      string     `json:"timezone"`
	Since         *string    `json:"since"`
	Until         *string    `json:"until"`
	Rows          []UsageRow `json:"rows"`
	Totals        Numbers    `json:"totals"`
}
