package testkit

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"

	"meterbridge"
	"meterbridge/harnesses"
)

// Facts are everything that a ledger took, for comparison.
type Facts struct {
	Requests []Row
	Sessions []meterbridge.Session
	Prompts  []meterbridge.Prompt
	Calls    []meterbridge.ToolCall
	Turns    []meterbridge.Turn
	Limits   []meterbridge.Limit
	Events   []meterbridge.Event
	Problems []meterbridge.Problem
}

// Facts returns what the ledger took.
func (m *Memory) Facts() Facts {
	return Facts{m.Rows(), m.Sessions(), m.Prompts(), m.ToolCalls(), m.Turns(), m.Limits(), m.Events(), m.Problems()}
}

// ReadLines is what a ledger holds of a text that parsers of one source read:
// after each line for which stop says so the parser is thrown away and another
// goes on from its state. A nil stop never does.
func ReadLines(t testing.TB, open func(state []byte) harnesses.LineParser, content []byte, stop func(line int64) bool) Facts {
	t.Helper()
	var ledger Memory
	var batch meterbridge.Batch
	var state []byte
	commit := func(p harnesses.LineParser) {
		p.Flush(&batch)
		state = bytes.Clone(p.State())
		u := meterbridge.Unit{Checkpoint: meterbridge.Checkpoint{Path: "log", State: state}, Batch: batch}
		if err := ledger.Commit(context.Background(), []meterbridge.Unit{u}); err != nil {
			t.Fatal(err)
		}
		batch = meterbridge.Batch{}
	}
	p, at := open(nil), meterbridge.Place{}
	for line := range bytes.Lines(content) {
		at.Line++
		p.Line(bytes.TrimSuffix(line, []byte("\n")), at, &batch)
		at.Offset += int64(len(line))
		if stop != nil && stop(at.Line) {
			commit(p)
			p = open(state)
		}
	}
	commit(p)
	return ledger.Facts()
}

// Seeds calls add with every file of a harness's fixtures that ends in ext and is
// small enough to be a seed of a fuzz target.
func Seeds(t testing.TB, fixtures, ext string, add func(content []byte)) {
	t.Helper()
	err := filepath.WalkDir(fixtures, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ext {
			return err
		}
		content, err := os.ReadFile(path)
		if err == nil && len(content) < 8<<10 {
			add(content)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
