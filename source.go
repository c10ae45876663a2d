package meterbridge

import "time"

// Place is where a record lies in its source.
type Place struct {
	// Line is 1-based: the line of a text log, or the number of the row.
	Line int64
	// Offset is the byte offset of the line (in the decompressed stream); 0 for databases.
	Offset int64
	// Hash is a 64-bit hash of the record's bytes; of a long one, of its length and
	// both ends.
	Hash uint64
}

// Problem is input that could not be read; it never stops the rest.
type Problem struct {
	// Reason is a short stable word for metrics: "malformed-json",
	// "wrong-type", "oversized-line", "unreadable", "not-a-database", ...
	Reason string
	// Detail is one sentence for doctor, without contents of the log.
	Detail string
	Place  Place
}

// Verdict is what became of one usage record.
type Verdict string

// The verdicts of a trace.
const (
	Counted Verdict = "counted"
	Merged  Verdict = "merged"
	Dropped Verdict = "dropped"
)

// Trace tells of one usage record what the parser made of it. Parsers fill
// Batch.Traces only when asked to.
type Trace struct {
	Place Place
	// NativeID is the request it belongs to; empty for dropped records without one.
	Store, NativeID string
	Session         string
	At              time.Time
	Model           string
	Tokens          Tokens
	Verdict         Verdict
	// Rule is the name of the rule that decided ("streamed-snapshot",
	// "repeated-counter", "synthetic", "copied-history", ...).
	Rule string
}

// Batch is what a parser found in a stretch of a source.
type Batch struct {
	Requests  []Request
	Sessions  []Session
	Prompts   []Prompt
	ToolCalls []ToolCall
	Turns     []Turn
	Limits    []Limit
	Events    []Event
	Problems  []Problem
	Traces    []Trace
}

// Len is the number of facts in the batch, traces and problems aside.
func (b *Batch) Len() int {
	return len(b.Requests) + len(b.Sessions) + len(b.Prompts) + len(b.ToolCalls) + len(b.Turns) + len(b.Limits) + len(b.Events)
}

// Checkpoint is how far a source has been read. It is committed in the same
// transaction as the rows that were read up to it.
type Checkpoint struct {
	// Source is the ledger's number of the source, 0 before its first commit.
	Source  int64
	Harness string
	// Kind is the harness's own word for the layout of the source.
	Kind string
	// Path is absolute, as found (symlinks not resolved).
	Path string
	// Machine names the machine whose log this is; empty for this one.
	Machine string
	// Device and Inode are 0 where the system has none.
	Device, Inode uint64
	// Size in bytes and ModTime as the source had them when it was last read; a
	// negative size says that it could not be read, or not yet to its end.
	Size    int64
	ModTime time.Time
	// Companion is the size and the time (ns) of a side file that grows instead
	// of the source (a database's WAL), folded into one number; 0 without one.
	Companion uint64
	// Offset is the end of the last committed line, Lines the number of lines before it.
	Offset, Lines int64
	// Head is a hash of the first HeadLen bytes, Tail of the bytes just before Offset.
	Head    uint64
	HeadLen int64
	Tail    uint64
	// State is the parser's own memory, opaque to everybody else.
	State []byte
	// Parser is the version of the parser that read the source; another version
	// reads it again.
	Parser int
	// Generation counts how often the source was read from its start.
	Generation int64
	// Gone: the source was not there at the last look.
	Gone bool
}

// Unit is the smallest thing that is committed: rows and the checkpoint that
// they lead to, together.
type Unit struct {
	Checkpoint Checkpoint
	Batch      Batch
	// Whole: the batch holds everything that the source now holds, read from its
	// start, though the ledger has rows of it. Rows that it lacks are flagged as
	// vanished, never deleted.
	Whole bool
	// Readable: the source could not be read at an earlier look, and can now (or
	// there is nothing left to read): the problems of it as a whole, those at no
	// line, are over.
	Readable bool
}
