// Package parsertest holds the fuzz laws of parsers of text: whatever a log
// holds, a parser never panics, its facts are whole, and for logs that grow it
// makes no difference where reading was broken off. It imports the contract of a
// harness and the cursor over JSON; the tests of harnesses call it.
package parsertest

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"meterbridge"
	"meterbridge/harnesses"
)

// seedLen bounds the size of a seed.
const seedLen = 8 << 10

// seeds adds the sources of one shape in a harness's fixtures to a corpus.
func seeds(f *testing.F, h harnesses.Harness, shape harnesses.Shape, add func(rel string, content []byte)) {
	f.Helper()
	fixtures := filepath.Join("..", "..", "testdata", "harnesses", h.ID)
	cases, err := filepath.Glob(filepath.Join(fixtures, "*", "home"))
	if err != nil {
		f.Fatal(err)
	}
	for _, home := range cases {
		absolute, err := filepath.Abs(home)
		if err != nil {
			f.Fatal(err)
		}
		for _, root := range h.Roots(harnesses.Env{Home: absolute, OS: "linux", Getenv: func(string) string { return "" }}) {
			addRoot(f, h, shape, root.Path, add)
		}
	}
}

func addRoot(f *testing.F, h harnesses.Harness, shape harnesses.Shape, root string, add func(rel string, content []byte)) {
	f.Helper()
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil //nolint:nilerr // a root that is not there has no seeds
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		kind, ok := h.Claim(rel)
		if !ok || kind.Shape != shape {
			return nil
		}
		content, err := os.ReadFile(path)
		if err == nil && len(content) <= seedLen {
			add(rel, content)
		}
		return err
	})
	if err != nil {
		f.Fatal(err)
	}
}

// Documents fuzzes the parser of documents: it never panics, its facts are
// whole, and the same text gives the same facts.
func Documents(f *testing.F, h harnesses.Harness) {
	seeds(f, h, harnesses.Document, func(rel string, content []byte) { f.Add(rel, content) })
	f.Fuzz(func(t *testing.T, rel string, content []byte) {
		kind, ok := h.Claim(rel)
		if !ok || kind.Shape != harnesses.Document {
			t.Skip("no document")
		}
		var first, second meterbridge.Batch
		opt := harnesses.Options{Rel: rel, Path: "/nowhere/" + rel, Trace: true, Siblings: os.DirFS(t.TempDir())}
		h.Document(kind, opt).Document(content, &first)
		h.Document(kind, opt).Document(content, &second)
		Check(t, &first)
		if diff := cmp.Diff(first, second, cmp.AllowUnexported(meterbridge.PicoUSD{})); diff != "" {
			t.Errorf("read twice (-first +second):\n%s", diff)
		}
	})
}

// Lines fuzzes the parser of text that grows: beside what holds for documents,
// a parser that goes on from another's state finds the same.
func Lines(f *testing.F, h harnesses.Harness) {
	seeds(f, h, harnesses.Lines, func(rel string, content []byte) {
		f.Add(rel, content, uint64(0xaaaaaaaaaaaaaaaa))
		f.Add(rel, content, ^uint64(0))
	})
	f.Fuzz(func(t *testing.T, rel string, content []byte, stops uint64) {
		kind, ok := h.Claim(rel)
		if !ok || kind.Shape != harnesses.Lines || bytes.Count(content, []byte{'\n'}) > 200 {
			t.Skip("no lines, or too many")
		}
		whole := feed(h, kind, rel, content, 0)
		Check(t, &whole)
		parts := feed(h, kind, rel, content, stops)
		if diff := cmp.Diff(merged(whole), merged(parts), cmp.AllowUnexported(meterbridge.PicoUSD{})); diff != "" {
			t.Errorf("(-whole +pieces):\n%s", diff)
		}
	})
}

// feed reads lines; behind each whose bit is set in stops another parser goes on.
func feed(h harnesses.Harness, kind harnesses.Kind, rel string, content []byte, stops uint64) meterbridge.Batch {
	var out meterbridge.Batch
	opt := harnesses.Options{Rel: rel, Path: "/nowhere/" + rel}
	p := h.Lines(kind, opt)
	at := meterbridge.Place{}
	for line := range bytes.Lines(content) {
		at.Line++
		p.Line(bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r")), at, &out)
		at.Offset += int64(len(line))
		if stops>>(at.Line%64)&1 == 1 {
			p.Flush(&out)
			opt.State = bytes.Clone(p.State())
			p = h.Lines(kind, opt)
		}
	}
	p.Flush(&out)
	return out
}

// outcome is what a ledger makes of the facts of one source.
type outcome struct {
	Requests map[string]meterbridge.Request
	Sessions map[string]meterbridge.Session
	Prompts  map[string]meterbridge.Prompt
	Calls    map[string]meterbridge.ToolCall
	Turns    map[string]meterbridge.Turn
	Limits   []meterbridge.Limit
	Events   []meterbridge.Event
	Problems []meterbridge.Problem
}

func merged(b meterbridge.Batch) outcome {
	o := outcome{
		Requests: map[string]meterbridge.Request{}, Sessions: map[string]meterbridge.Session{}, Prompts: map[string]meterbridge.Prompt{},
		Calls: map[string]meterbridge.ToolCall{}, Turns: map[string]meterbridge.Turn{}, Limits: b.Limits, Events: b.Events, Problems: b.Problems,
	}
	for _, r := range b.Requests {
		if old, ok := o.Requests[r.Store+r.NativeID]; ok {
			r = meterbridge.MergeSame(old, r)
		}
		o.Requests[r.Store+r.NativeID] = r
	}
	for _, s := range b.Sessions {
		o.Sessions[s.ID] = session(o.Sessions[s.ID], s)
	}
	for _, p := range b.Prompts {
		if _, ok := o.Prompts[p.NativeID]; !ok {
			o.Prompts[p.NativeID] = p
		}
	}
	for _, c := range b.ToolCalls {
		o.Calls[c.NativeID] = call(o.Calls[c.NativeID], c)
	}
	for _, turn := range b.Turns {
		o.Turns[turn.NativeID] = turned(o.Turns[turn.NativeID], turn)
	}
	return o
}

func session(old, s meterbridge.Session) meterbridge.Session {
	old.Harness, old.ID = s.Harness, s.ID
	if s.Title != "" && s.TitleRank >= old.TitleRank {
		old.Title, old.TitleRank = s.Title, s.TitleRank
	}
	if s.LastReply != "" && !s.LastReplyAt.Before(old.LastReplyAt) {
		old.LastReply, old.LastReplyAt = s.LastReply, s.LastReplyAt
	}
	set(&old.Parent, s.Parent)
	set(&old.Relation, s.Relation)
	set(&old.AgentType, s.AgentType)
	set(&old.Project, s.Project)
	set(&old.Branch, s.Branch)
	set(&old.Version, s.Version)
	return old
}

func call(old, c meterbridge.ToolCall) meterbridge.ToolCall {
	old.Harness, old.NativeID, old.Session = c.Harness, c.NativeID, c.Session
	set(&old.Request, c.Request)
	set(&old.Name, c.Name)
	set(&old.StartedAt, c.StartedAt)
	set(&old.EndedAt, c.EndedAt)
	set(&old.OK, c.OK)
	return old
}

func turned(old, t meterbridge.Turn) meterbridge.Turn {
	old.Harness, old.NativeID, old.Session = t.Harness, t.NativeID, t.Session
	set(&old.StartedAt, t.StartedAt)
	set(&old.EndedAt, t.EndedAt)
	set(&old.Outcome, t.Outcome)
	return old
}

func set[T comparable](to *T, from T) {
	var nothing T
	if from != nothing {
		*to = from
	}
}

// Check reports facts that are not whole: without an id, a session or a time, or
// with numbers that cannot be.
func Check(t testing.TB, b *meterbridge.Batch) {
	t.Helper()
	for _, r := range b.Requests {
		if bad := faulty(&r); bad != "" {
			t.Errorf("a request with %s: %+v", bad, r)
		}
	}
	for _, s := range b.Sessions {
		if s.Harness == "" || s.ID == "" || s.Parent == s.ID || (s.Parent == "") != (s.Relation == "") {
			t.Errorf("a session without an id, or its own parent, or a parent without a relation: %+v", s)
		}
	}
	for _, p := range b.Prompts {
		if p.Harness == "" || p.NativeID == "" || p.Session == "" || !possible(p.At) || utf8.RuneCountInString(p.Preview) > meterbridge.PreviewRunes {
			t.Errorf("a prompt without id, session or time, or a long one: %+v", p)
		}
	}
	for _, c := range b.ToolCalls {
		if c.Harness == "" || c.NativeID == "" || c.Session == "" {
			t.Errorf("a call without an id or a session: %+v", c)
		}
	}
	for _, e := range b.Events {
		if e.Harness == "" || e.Session == "" || e.Kind == "" || !possible(e.At) {
			t.Errorf("an event without a session, kind or time: %+v", e)
		}
	}
	for _, x := range b.Turns {
		if x.Harness == "" || x.NativeID == "" || x.Session == "" {
			t.Errorf("a turn without an id or a session: %+v", x)
		}
	}
}

func faulty(r *meterbridge.Request) string {
	k := r.Tokens
	for _, c := range []meterbridge.Count{k.Input, k.Output, k.Reasoning, k.CacheRead, k.CacheWrite5m, k.CacheWrite1h} {
		if c.N < 0 || !c.OK && c.N != 0 {
			return "a number below 0"
		}
	}
	switch {
	case r.Harness == "" || r.Store == "" || r.NativeID == "" || r.Session == "" || r.Rule == "":
		return "no id, session or rule"
	case !possible(r.EndedAt) || !r.StartedAt.IsZero() && (!possible(r.StartedAt) || r.StartedAt.After(r.EndedAt)):
		return "impossible times"
	case k.Reasoning.N > k.Output.N && r.Rule != meterbridge.RuleRemainder:
		return "more reasoning than output"
	case strings.TrimSpace(r.NativeID) == "":
		return "a blank id"
	}
	return ""
}

func possible(at time.Time) bool {
	return !at.IsZero() && at.Year() >= 1970 && at.Year() <= 9999
}
