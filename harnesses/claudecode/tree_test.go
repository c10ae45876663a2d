package claudecode

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"meterbridge"
	"meterbridge/harnesses"
)

// tree is what all sources below the roots of a home hold, merged by the
// domain's rules: a ledger small enough to test a parser with.
type tree struct {
	requests map[string]held
	prompts  map[string]meterbridge.Prompt
	batch    meterbridge.Batch
}

type held struct {
	meterbridge.Request
	claim meterbridge.Claim
}

// cut says how many bytes of a file the next piece ends after; pieces end at
// lines, and each begins with a new parser.
type cut func(lines int) (lastOfPiece bool)

func whole(int) bool { return false }

func every(n int) cut { return func(line int) bool { return line%n == 0 } }

// readTree reads every source below home/.claude (or each root given).
func readTree(t testing.TB, at cut, roots ...string) *tree {
	t.Helper()
	tr := &tree{requests: map[string]held{}, prompts: map[string]meterbridge.Prompt{}}
	h := Harness()
	for _, root := range roots {
		for _, rel := range sources(t, h, root) {
			path := filepath.Join(root, filepath.FromSlash(rel))
			content, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			kind, _ := h.Claim(rel)
			tr.read(h, kind, harnesses.Options{Path: path, Rel: rel}, content, at)
		}
	}
	return tr
}

func sources(t testing.TB, h harnesses.Harness, root string) []string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(root, path)
		rel = filepath.ToSlash(rel)
		if d.IsDir() {
			if rel != "." && h.Skip(rel) {
				return fs.SkipDir
			}
			return nil
		}
		if _, ok := h.Claim(rel); ok {
			out = append(out, rel)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(out)
	return out
}

func (tr *tree) read(h harnesses.Harness, kind harnesses.Kind, o harnesses.Options, content []byte, at cut) {
	if kind.Shape == harnesses.Document {
		var out meterbridge.Batch
		h.Document(kind, o).Document(content, &out)
		tr.add(out, o.Rel)
		return
	}
	p := h.Lines(kind, o)
	var out meterbridge.Batch
	number, offset := int64(0), int64(0)
	for {
		end := bytes.IndexByte(content, '\n')
		if end < 0 {
			break
		}
		number++
		p.Line(content[:end], meterbridge.Place{Line: number, Offset: offset}, &out)
		content, offset = content[end+1:], offset+int64(end)+1
		if at(int(number)) {
			p.Flush(&out)
			tr.add(out, o.Rel)
			out = meterbridge.Batch{}
			o.State = p.State()
			p = h.Lines(kind, o)
		}
	}
	p.Flush(&out)
	tr.add(out, o.Rel)
}

func (tr *tree) add(b meterbridge.Batch, source string) {
	for _, q := range b.Requests {
		claim := meterbridge.Claim{Session: q.Session, Path: source, ModTime: time.Time{}}
		old, ok := tr.requests[q.NativeID]
		if !ok {
			tr.requests[q.NativeID] = held{q, claim}
			continue
		}
		owner := meterbridge.Own(old.claim, claim, func(child, origin string) bool { return false })
		merged := meterbridge.Merge(old.Request, q, owner, owner, old.claim.Path == source)
		if merged.Session == q.Session && owner == meterbridge.NewOwns {
			old.claim = claim
		}
		tr.requests[q.NativeID] = held{merged, old.claim}
	}
	for _, q := range b.Prompts {
		if _, ok := tr.prompts[q.NativeID]; !ok {
			tr.prompts[q.NativeID] = q
		}
	}
	tr.batch.Sessions = append(tr.batch.Sessions, b.Sessions...)
	tr.batch.ToolCalls = append(tr.batch.ToolCalls, b.ToolCalls...)
	tr.batch.Turns = append(tr.batch.Turns, b.Turns...)
	tr.batch.Limits = append(tr.batch.Limits, b.Limits...)
	tr.batch.Events = append(tr.batch.Events, b.Events...)
	tr.batch.Problems = append(tr.batch.Problems, b.Problems...)
	tr.batch.Traces = append(tr.batch.Traces, b.Traces...)
}

// sums are the tokens of all requests by class; null counts as 0.
type sums struct{ Requests, Input, Output, Reasoning, CacheRead, Write5m, Write1h int64 }

func (s *sums) add(t meterbridge.Tokens) {
	s.Requests++
	s.Input += t.Input.N
	s.Output += t.Output.N
	s.Reasoning += t.Reasoning.N
	s.CacheRead += t.CacheRead.N
	s.Write5m += t.CacheWrite5m.N
	s.Write1h += t.CacheWrite1h.N
}

func (tr *tree) sums() (s sums) {
	for _, q := range tr.requests {
		s.add(q.Tokens)
	}
	return s
}

func readFile(t testing.TB, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}
