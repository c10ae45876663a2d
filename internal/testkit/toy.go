package testkit

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"meterbridge"
	"meterbridge/harnesses"
)

// ToyID is the id of the toy harness.
const ToyID = "toy"

// Toy is a small harness for tests of what is around parsers. Its home is
// $TOY_HOME or ~/.toy; a log (*.log, *.log.zst, *.doc, *.base) holds lines
//
//	m MODEL                       the model of what follows
//	p ID SESSION PARENT           a session and its parent
//	r ID SESSION OUTPUT SECOND    a record of a request; records of one id that
//	                              follow each other are snapshots
//
// A *.base stands for a database; rows are added to it or to its companion *.base-wal.
// One that begins with ! cannot be read.
func Toy() harnesses.Harness {
	return harnesses.Harness{
		ID: ToyID, Name: "Toy", ParserVersion: 1,
		Roots:     toyRoots,
		Claim:     toyClaim,
		Skip:      func(rel string) bool { return filepath.Base(rel) == "skipped" },
		Companion: func(path string) string { return path + "-wal" },
		Lines:     func(_ harnesses.Kind, o harnesses.Options) harnesses.LineParser { return newToyParser(o) },
		Document:  func(_ harnesses.Kind, o harnesses.Options) harnesses.DocumentParser { return newToyParser(o) },
		Database:  func(_ harnesses.Kind, o harnesses.Options) harnesses.DatabaseParser { return &toyBase{o} },
	}
}

func toyRoots(e harnesses.Env) []harnesses.Root {
	if v := e.Getenv("TOY_HOME"); v != "" {
		return []harnesses.Root{{Path: v, Variable: "TOY_HOME", Set: true}}
	}
	return []harnesses.Root{{Path: filepath.Join(e.Home, ".toy"), Variable: "TOY_HOME"}}
}

func toyClaim(rel string) (harnesses.Kind, bool) {
	switch {
	case strings.HasSuffix(rel, ".log"):
		return harnesses.Kind{Name: "log", Shape: harnesses.Lines}, true
	case strings.HasSuffix(rel, ".log.zst"):
		return harnesses.Kind{Name: "packed", Shape: harnesses.CompressedLines}, true
	case strings.HasSuffix(rel, ".doc"):
		return harnesses.Kind{Name: "document", Shape: harnesses.Document}, true
	case strings.HasSuffix(rel, ".base"):
		return harnesses.Kind{Name: "base", Shape: harnesses.Database}, true
	}
	return harnesses.Kind{}, false
}

// ToyLine writes a line of a request.
func ToyLine(id, session string, output, second int) string {
	return fmt.Sprintf("r %s %s %d %d\n", id, session, output, second)
}

type toyParser struct {
	trace bool
	model string
	open  *meterbridge.Request
}

func newToyParser(o harnesses.Options) *toyParser {
	return &toyParser{trace: o.Trace, model: string(o.State)}
}

func (p *toyParser) Line(line []byte, at meterbridge.Place, out *meterbridge.Batch) {
	f := strings.Fields(string(line))
	switch {
	case len(f) == 2 && f[0] == "m":
		p.model = f[1]
	case len(f) == 4 && f[0] == "p":
		out.Sessions = append(out.Sessions, meterbridge.Session{Harness: ToyID, ID: f[2], Parent: f[3], Title: f[1], TitleRank: meterbridge.TitleFromUser})
	case len(f) == 5 && f[0] == "r":
		p.record(f, at, out)
	default:
		out.Problems = append(out.Problems, meterbridge.Problem{Reason: "malformed-line", Place: at})
	}
}

func (p *toyParser) record(f []string, at meterbridge.Place, out *meterbridge.Batch) {
	output, err1 := strconv.ParseInt(f[3], 10, 64)
	second, err2 := strconv.ParseInt(f[4], 10, 64)
	if err1 != nil || err2 != nil {
		out.Problems = append(out.Problems, meterbridge.Problem{Reason: "wrong-type", Place: at})
		return
	}
	r := meterbridge.Request{
		Harness: ToyID, Store: "log", NativeID: f[1], Session: f[2], Model: p.model, Place: at, Rule: "last-snapshot",
		EndedAt: time.Unix(second, 0).UTC(), Tokens: meterbridge.Tokens{Output: meterbridge.Reported(output)},
	}
	if p.trace {
		out.Traces = append(out.Traces, meterbridge.Trace{Place: at, NativeID: f[1], Session: f[2], At: r.EndedAt, Tokens: r.Tokens, Verdict: meterbridge.Counted, Rule: r.Rule})
	}
	if p.open != nil && p.open.NativeID == r.NativeID {
		r = meterbridge.MergeSame(*p.open, r)
	} else {
		p.Flush(out)
	}
	p.open = &r
}

func (p *toyParser) Flush(out *meterbridge.Batch) {
	if p.open != nil {
		out.Requests = append(out.Requests, *p.open)
		p.open = nil
	}
}

func (p *toyParser) State() []byte { return []byte(p.model) }

func (p *toyParser) Document(content []byte, out *meterbridge.Batch) {
	for i, line := range bytes.Split(bytes.TrimSuffix(content, []byte("\n")), []byte("\n")) {
		p.Line(line, meterbridge.Place{Line: int64(i + 1)}, out)
	}
	p.Flush(out)
}

type toyBase struct{ o harnesses.Options }

var errLocked = errors.New("locked")

// ToyBaseBatch is how many rows a toy database gives at a time.
const ToyBaseBatch = 3

// Query reads the rows after those that the state counts.
func (b *toyBase) Query(_ context.Context, out *meterbridge.Batch) ([]byte, error) {
	content, err := os.ReadFile(b.o.Path)
	if err != nil {
		return nil, err
	}
	if bytes.HasPrefix(content, []byte("!")) {
		return nil, errLocked
	}
	wal, err := os.ReadFile(b.o.Path + "-wal")
	if err == nil {
		content = append(content, wal...)
	}
	done, _ := strconv.Atoi(string(b.o.State))
	p := &toyParser{}
	rows := strings.SplitAfter(string(content), "\n")
	for i, row := range rows[min(done, len(rows)):] {
		if i == ToyBaseBatch && row != "" {
			p.Flush(out)
			return []byte(strconv.Itoa(done + i)), harnesses.ErrMore
		}
		if row != "" {
			p.Line([]byte(strings.TrimSuffix(row, "\n")), meterbridge.Place{Line: int64(done + i + 1)}, out)
		}
	}
	p.Flush(out)
	return []byte(strconv.Itoa(len(rows) - 1)), nil
}
