package queue

import (
	"strings"
	"testing"
)

// The rows are as the harnesses draw them; the caret is where the cursor stands.
func TestComposer_FindsWhatStandsInTheInput(t *testing.T) {
	claude := Composer{Marks: []string{"❯"}, Placeholders: []string{"Press up"}, Suggests: true}
	codex := Composer{Marks: []string{"›"}, Placeholders: []string{"Ask Codex"}}
	gemini := Composer{Marks: []string{">", "*"}, Placeholders: []string{"Type your message"}}
	line := strings.Repeat("─", 40)
	for _, c := range []struct {
		name   string
		c      Composer
		screen string
		x, y   int
		cursor bool
		want   Input
	}{
		{"nothing", claude, "said\n" + line + "\n❯\u00a0\n" + line + "\n  mode", 0, 0, false, Input{true, true, true, ""}},
		{"behind a reply", claude, "❯ hello\n● Done.\n" + line + "\n❯ \n" + line, 0, 0, false, Input{true, true, true, ""}},
		{"a hint", claude, line + "\n❯ Press up to edit\n" + line, 0, 0, false, Input{true, true, true, "Press up to edit"}},
		{"two rows, no cursor", claude, line + "\n❯ one\n  two\n" + line + "\nmode", 0, 0, false, Input{true, false, false, "one\ntwo"}},
		{"placeholder", codex, "› said\n• done\n\n› Ask Codex to do anything\n\n  ? for shortcuts", 2, 3, true, Input{true, true, true, "Ask Codex to do anything"}},
		{"a draft", codex, "› said\n\n› half a line\n\n  ? for shortcuts", 13, 2, true, Input{true, false, true, "half a line"}},
		{"a draft of two rows", codex, "› half\n  a line\n\n  ? for", 8, 1, true, Input{true, false, true, "half\na line"}},
		{"a suggestion, or a cursor that was moved", codex, "› Explain this code\n\n  ? for", 2, 0, true, Input{true, true, false, "Explain this code"}},
		{"in a box", gemini, "╭" + line + "╮\n│ > fix it   │\n╰" + line + "╯\n", 0, 0, false, Input{true, false, true, "fix it"}},
		{"an empty one in lines of blocks", gemini, "▄▄▄▄▄▄▄▄▄▄▄▄\n >   Type your message or @path\n▀▀▀▀▀▀▀▀▀▀▀▀\n", 0, 0, false, Input{true, true, true, "Type your message or @path"}},
		{"no mark", gemini, "a\nb", 0, 0, false, Input{}},
		{"none known", Composer{}, "> a", 0, 0, false, Input{}},
	} {
		if got := c.c.Find(strings.Split(c.screen, "\n"), c.x, c.y, c.cursor); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}

// Screens wrap texts, and leave out what has no width or turns the direction.
func TestShows_ATextAsScreensShowIt(t *testing.T) {
	text := "see e\u0301 \u202eright to left\u202c and zero\u200bwidth, the end ①"
	in := Input{Known: true, Text: "see e\u0301 right to left and\nzerowidth, the end ①"}
	if !shows(Look{Input: in}, text) {
		t.Error("not seen in the input")
	}
	if shows(Look{Input: Input{Known: true, Empty: true, Sure: true}, Text: text}, text) {
		t.Error("seen in an empty input")
	}
}

// What the screen shows for sure goes before what keys made likely.
func TestLook_DraftsAreSeenOnTheScreen(t *testing.T) {
	for _, c := range []struct {
		in    Input
		keys  bool
		draft bool
	}{
		{Input{}, true, true},
		{Input{}, false, false},
		{Input{Known: true, Empty: true, Sure: true}, true, false},
		{Input{Known: true, Sure: true, Text: "x"}, false, true},
		{Input{Known: true, Text: "a suggestion"}, false, false},
	} {
		if got := (Look{Input: c.in, Draft: c.keys}).drafted(); got != c.draft {
			t.Errorf("%+v, keys %v: %v", c.in, c.keys, got)
		}
	}
}

// Harnesses fold white space, leave out what has no width, and show a placeholder
// for a paste.
func TestTook_WhatHarnessesShowOfAPrompt(t *testing.T) {
	for _, c := range []struct {
		text, shown string
		want        bool
	}{
		{"one\n\ttwo", "one two", true},
		{"zero\u200bwidth \u202eturned\u202c", "zerowidth turned", true},
		{"a long text", "[Pasted text #2 +40 lines]", true},
		{"a long text", `<pasted_content id="1">a long text</pasted_content>`, true},
		{"???", "?? ?", true},
		{"fix it", "fix that", false},
		{"???", "!", false},
		{strings.Repeat("word ", 4000), strings.Repeat("word ", 40), true},
		{"mine", "", false},
	} {
		if got := Took(c.text, c.shown); got != c.want {
			t.Errorf("Took(%.20q, %.20q) = %v", c.text, c.shown, got)
		}
	}
}
