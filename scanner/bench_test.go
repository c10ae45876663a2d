package scanner

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"meterbridge"
	"meterbridge/harnesses"
)

// plain claims every *.log below one folder.
func plain(root string) harnesses.Harness {
	return harnesses.Harness{
		ID: "plain", ParserVersion: 1,
		Roots: func(harnesses.Env) []harnesses.Root { return []harnesses.Root{{Path: root}} },
		Claim: func(rel string) (harnesses.Kind, bool) {
			return harnesses.Kind{Name: "log", Shape: harnesses.Lines}, strings.HasSuffix(rel, ".log")
		},
	}
}

func tree(b *testing.B, files int) *Scanner {
	b.Helper()
	root := b.TempDir()
	for i := range files {
		dir := filepath.Join(root, fmt.Sprintf("-home-dev-project-number-%d", i%(files/10)))
		if err := os.MkdirAll(dir, 0o755); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("5f0c1a52-60da-4d74-ab69-%012d.log", i)), []byte("x\n"), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	s, err := New(nil, Options{Harnesses: []harnesses.Harness{plain(root)}})
	if err != nil {
		b.Fatal(err)
	}
	return s
}

func BenchmarkDiscover_12000(b *testing.B) {
	s := tree(b, 12000)
	for b.Loop() {
		res := s.newResult()
		found, err := s.discover(b.Context(), 0, &res)
		if err != nil || len(found.files) != 12000 {
			b.Fatal(len(found.files), err)
		}
	}
}

func BenchmarkPlan_12000Unchanged(b *testing.B) {
	s := tree(b, 12000)
	res := s.newResult()
	found, err := s.discover(b.Context(), 0, &res)
	if err != nil {
		b.Fatal(err)
	}
	var known []meterbridge.Checkpoint
	for i := range found.files {
		c := s.checkpoint(&found.files[i], nil)
		c.Source = int64(i + 1)
		known = append(known, c)
	}
	for b.Loop() {
		if p := s.plan(known, found, &res); !p.empty() {
			b.Fatal("there is something to do")
		}
	}
}

func BenchmarkLines(b *testing.B) {
	for _, length := range []int{200, 2000, 200_000} {
		b.Run(fmt.Sprint(length), func(b *testing.B) {
			line := append(bytes.Repeat([]byte("x"), length-1), '\n')
			content := bytes.Repeat(line, 64<<20/length)
			b.SetBytes(int64(len(content)))
			n := 0
			for b.Loop() {
				s := splitter{buf: newBuffer(make(chan struct{}, 1)), maxLine: 64 << 20}
				s.src = chunks{file: bytes.NewReader(content), end: int64(len(content))}
				s.line = func([]byte, meterbridge.Place) { n++ }
				s.pause = func() error { return nil }
				if err := s.run(b.Context()); err != nil || s.offset != int64(len(content)) {
					b.Fatal(s.offset, err)
				}
			}
		})
	}
}
