package analytics

import (
	"errors"
	"io/fs"
	"time"

	"meterbridge"
)

// SourceTrace is what the scanner found when it read a source again.
type SourceTrace struct {
	Harness, Path string
	Traces        []meterbridge.Trace
	// Err says why it could not be read.
	Err error
}

// Verdicts and rules that the join adds to those of the parsers.
const (
	// Pending: the record is not in the ledger yet.
	Pending meterbridge.Verdict = "pending"

	ruleCopy = "copy-in-another-source"
	// ruleFork is as the parsers say it of a copy that they see beside its original.
	ruleFork      = "fork-copy"
	ruleAgain     = "repeat-in-the-same-source"
	ruleElsewhere = "counted-elsewhere"
	ruleMirror    = "mirror-of-another-harness"
	rulePending   = "not-scanned-yet"
)

// ExplainReport lists every record with usage behind a number, and proves that
// what is counted adds up to it.
type ExplainReport struct {
	SchemaVersion int     `json:"schemaVersion"`
	Session       *string `json:"session"`
	Harness       *string `json:"harness"`
	Day           *string `json:"day"`
	Timezone      string  `json:"timezone"`
	// Reported is what reports show; Explained is the sum of the records that
	// count, as they were just read again, and of the rows that are kept.
	Reported  Numbers   `json:"reported"`
	Explained Explained `json:"explained"`
	AddsUp    bool      `json:"addsUp"`
	// Difference is Explained minus Reported; absent when it adds up.
	Difference *Totals         `json:"difference,omitempty"`
	Records    []ExplainRecord `json:"records"`
	// Kept are requests of the ledger whose record could not be read again.
	Kept    []KeptRow      `json:"kept"`
	Sources []TracedSource `json:"sources"`
	Counts  map[string]int `json:"counts"`
}

// Totals are sums by class; a class that nothing reports is 0 here.
type Totals struct {
	Requests         int64 `json:"requests"`
	InputTokens      int64 `json:"inputTokens"`
	OutputTokens     int64 `json:"outputTokens"`
	ReasoningTokens  int64 `json:"reasoningTokens"`
	CacheReadTokens  int64 `json:"cacheReadTokens"`
	CacheWriteTokens int64 `json:"cacheWriteTokens"`
}

// ExplainRecord is one record with usage. Tokens are those of the record.
type ExplainRecord struct {
	Verdict meterbridge.Verdict `json:"verdict"`
	Rule    string              `json:"rule"`
	Path    string              `json:"path"`
	Line    int64               `json:"line"`
	Offset  int64               `json:"offset"`
	Harness string              `json:"harness"`
	Session string              `json:"session"`
	At      *time.Time          `json:"at"`
	Model   *string             `json:"model"`
	RecordTokens
	// Request is the id of the request; absent for a record without one.
	Request string `json:"request,omitempty"`
	// Note says where else the request counts.
	Note string `json:"note,omitempty"`
	// Cost is that of a record that counts, calls how many requests it counts as.
	*RowCost
	calls int64
}

// RecordTokens are the token classes of a record; null is not reported.
type RecordTokens struct {
	InputTokens      *int64 `json:"inputTokens"`
	OutputTokens     *int64 `json:"outputTokens"`
	ReasoningTokens  *int64 `json:"reasoningTokens"`
	CacheReadTokens  *int64 `json:"cacheReadTokens"`
	CacheWriteTokens *int64 `json:"cacheWriteTokens"`
}

// RowCost is the exact cost of a request in USD, and where it comes from.
type RowCost struct {
	CostUSD    *string    `json:"costUsd"`
	CostBasis  string     `json:"costBasis"`
	PriceKey   *string    `json:"priceKey"`
	PriceTable *string    `json:"priceTable"`
	FirstSeen  *time.Time `json:"firstSeen"`
}

// KeptRow is a request that the ledger keeps though its record was not found again.
type KeptRow struct {
	Why     string    `json:"why"`
	Rule    *string   `json:"rule"`
	Path    string    `json:"path"`
	Line    int64     `json:"line"`
	Harness string    `json:"harness"`
	Session string    `json:"session"`
	At      time.Time `json:"at"`
	Model   *string   `json:"model"`
	RecordTokens
	Request string `json:"request"`
	*RowCost
	calls int64
}

// TracedSource is a source and what came of reading it again.
type TracedSource struct {
	ExplainSource
	Records int     `json:"records"`
	Error   *string `json:"error"`
}

// join is the work of JoinExplain.
type join struct {
	in       ExplainRows
	out      ExplainReport
	sessions map[string]bool
	// rows by ID, and the records of each, as positions in out.Records.
	rows    map[meterbridge.ID]int
	records map[meterbridge.ID][]int
	tokens  []meterbridge.Tokens
	paths   map[int64]string
	failed  map[string]error
}

// JoinExplain joins the ledger's rows with what was read again: each record of
// usage is counted, merged into the one that counts, or dropped.
func JoinExplain(rows ExplainRows, traces []SourceTrace) ExplainReport {
	j := &join{
		in: rows, sessions: map[string]bool{}, rows: map[meterbridge.ID]int{}, records: map[meterbridge.ID][]int{},
		paths: map[int64]string{}, failed: map[string]error{},
	}
	j.begin()
	for _, s := range traces {
		j.source(s)
	}
	for i := range rows.Rows {
		j.decide(i)
	}
	j.sum()
	return j.out
}

func (j *join) begin() {
	j.out = ExplainReport{
		SchemaVersion: SchemaVersion, Timezone: j.in.Timezone, Reported: j.in.Reported.numbers(nil),
		Records: []ExplainRecord{}, Kept: []KeptRow{}, Sources: []TracedSource{}, Counts: map[string]int{},
	}
	j.out.Session, j.out.Harness, j.out.Day = given(j.in.Session), given(j.in.Harness), given(j.in.Day)
	for _, s := range j.in.Sessions {
		j.sessions[s] = true
	}
	for i := range j.in.Rows {
		j.rows[j.in.Rows[i].ID] = i
	}
	for _, s := range j.in.Sources {
		j.paths[s.ID] = s.Path
		j.out.Sources = append(j.out.Sources, TracedSource{ExplainSource: s})
	}
}

// source takes the records of one source that concern what is explained.
func (j *join) source(s SourceTrace) {
	n := 0
	for _, t := range s.Traces {
		if j.record(s, t) {
			n++
		}
	}
	for i := range j.out.Sources {
		if o := &j.out.Sources[i]; o.Path == s.Path && o.Harness == s.Harness {
			o.Records += n
			if s.Err != nil {
				text := s.Err.Error()
				o.Error, j.failed[s.Path] = &text, s.Err
			}
		}
	}
}

func (j *join) record(s SourceTrace, t meterbridge.Trace) bool {
	r := ExplainRecord{
		Verdict: t.Verdict, Rule: t.Rule, Path: s.Path, Line: t.Place.Line, Offset: t.Place.Offset, Harness: s.Harness, Session: t.Session,
		Model: given(t.Model), RecordTokens: recordTokens(t.Tokens),
	}
	if !t.At.IsZero() {
		at := t.At.UTC()
		r.At = &at
	}
	var id meterbridge.ID
	known := false
	if t.NativeID != "" {
		own := meterbridge.NewID(s.Harness, t.Store, t.NativeID)
		if id = j.canonical(own); id != own && r.Verdict == meterbridge.Counted {
			r.Rule = ruleFork
		}
		r.Request = hexID(id)
		_, known = j.rows[id]
	}
	if !known && !j.concerns(t) {
		return false
	}
	if !known && t.Verdict != meterbridge.Dropped {
		j.absent(&r, id)
	}
	if known && t.Verdict != meterbridge.Dropped {
		j.records[id] = append(j.records[id], len(j.out.Records))
	}
	j.out.Records = append(j.out.Records, r)
	j.tokens = append(j.tokens, t.Tokens)
	return true
}

// canonical is the id that the ledger knows a record under.
func (j *join) canonical(id meterbridge.ID) meterbridge.ID {
	for to, ok := j.in.Aliases[id]; ok; to, ok = j.in.Aliases[id] {
		id = to
	}
	return id
}

// concerns reports whether a record without a row belongs to the session or the day.
func (j *join) concerns(t meterbridge.Trace) bool {
	if j.in.Day == "" {
		return j.sessions[t.Session]
	}
	return !t.At.IsZero() && !t.At.Before(j.in.Since) && t.At.Before(j.in.Until)
}

// absent judges a record that is none of the rows: its request counts in
// another session or on another day, or it is not in the ledger yet.
func (j *join) absent(r *ExplainRecord, id meterbridge.ID) {
	other, ok := j.in.Elsewhere[id]
	mirror, mirrored := j.in.Mirrors[recordPlace{r.Harness, r.Path, r.Line}]
	switch {
	case !ok && mirrored:
		r.Verdict, r.Rule, r.Note = meterbridge.Merged, ruleMirror, "counted in session "+mirror.Session+" of "+mirror.Harness
	case !ok:
		r.Verdict, r.Rule = Pending, rulePending
	case j.in.Day != "":
		r.Verdict, r.Rule, r.Note = meterbridge.Merged, ruleElsewhere, "counted at "+other.EndedAt.Format(time.RFC3339)
	default:
		r.Verdict, r.Rule, r.Note = meterbridge.Merged, ruleElsewhere, "counted in session "+other.Session
	}
}

// decide gives the records of a row their verdicts: one counts, the others are
// merged into it. Without one the row is kept.
func (j *join) decide(i int) {
	row := &j.in.Rows[i]
	won, home := j.deciding(row), j.paths[row.Source]
	if won >= 0 {
		home = j.out.Records[won].Path
	}
	for _, n := range j.records[row.ID] {
		r := &j.out.Records[n]
		if n == won {
			r.Verdict, r.RowCost, r.calls = meterbridge.Counted, costOf(row), row.Calls
			if row.Rule != nil {
				r.Rule = *row.Rule
			}
			continue
		}
		if r.Verdict == meterbridge.Counted && r.Rule != ruleFork {
			if r.Rule = ruleCopy; r.Path == home {
				r.Rule = ruleAgain
			}
		}
		r.Verdict = meterbridge.Merged
	}
	if won < 0 {
		j.keep(row)
	}
}

// deciding is the record that the row was made of: the one at its place, else
// one with the same tokens, of the same source first.
func (j *join) deciding(row *ExplainRow) int {
	best, rank := -1, 0
	for _, n := range j.records[row.ID] {
		r := &j.out.Records[n]
		here := r.Path == j.paths[row.Source] && r.Harness == row.Harness
		same := j.tokens[n] == row.Tokens
		score := 0
		switch {
		case here && r.Line == row.Line:
			score = 3
		case here && same:
			score = 2
		case same:
			score = 1
		}
		if score > rank {
			best, rank = n, score
		}
	}
	return best
}

func (j *join) keep(row *ExplainRow) {
	path := j.paths[row.Source]
	why := "its source no longer holds it"
	switch err := j.failed[path]; {
	case row.Rule != nil && *row.Rule == meterbridge.RuleTelemetry:
		why = "telemetry tells of it, and no log that is read here"
	case errors.Is(err, fs.ErrNotExist):
		why = "its source is gone"
	case err != nil:
		why = "its source could not be read"
	default:
		for _, s := range j.in.Sources {
			if s.ID == row.Source && s.Gone {
				why = "its source is gone"
			}
		}
	}
	j.out.Kept = append(j.out.Kept, KeptRow{
		Why: "kept: " + why, Rule: row.Rule, Path: path, Line: row.Line, Harness: row.Harness, Session: row.Session, At: row.EndedAt,
		Model: row.Model, RecordTokens: recordTokens(row.Tokens), Request: hexID(row.ID), RowCost: costOf(row), calls: row.Calls,
	})
}

func (t Totals) minus(u Totals) Totals {
	return Totals{
		Requests: t.Requests - u.Requests, InputTokens: t.InputTokens - u.InputTokens, OutputTokens: t.OutputTokens - u.OutputTokens,
		ReasoningTokens: t.ReasoningTokens - u.ReasoningTokens, CacheReadTokens: t.CacheReadTokens - u.CacheReadTokens,
		CacheWriteTokens: t.CacheWriteTokens - u.CacheWriteTokens,
	}
}

func recordTokens(t meterbridge.Tokens) RecordTokens {
	return RecordTokens{
		InputTokens: known(t.Input), OutputTokens: known(t.Output), ReasoningTokens: known(t.Reasoning),
		CacheReadTokens: known(t.CacheRead), CacheWriteTokens: known(t.CacheWrite()),
	}
}

func costOf(row *ExplainRow) *RowCost {
	c := &RowCost{CostBasis: "none", PriceKey: row.PriceKey, PriceTable: row.PriceTable, FirstSeen: row.FirstSeen}
	if cost := row.Cost(); cost.OK {
		text := cost.Amount.String()
		c.CostUSD, c.CostBasis = &text, "list"
		if row.Recorded.OK {
			c.CostBasis = "recorded"
		}
	}
	return c
}

// known is the count, nil when it is not reported.
func known(c meterbridge.Count) *int64 {
	if !c.OK {
		return nil
	}
	return &c.N
}

// given is the text, nil when it is empty.
func given(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// or0 is the number, 0 when there is none.
func or0(n *int64) int64 {
	if n == nil {
		return 0
	}
	return *n
}
