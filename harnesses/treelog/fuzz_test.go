package treelog

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"meterbridge"
	"meterbridge/harnesses"
)

const fixtureDir = "../../testdata/harnesses"

// logs calls add with every log of the fixtures of the programs that write such logs.
func logs(f *testing.F, add func(content []byte)) {
	f.Helper()
	err := filepath.WalkDir(fixtureDir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.Contains(path, "sessions") || !strings.Contains(filepath.Base(path), ".jsonl") || d.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		if err == nil && bytes.HasPrefix(content, []byte(`{"type":"session","`)) {
			add(content)
		}
		return err
	})
	if err != nil {
		f.Fatal(err)
	}
}

func dialect() Dialect {
	return Dialect{Harness: "toy", Store: "entries", Native: func(session, entry, timestamp string) string { return session + "/" + entry + "@" + timestamp }}
}

// parse reads a log; after each line for which stop says so the parser is thrown
// away and another goes on from its state.
func parse(content []byte, stop func(line int) bool) (b meterbridge.Batch) {
	opt := harnesses.Options{Trace: true}
	p := New(dialect(), Origin{Session: "named"}, opt)
	at := meterbridge.Place{}
	for line := range bytes.Lines(content) {
		at.Line++
		p.Line(bytes.TrimSuffix(line, []byte("\n")), at, &b)
		at.Offset += int64(len(line))
		if stop(int(at.Line)) {
			p.Flush(&b)
			opt.State = p.State()
			p = New(dialect(), Origin{Session: "named"}, opt)
		}
	}
	p.Flush(&b)
	return b
}

// replies leaves the last reply of each session only: how often a text is told
// depends on where the reading stopped.
func replies(b *meterbridge.Batch) map[string]string {
	last := map[string]string{}
	rest := b.Sessions[:0]
	for _, s := range b.Sessions {
		if s.LastReply == "" {
			rest = append(rest, s)
			continue
		}
		last[s.ID] = s.LastReply + s.LastReplyAt.String()
	}
	b.Sessions = rest
	return last
}

// FuzzEntries reads anything: no panic, no request without a session, a time and
// an id, and wherever the reading is broken off and taken up again the facts are
// the same.
func FuzzEntries(f *testing.F) {
	logs(f, func(content []byte) { f.Add(content, uint64(0xaaaaaaaaaaaaaaaa)) })
	f.Fuzz(func(t *testing.T, content []byte, stops uint64) {
		whole := parse(content, func(int) bool { return false })
		told := replies(&whole)
		for _, r := range whole.Requests {
			if r.EndedAt.IsZero() || r.Session == "" || r.NativeID == "" {
				t.Fatalf("a request without time, session or id: %+v", r)
			}
			if !bytes.Contains(content, []byte("usage")) && !bytes.Contains(content, []byte(`\u`)) {
				t.Fatalf("a request without usage in the log: %+v", r)
			}
		}
		for _, stop := range []func(int) bool{func(int) bool { return true }, func(line int) bool { return stops>>(line%64)&1 == 1 }} {
			parts := parse(content, stop)
			if d := cmp.Diff(told, replies(&parts)); d != "" {
				t.Fatalf("replies (-whole +pieces):\n%s", d)
			}
			if d := cmp.Diff(whole, parts, cmp.AllowUnexported(meterbridge.PicoUSD{})); d != "" {
				t.Fatalf("read in pieces (-whole +pieces):\n%s", d)
			}
		}
	})
}
