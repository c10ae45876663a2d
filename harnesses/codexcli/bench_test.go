package codexcli

import (
	"bytes"
	"os"
	"testing"

	"meterbridge"
	"meterbridge/harnesses"
)

// BenchmarkRollouts reads the corpus of corpusVariable.
func BenchmarkRollouts(b *testing.B) {
	dir := os.Getenv(corpusVariable)
	if dir == "" {
		b.Skip(corpusVariable + " is not set")
	}
	all := home(b, dir)
	var size int64
	for _, s := range all {
		size += int64(len(s.content))
	}
	b.SetBytes(size)
	b.ReportAllocs()
	for b.Loop() {
		for _, s := range all {
			read(s)
		}
	}
}

func read(s source) {
	var out meterbridge.Batch
	p := openLines(harnesses.Kind{Name: s.kind}, harnesses.Options{Path: s.rel, Rel: s.rel})
	var n, offset int64
	for rest := s.content; len(rest) > 0; {
		i := bytes.IndexByte(rest, '\n')
		if i < 0 {
			break
		}
		n++
		p.Line(rest[:i], meterbridge.Place{Line: n, Offset: offset}, &out)
		offset += int64(i + 1)
		rest = rest[i+1:]
	}
	p.Flush(&out)
}
