// Package harnesses says what a harness is to the meter: where it keeps its
// logs, how they are read, and what its numbers mean. Each harness is a folder
// below this one that returns one Harness; harnesses/all lists them. Nothing
// here touches the ledger or a price; the scanner is the only caller of parsers.
package harnesses

import (
	"context"
	"errors"
	"io/fs"

	"meterbridge"
)

// ErrMore is returned by DatabaseParser.Query when it stopped early to bound its
// memory: what it found is good, and another Query from the state that it
// returned goes on.
var ErrMore = errors.New("more rows to read")

// Shape is how a source is read.
type Shape int

// The shapes of sources.
const (
	// Lines is text that grows by whole lines (JSON lines).
	Lines Shape = iota
	// CompressedLines is the same text as one zstd stream; it never grows.
	CompressedLines
	// Document is a small file that is rewritten whole.
	Document
	// Database is an SQLite file, read only.
	Database
)

// Env is what a harness may know of the machine: nothing else of it is read.
type Env struct {
	// Home is the user's home folder.
	Home string
	// OS is a GOOS value.
	OS string
	// Getenv looks up a variable of the environment.
	Getenv func(string) string
}

// Root is a folder (or a single file) where a harness keeps logs.
type Root struct {
	Path string
	// Variable is the variable of the environment that names or would move it.
	Variable string
	// Set: the variable is set, so Path is its value.
	Set bool
	// Machine names the machine whose copy this is; empty for this one.
	Machine string
}

// Kind is a layout of a harness's logs, in the harness's own words.
type Kind struct {
	Name  string
	Shape Shape
	// Totals: the source holds running totals, whose differences the parser dates by
	// what it remembers of earlier readings. That memory is handed over however the
	// source is read, and a document of the kind has a Companion too and is read by a
	// RememberingParser.
	Totals bool
}

// Options are asked of a parser when it is opened.
type Options struct {
	// Trace asks for Batch.Traces: one entry for each record with usage.
	Trace bool
	// DropText: the user keeps no texts, so State must hold none either (what a
	// person or an agent wrote). Facts may: the scanner takes texts off them.
	DropText bool
	// State is the parser's memory at the checkpoint; nil from the start of a source.
	State []byte
	// Path is the source's absolute path, Rel its path below its root with forward slashes.
	Path, Rel string
	// Siblings is the root as a file system, read only, for texts and documents that
	// are understood only beside their neighbours; nil when it is not given.
	Siblings fs.FS
}

// LineParser reads text that grows. Line is called with each whole line
// without its line end, in order, and must not keep the slice.
type LineParser interface {
	// Line reads one line. It never fails: what it cannot read becomes a Problem.
	Line(line []byte, at meterbridge.Place, out *meterbridge.Batch)
	// Flush emits what is held back to be coalesced; parsing may go on after it.
	Flush(out *meterbridge.Batch)
	// State is the memory needed to go on after the last line, after Flush.
	State() []byte
}

// DocumentParser reads a file that is rewritten whole.
type DocumentParser interface {
	Document(content []byte, out *meterbridge.Batch)
}

// RememberingParser is a DocumentParser of a kind with Totals.
type RememberingParser interface {
	DocumentParser
	// State is the memory after the document.
	State() []byte
	// Waits reports that nothing can be said before a file beside the document is
	// there: it is then read again at each look, and what it gave is one Problem.
	Waits() bool
}

// DatabaseParser reads another program's SQLite file.
type DatabaseParser interface {
	// Query reads what changed since Options.State and returns the next state.
	// The error says why the file cannot be read, or ErrMore; rows found before it
	// stay valid.
	Query(ctx context.Context, out *meterbridge.Batch) (state []byte, err error)
}

// ZeroCost is what a recorded cost of 0 beside tokens means.
type ZeroCost string

// The meanings of a recorded zero.
const (
	ZeroUnknown ZeroCost = "unknown"
	ZeroBilled  ZeroCost = "billed"
)

// RequestTimes is which times of a request a harness logs.
type RequestTimes string

// The kinds of request times.
const (
	StartAndEnd RequestTimes = "start-end"
	EndOnly     RequestTimes = "end"
	NoTimes     RequestTimes = "none"
)

// Declaration is what a harness says of its own numbers, for reports and for
// docs/harnesses.md. Class names are those of reports: "input", "output",
// "reasoning", "cacheRead", "cacheWrite", "cost".
type Declaration struct {
	// Provider is the price table's provider of requests that name none.
	Provider string
	ZeroCost ZeroCost
	// CostField says where a recorded cost comes from; empty when none is ever recorded.
	CostField    string
	RequestTimes RequestTimes
	Precision    meterbridge.Precision
	// Drives: it can run another harness inside. Where both logs hold the
	// provider's id of a response, the inner harness's row counts.
	Drives bool
	// UsageReadable is false for a harness that keeps no readable usage.
	UsageReadable bool
	// NeverReported are the classes that no version of its logs holds.
	NeverReported []string
	// Gaps are sentences on what its logs cannot show.
	Gaps []string
	// Layouts are sentences on the layouts that are read.
	Layouts []string
	// MCP says how a user gives it our MCP server; nil where that is not known.
	MCP *MCPClient
	// CardWord is what cards call it; empty where that is its id.
	CardWord string
}

// WordForCards is what cards call a harness.
func (h Harness) WordForCards() string {
	if h.Declaration.CardWord != "" {
		return h.Declaration.CardWord
	}
	return h.ID
}

// Harness is one coding agent's logs and their meaning.
type Harness struct {
	// ID is the id of design.md ("claude-code"); Name is for people.
	ID, Name string
	// ParserVersion rises when the same log would yield other rows.
	ParserVersion int
	Declaration   Declaration
	// Roots are the places to look in, whether they exist or not, without duplicates.
	Roots func(Env) []Root
	// Claim says whether the file at rel (below a root, forward slashes) is a
	// source and how it is read. Skip says which folders are never entered.
	Claim func(rel string) (Kind, bool)
	Skip  func(relDir string) bool
	// Companion is the file whose growth stands for a database's ("x.db" →
	// "x.db-wal"), or for that of a document of a kind with Totals; nil where there is none.
	Companion func(path string) string
	// Lines, Document and Database open parsers; those of shapes that the
	// harness does not have are nil.
	Lines    func(Kind, Options) LineParser
	Document func(Kind, Options) DocumentParser
	Database func(Kind, Options) DatabaseParser
	// Telemetry understands its OpenTelemetry; nil where that tells of no requests.
	Telemetry *Telemetry
	// Launch says how it is started as an agent; nil where that is not known.
	Launch *meterbridge.LaunchProfile
	// Hooks is how it tells what its agents are doing; nil where it does not.
	Hooks *Hooks
}
