package dashboard

import (
	"time"

	"meterbridge/analytics"
)

// Health says how the daemon stands. Its fields are cheap to know.
type Health struct {
	SchemaVersion int `json:"schemaVersion"`
	// Status is ok once everything was read at least once, starting before that.
	Status    string    `json:"status" enum:"ok,starting"`
	Version   string    `json:"version"`
	StartedAt time.Time `json:"startedAt"`
	// Revision rises with every change of the ledger, from 0 on at each start.
	Revision uint64    `json:"revision"`
	Scan     ScanState `json:"scan"`
	// LedgerBytes is the size of the ledger's file and its write-ahead log.
	LedgerBytes int64 `json:"ledgerBytes"`
	// Warnings are sentences for the user.
	Warnings []string `json:"warnings"`
}

// The values of Health.Status.
const (
	StatusOK       = "ok"
	StatusStarting = "starting"
)

// ScanState tells of the reading of sources by this process.
type ScanState struct {
	// Running: sources are being read now.
	Running bool `json:"running"`
	// Complete: all sources were read at least once since the process began.
	Complete bool `json:"complete"`
	// Scans counts those that ended.
	Scans int64 `json:"scans"`
	// StartedAt and EndedAt are those of the newest scan; null before it.
	StartedAt *time.Time `json:"startedAt"`
	EndedAt   *time.Time `json:"endedAt"`
	// Error is why the newest scan was cut short, or why what was read cannot be
	// committed; null when all is well.
	Error *string `json:"error"`
	// Live: sources are watched. The fields below are about that.
	Live bool `json:"live"`
	// LagMs is the age of the oldest change that was seen and is not committed.
	LagMs int64 `json:"lagMs"`
	// Degraded are the reasons why changes may be seen late.
	Degraded []string `json:"degraded"`
}

// HarnessScan is what a live scan has done of one harness since it began.
type HarnessScan struct {
	// ToDoBytes and DoneBytes are of the scan that runs; 0 when none does.
	ToDoBytes int64 `json:"toDoBytes"`
	DoneBytes int64 `json:"doneBytes"`
	BytesRead int64 `json:"bytesRead"`
	// Problems counts what could not be read, by reason.
	Problems map[string]int64 `json:"problems"`
}

// HarnessList is the answer of `harnesses`.
type HarnessList struct {
	SchemaVersion int             `json:"schemaVersion"`
	Scan          ScanState       `json:"scan"`
	Rows          []HarnessAnswer `json:"rows"`
}

// HarnessAnswer is what is read of one harness on this machine, and how exactly.
type HarnessAnswer struct {
	Harness       string       `json:"harness"`
	Name          string       `json:"name"`
	UsageReadable bool         `json:"usageReadable"`
	Precision     string       `json:"precision"`
	RequestTimes  string       `json:"requestTimes"`
	CostField     *string      `json:"costField"`
	ZeroCost      string       `json:"zeroCost"`
	Provider      *string      `json:"provider"`
	NeverReported []string     `json:"neverReported"`
	Gaps          []string     `json:"gaps"`
	Layouts       []string     `json:"layouts"`
	Roots         []RootAnswer `json:"roots"`
	// Files is the number of sources that the ledger knows and that are there.
	Files int64 `json:"files"`
	// Gone is the number of sources that were there once.
	Gone int64 `json:"gone"`
	// Scan is there while sources are watched.
	Scan *HarnessScan `json:"scan,omitempty"`
}

// RootAnswer is a place that is looked in.
type RootAnswer struct {
	Path string `json:"path"`
	// Variable moves the place; null when nothing does.
	Variable *string `json:"variable"`
	Set      bool    `json:"set"`
	Found    bool    `json:"found"`
	Machine  *string `json:"machine"`
}

// BudgetList is the answer about budgets, and what logs tell of providers' limits.
type BudgetList struct {
	SchemaVersion int                     `json:"schemaVersion"`
	Timezone      string                  `json:"timezone"`
	Rows          []BudgetAnswer          `json:"rows"`
	Limits        []analytics.VendorLimit `json:"limits"`
}

// BudgetAnswer is how one budget stands.
type BudgetAnswer struct {
	Name   string  `json:"name"`
	Scope  string  `json:"scope"`
	Match  *string `json:"match"`
	Window string  `json:"window"`
	Action string  `json:"action"`
	analytics.BudgetState
}
