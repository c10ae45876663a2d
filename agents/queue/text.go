package queue

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Clean is a text as it may be typed: line ends are LF; Escape, every other control
// but TAB, DEL, the C1 controls and what is no UTF-8 are left out, and with Escape
// every mark of a paste.
func Clean(text string) string {
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	text = strings.NewReplacer("\x1b[200~", "", "\x1b[201~", "", "\u009b200~", "", "\u009b201~", "").Replace(text)
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case r < ' ' || r >= 0x7f && r <= 0x9f:
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, ""))
}

// CommandOf is the first character of a text that is a command of the agent rather
// than a prompt; empty for none.
func CommandOf(text string) string {
	trimmed := strings.TrimLeft(text, " \t\n")
	if trimmed != "" && strings.IndexByte("!/#@", trimmed[0]) >= 0 {
		return trimmed[:1]
	}
	return ""
}

// length is that of a text in characters.
func length(text string) int { return utf8.RuneCountInString(text) }

// compared is how much of a text is compared, in characters.
const compared = 200

// Took reports whether what a harness shows of a prompt that it took is the text:
// the letters and digits of its beginning, as some leave out what has no width, or
// a placeholder for a paste. A text without any is compared without white space.
func Took(text, shown string) bool {
	if placeholder(shown) {
		return true
	}
	want, got := letters(cut(text, compared)), letters(cut(shown, 20*compared))
	if want == "" {
		want, got = folded(text, compared), folded(shown, 4*compared)
	}
	return want != "" && strings.Contains(got, want)
}

// folded is a text without white space, cut.
func folded(text string, most int) string {
	return cut(strings.Join(strings.Fields(text), ""), most)
}

// cut is the beginning of a text.
func cut(text string, most int) string {
	if r := []rune(text); len(r) > most {
		return string(r[:most])
	}
	return text
}

// placeholder reports whether a harness shows something in the place of a paste.
func placeholder(shown string) bool {
	shown = strings.ToLower(shown)
	for _, mark := range []string{"[pasted content", "[pasted text", "[pasted ~", "<pasted_content"} {
		if strings.Contains(shown, mark) {
			return true
		}
	}
	return false
}

// inputLines is how many lines at the end of a screen an input takes at most.
const inputLines = 12

// shownEnd is how much of the end of a text is looked for, in characters.
const shownEnd = 30

// shows reports whether the text stands in the agent's input: where that is not
// found, before the cursor, and where that is hidden at the end of the screen.
func shows(look Look, text string) bool {
	lines := strings.Split(strings.TrimRight(text, " \n\t"), "\n")
	end := []rune(letters(lines[len(lines)-1]))
	if len(end) == 0 {
		end = []rune(letters(text))
	}
	want := string(end[max(0, len(end)-shownEnd):])
	switch {
	case look.Input.Known:
		// Where the input is too small for the text, its end is shown.
		return !look.Input.Empty && (placeholder(look.Input.Text) || want == "" || strings.Contains(letters(look.Input.Text), want))
	case look.Row != "":
		return placeholder(look.Row) || want != "" && strings.HasSuffix(letters(look.Row), want)
	}
	screen := strings.Split(strings.TrimRight(look.Text, "\n"), "\n")
	input := strings.Join(screen[max(0, len(screen)-inputLines):], "")
	return placeholder(input) || want != "" && strings.Contains(letters(input), want)
}

// letters are those of a text, and its digits: screens wrap lines, leave out what
// has no width and show other characters as they can.
func letters(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, text)
}
