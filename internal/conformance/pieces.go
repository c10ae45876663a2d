package conformance

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"meterbridge"
	"meterbridge/harnesses"
	"meterbridge/internal/testkit"
)

// log is one source of a fixture, with its content on disk.
type log struct {
	path, rel string
	kind      harnesses.Kind
	content   []byte
}

// options are those of a parser that begins at the log's start.
func (l *log) options() harnesses.Options {
	return harnesses.Options{Path: l.path, Rel: l.rel, Siblings: os.DirFS(filepath.Clean(strings.TrimSuffix(filepath.ToSlash(l.path), l.rel)))}
}

// logs are the sources of a home, as a ledger knows them after a scan.
func (f *fixture) logs(t testing.TB, h home, m *testkit.Memory) []log {
	t.Helper()
	var out []log
	for _, s := range m.Sources() {
		l := log{path: s.Path}
		for _, root := range f.harness.Roots(h.env) {
			rel, err := filepath.Rel(root.Path, s.Path)
			if err != nil || strings.HasPrefix(rel, "..") {
				continue
			}
			if rel == "." {
				rel = filepath.Base(s.Path)
			}
			if kind, ok := f.harness.Claim(filepath.ToSlash(rel)); ok && kind.Name == s.Kind {
				l.rel, l.kind = filepath.ToSlash(rel), kind
				break
			}
		}
		content, err := os.ReadFile(s.Path)
		if err == nil && l.rel != "" {
			l.content = content
			out = append(out, l)
		}
	}
	return out
}

// feeder hands a log to a parser line by line, as the scanner does.
type feeder struct {
	h      *harnesses.Harness
	log    log
	state  []byte
	number int64
	offset int64
	// silent: the user keeps no texts.
	silent bool
}

func (f *feeder) open() harnesses.LineParser {
	return f.h.Lines(f.log.kind, harnesses.Options{State: bytes.Clone(f.state), Path: f.log.path, Rel: f.log.rel, DropText: f.silent})
}

// one is what a new parser makes of one further line; a nil line is none.
func (f *feeder) one(line []byte) meterbridge.Batch {
	var b meterbridge.Batch
	p := f.open()
	if len(line) > 0 {
		p.Line(line, meterbridge.Place{Line: f.number + 1, Offset: f.offset}, &b)
	}
	p.Flush(&b)
	if s := p.State(); len(s) > 0 {
		f.state = bytes.Clone(s)
	} else {
		f.state = nil
	}
	return b
}

// next feeds a line and goes on behind it.
func (f *feeder) next(line []byte) meterbridge.Batch {
	b := f.one(trimmed(line, f.offset == 0))
	f.number++
	f.offset += int64(len(line)) + 1
	return b
}

func trimmed(line []byte, first bool) []byte {
	if first {
		line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
	}
	return bytes.TrimSuffix(line, []byte("\r"))
}

// wholeLines are the lines of a log that have an end.
func wholeLines(content []byte) [][]byte {
	i := bytes.LastIndexByte(content, '\n')
	if i < 0 {
		return nil
	}
	return bytes.Split(content[:i], []byte("\n"))
}
