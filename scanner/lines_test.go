package scanner

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"meterbridge"
)

// split runs a splitter with a small buffer over content, as a file or a stream.
func split(t *testing.T, content []byte, size int, maxLine int64, stream bool) (*splitter, []string) {
	t.Helper()
	var got []string
	small := make([]byte, size)
	s := &splitter{buf: &buffer{b: small, small: small, giant: make(chan struct{}, 1)}, maxLine: maxLine}
	if stream {
		s.src.stream = bytes.NewReader(content)
	} else {
		s.src.file, s.src.end = bytes.NewReader(content), int64(len(content))
	}
	s.line = func(line []byte, at meterbridge.Place) {
		got = append(got, fmt.Sprintf("%d %d %q", at.Line, at.Offset, line))
	}
	s.long = func(at meterbridge.Place) { got = append(got, fmt.Sprintf("%d %d too long", at.Line, at.Offset)) }
	s.pause = func() error { return nil }
	if err := s.run(t.Context()); err != nil {
		t.Fatalf("split %q: %v", content, err)
	}
	return s, got
}

// simple is what a splitter has to do, said plainly.
func simple(content []byte, maxLine int64) (lines []string, offset, count int64) {
	for {
		i := bytes.IndexByte(content[offset:], '\n')
		if i < 0 {
			return lines, offset, count
		}
		line := content[offset : offset+int64(i)]
		place := fmt.Sprintf("%d %d", count+1, offset)
		if offset == 0 {
			line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
		}
		line = bytes.TrimSuffix(line, []byte("\r"))
		switch {
		case int64(i) >= maxLine:
			lines = append(lines, place+" too long")
		case len(line) > 0:
			lines = append(lines, fmt.Sprintf("%s %q", place, line))
		}
		offset += int64(i) + 1
		count++
	}
}

func FuzzSplitter(f *testing.F) {
	f.Add([]byte("one\ntwo\r\n\nthree"), 4, 8)
	f.Add([]byte("\xef\xbb\xbfbom\n"+strings.Repeat("long ", 40)+"\nshort\n"), 16, 64)
	f.Add([]byte(strings.Repeat("x", 300)+"\n"+strings.Repeat("y", 100)+"\nz\n"), 32, 100)
	f.Add([]byte(strings.Repeat("never ends", 50)), 10, 20)
	f.Fuzz(func(t *testing.T, content []byte, size, maxLine int) {
		size, most := 1+min(max(size, 0), 64), int64(1+min(max(maxLine, 0), 256))
		want, offset, count := simple(content, most)
		for _, stream := range []bool{false, true} {
			s, got := split(t, content, size, most, stream)
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("stream %v, buffer %d, longest %d, %q (-want +got):\n%s", stream, size, most, content, d)
			}
			if s.offset != offset || s.lines != count {
				t.Errorf("stream %v: offset %d, %d lines; want %d, %d", stream, s.offset, s.lines, offset, count)
			}
			checkEnds(t, s, content[:offset], stream)
		}
	})
}

// checkEnds compares the fingerprints with those of what was consumed.
func checkEnds(t *testing.T, s *splitter, consumed []byte, stream bool) {
	t.Helper()
	want, err := readPrefix(bytes.NewReader(consumed), int64(len(consumed)))
	if err != nil {
		t.Fatal(err)
	}
	sum, n := s.ends.head.sum(s.offset)
	if wantSum, wantLen := want.head.sum(s.offset); sum != wantSum || n != wantLen {
		t.Errorf("stream %v: head of %d bytes %x, want %d bytes %x", stream, n, sum, wantLen, wantSum)
	}
	if !stream && s.ends.tail.sum() != want.tail.sum() {
		t.Errorf("tail %q, want %q", s.ends.tail.bytes, want.tail.bytes)
	}
}
