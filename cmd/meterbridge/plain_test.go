package main

import (
	"bytes"
	"strings"
	"testing"
)

func TestPlain_NoLogCanSteerTheTerminal(t *testing.T) {
	for in, want := range map[string]string{
		"plain text, é 日本":          "plain text, é 日本",
		"a\x1b[31mred":              "a\uFFFD[31mred",
		"\x1b]0;title\x07":          "\uFFFD]0;title\uFFFD",
		"two\nlines\tand a tab":     "two lines and a tab",
		"turned \u202e round":       "turned \uFFFD round",
		"nul \x00 and c1 \u009b31m": "nul \uFFFD and c1 \uFFFD31m",
	} {
		if got := plain(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
	if got := plain(strings.Repeat("x", 1_000_000)); len([]rune(got)) != longestCell+1 {
		t.Errorf("a long text: got %d characters", len([]rune(got)))
	}
}

// A million characters in every cell must be drawn at once: the test would run
// for hours otherwise.
func TestGrid_LongTextsAreCutBeforeTheyAreMeasured(t *testing.T) {
	long := strings.Repeat("日本 model ", 100_000)
	g := grid{columns: []column{{name: "Key"}, {name: "Model", shrink: true}}, rows: [][]string{{long, long}}, foot: []string{long, ""}}
	for _, width := range []int{0, 80} {
		var out bytes.Buffer
		if err := g.print(&out, width, false); err != nil {
			t.Fatal(err)
		}
		if strings.ContainsRune(out.String(), '\x1b') || out.Len() > 20_000 {
			t.Errorf("width %d: %d bytes", width, out.Len())
		}
	}
}
