package queue

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Composer is how a harness's screen shows the input of its agent.
type Composer struct {
	// Marks begin the first row of the input; none: it is not known where that is.
	Marks []string
	// Placeholders begin what is shown there while nothing is typed.
	Placeholders []string
	// Suggests: a text that nobody typed may stand there, as the harness's suggestion.
	Suggests bool
}

// Input is what stands in an agent's input, as the screen shows it.
type Input struct {
	// Known: the input was found. Empty: nothing is typed in it. Sure: that is told by
	// the cursor or a placeholder; a suggestion of the harness's may look like a text.
	Known, Empty, Sure bool
	// Text are its rows, without the mark.
	Text string
}

// Find looks for the input on a screen whose cursor is at x and y, where it shows.
func (c Composer) Find(lines []string, x, y int, cursor bool) Input {
	for i := len(lines) - 1; i >= 0; i-- {
		row := strings.TrimLeftFunc(lines[i], frame)
		for _, mark := range c.Marks {
			if first, ok := strings.CutPrefix(row, mark); ok && (first == "" || !letter(first)) {
				at := utf8.RuneCountInString(lines[i]) - utf8.RuneCountInString(first)
				return c.read(first, lines[i+1:], cursor, y-i, x-at)
			}
		}
	}
	return Input{}
}

// letter reports whether a text begins with a letter or a digit: then what was taken
// for a mark is a part of a word.
func letter(text string) bool {
	r, _ := utf8.DecodeRuneInString(text)
	return unicode.IsLetter(r) || unicode.IsDigit(r)
}

// read reads an input from its first row on; down and right are the cursor's place
// from behind the mark.
func (c Composer) read(first string, below []string, cursor bool, down, right int) Input {
	rows := []string{first}
	inside := cursor && down >= 0 && down <= len(below)
	for i, row := range below {
		if border(row) || inside && i >= down {
			break
		}
		rows = append(rows, row)
	}
	for i, row := range rows {
		rows[i] = strings.TrimFunc(row, frame)
	}
	in := Input{Known: true, Text: strings.TrimSpace(strings.Join(rows, "\n"))}
	placeholder := slices.ContainsFunc(c.Placeholders, func(p string) bool { return strings.HasPrefix(in.Text, p) })
	begins := inside && down == 0 && right <= 1
	in.Empty = in.Text == "" || placeholder || begins
	// A cursor that was moved to the beginning of a text is like one of an empty input.
	in.Sure = in.Text == "" || placeholder || inside && !begins || !cursor && !c.Suggests
	return in
}

// frame reports whether a character is a blank or a part of a frame.
func frame(r rune) bool {
	return unicode.IsSpace(r) || r >= 0x2500 && r <= 0x259f || r == '|'
}

// leastBorder is how wide the line below or above an input is at least.
const leastBorder = 10

// border reports whether a row is a line and nothing else.
func border(row string) bool {
	row = strings.TrimSpace(row)
	return utf8.RuneCountInString(row) >= leastBorder && strings.TrimFunc(row, frame) == ""
}
