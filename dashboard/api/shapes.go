package api

import (
	"time"

	"meterbridge/analytics"
)

// UsageRow is a row of a usage report as JSON has it: the key under the report's
// own name (a breakdown's is the model), then what rows of that report have.
type UsageRow struct {
	Day     string  `json:"day,omitempty" doc:"Key of a report by day: 2026-11-29."`
	Week    string  `json:"week,omitempty" doc:"Key of a report by week: its first day."`
	Month   string  `json:"month,omitempty" doc:"Key of a report by month: 2026-11."`
	Hour    string  `json:"hour,omitempty" format:"date-time" doc:"Key of a report by hour: its start."`
	Block   string  `json:"block,omitempty" format:"date-time" doc:"Key of a report by block: its start."`
	Agent   *string `json:"agent,omitempty" nullable:"true" doc:"Key of a report by agent: main, or the kind of sub-agent."`
	Session *string `json:"session,omitempty" nullable:"true" doc:"Key of a report by session: the harness's own id."`
	Model   *string `json:"model,omitempty" nullable:"true" doc:"Key of a report by model, and of a breakdown; null is not logged."`
	Project *string `json:"project,omitempty" nullable:"true" doc:"Key of a report by project, and a field of session rows: the working directory; null is not logged."`
	Harness *string `json:"harness" doc:"Set in rows by harness, session and block, and in breakdowns."`

	Title         *string    `json:"title,omitempty" nullable:"true" doc:"Session rows only."`
	ParentSession *string    `json:"parentSession,omitempty" nullable:"true" doc:"Session rows only: what it was forked from or continues."`
	FirstAt       *time.Time `json:"firstAt,omitempty" doc:"Session rows only."`
	LastAt        *time.Time `json:"lastAt,omitempty" doc:"Session rows only."`
	Subagents     *int64     `json:"subagents,omitempty" doc:"Session rows only: sub-agents with a request in the row."`

	EndAt       *time.Time `json:"endAt,omitempty" doc:"Block rows only."`
	Active      *bool      `json:"active,omitempty" doc:"Block rows only: the block is now."`
	ResetSource string     `json:"resetSource,omitempty" enum:"recorded,inferred" doc:"Block rows only."`

	analytics.Numbers
	Models    []string   `json:"models"`
	Breakdown []UsageRow `json:"breakdown,omitempty"`
}
