package codexcli

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"meterbridge"
	"meterbridge/harnesses"
)

// folded is what a ledger would hold of some batches, as far as tests need it.
type folded struct {
	Requests  map[string]meterbridge.Request
	Traces    []meterbridge.Trace
	Sessions  map[string]meterbridge.Session
	Prompts   map[string]meterbridge.Prompt
	ToolCalls map[string]meterbridge.ToolCall
	Turns     map[string]meterbridge.Turn
	Events    []meterbridge.Event
	Limits    []meterbridge.Limit
	Problems  []meterbridge.Problem
}

func newFolded() *folded {
	return &folded{
		Requests: map[string]meterbridge.Request{}, Sessions: map[string]meterbridge.Session{},
		Prompts: map[string]meterbridge.Prompt{}, ToolCalls: map[string]meterbridge.ToolCall{},
		Turns: map[string]meterbridge.Turn{},
	}
}

func (f *folded) add(b *meterbridge.Batch) {
	for _, q := range b.Requests {
		if old, ok := f.Requests[q.NativeID]; ok {
			q = meterbridge.Merge(old, q, meterbridge.OldOwns, meterbridge.OldOwns, old.Session == q.Session)
		}
		f.Requests[q.NativeID] = q
	}
	for _, s := range b.Sessions {
		f.Sessions[s.ID] = join(f.Sessions[s.ID], s)
	}
	for _, p := range b.Prompts {
		if _, ok := f.Prompts[p.NativeID]; !ok {
			f.Prompts[p.NativeID] = p
		}
	}
	for _, c := range b.ToolCalls {
		f.ToolCalls[c.NativeID] = joinCall(f.ToolCalls[c.NativeID], c)
	}
	for _, t := range b.Turns {
		f.Turns[t.NativeID] = joinTurn(f.Turns[t.NativeID], t)
	}
	f.Traces = append(f.Traces, b.Traces...)
	f.Events = append(f.Events, b.Events...)
	f.Limits = append(f.Limits, b.Limits...)
	f.Problems = append(f.Problems, b.Problems...)
}

func join(old, s meterbridge.Session) meterbridge.Session {
	old.Harness, old.ID = s.Harness, s.ID
	for _, p := range [][2]*string{
		{&old.Parent, &s.Parent},
		{&old.AgentType, &s.AgentType},
		{&old.Project, &s.Project},
		{&old.Branch, &s.Branch},
		{&old.Version, &s.Version},
	} {
		if *p[1] != "" {
			*p[0] = *p[1]
		}
	}
	if s.Relation != "" {
		old.Relation = s.Relation
	}
	if s.Title != "" && s.TitleRank >= old.TitleRank {
		old.Title, old.TitleRank = s.Title, s.TitleRank
	}
	if s.LastReply != "" {
		old.LastReply, old.LastReplyAt = s.LastReply, s.LastReplyAt
	}
	return old
}

func joinCall(old, c meterbridge.ToolCall) meterbridge.ToolCall {
	if c.Request == "" {
		c.Request = old.Request
	}
	if c.Name == "" {
		c.Name = old.Name
	}
	if c.StartedAt.IsZero() {
		c.StartedAt = old.StartedAt
	}
	if c.EndedAt.IsZero() {
		c.EndedAt = old.EndedAt
	}
	if c.OK == nil {
		c.OK = old.OK
	}
	return c
}

func joinTurn(old, t meterbridge.Turn) meterbridge.Turn {
	if t.StartedAt.IsZero() {
		t.StartedAt = old.StartedAt
	}
	if t.EndedAt.IsZero() {
		t.EndedAt = old.EndedAt
	}
	if t.Outcome == "" {
		t.Outcome = old.Outcome
	}
	return t
}

// source is a file of a home as the parser is given it.
type source struct {
	rel, kind string
	content   []byte
}

// sources are the text files that the harness claims below dir, in the order of their names.
func sources(t testing.TB, dir string) []source {
	t.Helper()
	var all []source
	if _, err := os.Stat(dir); os.IsNotExist(err) {
		return nil // a case with its logs elsewhere
	}
	err := filepath.WalkDir(dir, func(p string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(dir, p)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		kind, ok := claim(rel)
		if !ok || kind.Shape != harnesses.Lines {
			return nil
		}
		b, err := os.ReadFile(p)
		all = append(all, source{rel, kind.Name, b})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// lines are the whole lines of a file, as the scanner hands them out.
func lines(content []byte) [][]byte {
	all := bytes.SplitAfter(content, []byte("\n"))
	if n := len(all); len(all[n-1]) > 0 && !bytes.HasSuffix(all[n-1], []byte("\n")) || len(all[n-1]) == 0 {
		all = all[:n-1]
	}
	return all
}

// parse reads a source; before the line n it stops at a checkpoint and goes on
// with a new parser where stop(n) says so.
func parse(s source, stop func(n int) bool, out *folded) {
	kind := harnesses.Kind{Name: s.kind}
	opt := harnesses.Options{Trace: true, Path: "/home/dev/.codex/" + s.rel, Rel: s.rel}
	p := openLines(kind, opt)
	var b meterbridge.Batch
	var offset int64
	for n, line := range lines(s.content) {
		if stop != nil && stop(n) {
			p.Flush(&b)
			out.add(&b)
			b = meterbridge.Batch{}
			opt.State = slices.Clone(p.State())
			p = openLines(kind, opt)
		}
		place := meterbridge.Place{Line: int64(n + 1), Offset: offset}
		offset += int64(len(line))
		p.Line(bytes.TrimRight(slices.Clone(line), "\r\n"), place, &b)
	}
	p.Flush(&b)
	out.add(&b)
}

func every(k int) func(int) bool { return func(n int) bool { return n > 0 && n%k == 0 } }

func parseAll(all []source, stop func(int) bool) *folded {
	out := newFolded()
	for _, s := range all {
		parse(s, stop, out)
	}
	return out
}
