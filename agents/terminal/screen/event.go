package screen

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// EventKind says what an Event is.
type EventKind uint8

// The kinds of events.
const (
	// Title: the program set the window title (OSC 0, 2); Text is the title.
	Title EventKind = iota + 1
	// Mark: a mark of a prompt (OSC 133, 633); Text is what follows the number,
	// as "D;0;aid=x".
	Mark
	// Folder: the working folder (OSC 7); Text is a file URL.
	Folder
	// Notification of OSC 9 and 777; Text is what follows the number.
	Notification
	// Bell: BEL.
	Bell
)

// Event is something that a program told its terminal and that is no text.
type Event struct {
	Kind EventKind
	// Text is valid UTF-8 without controls, of at most 4,096 bytes.
	Text string
}

const maxEventText = 4096

func (s *Screen) emit(e Event) {
	if s.opts.Event != nil {
		s.opts.Event(e)
	}
}

// str takes an OSC, DCS, APC, PM or SOS. OSC 8 (links) leaves no trace, OSC 52
// (the clipboard) is refused, strings of the other kinds are dropped.
func (s *Screen) str(kind byte, data []byte) {
	if kind != ']' {
		return
	}
	number, rest, _ := bytes.Cut(data, []byte{';'})
	switch string(number) {
	case "0", "2":
		s.setTitle(clean(rest))
	case "133", "633":
		s.emit(Event{Kind: Mark, Text: clean(rest)})
	case "7":
		s.emit(Event{Kind: Folder, Text: clean(rest)})
	case "9", "777":
		s.emit(Event{Kind: Notification, Text: clean(rest)})
	case "10":
		s.reportColour(rest, "\x1b]10;rgb:cccc/cccc/cccc\x1b\\")
	case "11":
		s.reportColour(rest, "\x1b]11;rgb:0000/0000/0000\x1b\\")
	}
}

func (s *Screen) reportColour(question []byte, answer string) {
	if string(question) == "?" {
		s.reply(answer)
	}
}

func (s *Screen) setTitle(title string) {
	s.title = title
	s.emit(Event{Kind: Title, Text: title})
}

// clean makes a string of a program fit to be shown: valid, bounded, no controls.
func clean(b []byte) string {
	if len(b) > maxEventText {
		b = b[:maxEventText]
		for len(b) > 0 && !utf8.RuneStart(b[len(b)-1]) {
			b = b[:len(b)-1]
		}
		b = b[:max(len(b)-1, 0)]
	}
	text := strings.ToValidUTF8(string(b), "")
	return strings.Map(func(r rune) rune {
		if r < 0x20 || r >= 0x7F && r < 0xA0 {
			return -1
		}
		return r
	}, text)
}
