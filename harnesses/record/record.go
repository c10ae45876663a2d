// Package record holds what the readers of JSON records have in common: lines
// without their frills, instants, counts that may be missing or wrong, texts cut
// to what is kept, and facts of sessions gathered until they are handed on. It
// imports the domain and the JSON cursor, never a harness; parsers call it.
package record

import (
	"bytes"
	"strings"
	"time"

	"meterbridge"
	"meterbridge/harnesses/walk"
)

// Line takes off white space and the NUL bytes that a crash leaves in a file, and
// from the first line a byte order mark.
func Line(line []byte, number int64) []byte {
	if number <= 1 {
		line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
	}
	return bytes.Trim(line, " \t\r\n\x00")
}

// Time reads an instant in a form of RFC 3339; ok is false for anything else and
// for times before 1970, those of a clock that was not set.
func Time(text string) (at time.Time, ok bool) {
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil || at.UnixMilli() <= 0 {
		return time.Time{}, false
	}
	return at.UTC(), true
}

// lastMilli is the end of the year 9999 in epoch milliseconds.
const lastMilli = 253402300799999

// Millis turns epoch milliseconds into an instant; anything before 1970 or after
// the year 9999 is none.
func Millis(ms int64) time.Time {
	if ms <= 0 || ms > lastMilli {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}

// Numbers reads counts. Wrong is set when one of them is no count: then nothing
// is known of the record.
type Numbers struct{ Wrong bool }

// Count moves behind the next value. Null is "not reported"; anything but a whole
// number from 0 to meterbridge.MaxCount is wrong.
func (n *Numbers) Count(c *walk.Cursor) meterbridge.Count {
	if c.Peek() == 'n' {
		c.Skip()
		return meterbridge.Count{}
	}
	v, ok := c.Int()
	if !ok || v < 0 || v > meterbridge.MaxCount {
		n.Wrong = true
		return meterbridge.Count{}
	}
	return meterbridge.Reported(v)
}

// Less is a − b, at least 0; null when a is.
func Less(a, b meterbridge.Count) meterbridge.Count {
	return meterbridge.Count{N: max(0, a.N-b.N), OK: a.OK}
}

// Longest texts that are kept, in characters: of a reply and of a title.
const (
	LongestReply = 1 << 15
	LongestTitle = 400
)

// Cut is the beginning of a text, at most n characters.
func Cut(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for i := range text {
		if n--; n < 0 {
			return text[:i]
		}
	}
	return text
}

// Preview is what is kept of a prompt.
func Preview(text string) string { return Cut(text, meterbridge.PreviewRunes) }

// Title is a text on one line, as far as it is kept.
func Title(text string) string {
	return Cut(strings.Join(strings.Fields(text), " "), LongestTitle)
}

// IsCommand reports whether a text is a command to the client: a slash and one
// plain word, alone or with arguments. A path is none.
func IsCommand(text string) bool {
	word, _, _ := strings.Cut(strings.TrimSpace(text), " ")
	word, _, _ = strings.Cut(word, "\n")
	return len(word) > 1 && word[0] == '/' && !strings.ContainsAny(word[1:], "/.\\")
}
