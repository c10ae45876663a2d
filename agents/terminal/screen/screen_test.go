package screen

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The wanted rows are worked out by hand from the definition of each sequence.
func TestScreen_Shows(t *testing.T) {
	for _, c := range []struct {
		name, in   string
		cols, rows int
		want       string // rows joined by |
		x, y       int
	}{
		{"text", "ab\r\ncd", 4, 2, "ab|cd", 2, 1},
		{"wrap", "abcdef", 4, 2, "abcd|ef", 2, 1},
		{"wrap is pending", "abcd", 4, 2, "abcd|", 3, 0},
		{"CR cancels it", "abcd\rX", 4, 2, "Xbcd|", 1, 0},
		{"no autowrap", "\x1b[?7labcdef", 4, 2, "abcf|", 3, 0},
		{"wide", "日本", 4, 1, "日本", 3, 0},
		{"wide at the edge wraps", "abc日x", 4, 2, "abc|日x", 3, 1},
		{"half of a wide one overwritten on the left", "日本\x1b[1GX", 5, 1, "X 本", 1, 0},
		{"half of a wide one overwritten on the right", "日本\x1b[2GX", 5, 1, " X本", 2, 0},
		{"combining mark", "e\u0301x", 4, 1, "e\u0301x", 2, 0},
		{"combining mark on the last column", "abce\u0301x", 4, 2, "abce\u0301|x", 1, 1},
		{"mark without a base", "\u0301x", 4, 1, "x", 1, 0},
		{"family of three is one cluster", "👩\u200d👩\u200d👧x", 5, 1, "👩\u200d👩\u200d👧x", 3, 0},
		{"skin tone", "👍🏽x", 5, 1, "👍🏽x", 3, 0},
		{"flag", "🇩🇪x", 5, 1, "🇩🇪x", 3, 0},
		{"two flags", "🇩🇪🇫🇷x", 6, 1, "🇩🇪🇫🇷x", 5, 0},
		{"emoji by variation selector", "❤\ufe0fx", 5, 1, "❤\ufe0fx", 3, 0},
		{"bytes that are no UTF-8", "a\xffb\xe4\xb8x", 8, 1, "a\ufffdb\ufffd\ufffdx", 6, 0},
		{"C1 as UTF-8 is nothing", "a\u009bb", 4, 1, "ab", 2, 0},
		{"scroll", "1\r\n2\r\n3", 3, 2, "2|3", 1, 1},
		{"scroll region", "1\r\n2\r\n3\r\n4\x1b[2;3r\x1b[3;1H\nX", 3, 4, "1|3|X|4", 1, 2},
		{"reverse index in a region", "1\r\n2\r\n3\r\n4\x1b[2;3r\x1b[2;1H\x1bMX", 3, 4, "1|X|2|4", 1, 1},
		{"origin", "\x1b[2;3r\x1b[?6h\x1b[1;1HX\x1b[9;1HY", 3, 4, "|X|Y|", 1, 2},
		{"insert line", "1\r\n2\r\n3\x1b[2H\x1b[L", 3, 3, "1||2", 0, 1},
		{"delete line", "1\r\n2\r\n3\x1b[1H\x1b[M", 3, 3, "2|3|", 0, 0},
		{"insert cells", "abcd\x1b[1;2H\x1b[2@", 5, 1, "a  bc", 1, 0},
		{"insert cells through a wide one", "a日b\x1b[3G\x1b[@", 5, 1, "a   b", 2, 0},
		{"insert cells push half a wide one out", "ab日\x1b[1G\x1b[@", 4, 1, " ab", 0, 0},
		{"delete cells", "abcd\x1b[1;2H\x1b[2P", 5, 1, "ad", 1, 0},
		{"erase cells", "abcd\x1b[1;2H\x1b[2X", 5, 1, "a  d", 1, 0},
		{"erase to the right", "abcd\x1b[1;3H\x1b[K", 5, 1, "ab", 2, 0},
		{"erase to the left", "abcd\x1b[1;2H\x1b[1K", 5, 1, "  cd", 1, 0},
		{"erase the row", "abcd\x1b[2K", 5, 1, "", 4, 0},
		{"erase below", "ab\r\ncd\r\nef\x1b[2;2H\x1b[J", 3, 3, "ab|c|", 1, 1},
		{"erase above", "ab\r\ncd\r\nef\x1b[2;1H\x1b[1J", 3, 3, "| d|ef", 0, 1},
		{"erase all", "ab\r\ncd\x1b[2J", 3, 2, "|", 2, 1},
		{"insert mode", "abc\x1b[1G\x1b[4hXY", 6, 1, "XYabc", 2, 0},
		{"tabs", "a\tb\x1b[3g\x1b[5G\x1bH\r\tc", 12, 1, "a   c   b", 5, 0},
		{"tab back", "abcdefghij\x1b[ZX", 12, 1, "abcdefghXj", 9, 0},
		{"repeat", "a\x1b[3b", 6, 1, "aaaa", 4, 0},
		{"repeat a wide one", "日\x1b[b", 6, 1, "日日", 4, 0},
		{"line drawing", "\x1b(0lqk\x1b(Bx", 6, 1, "┌─┐x", 4, 0},
		{"line drawing in G1", "\x1b)0\x0eq\x0fq", 6, 1, "─q", 2, 0},
		{"save and restore", "ab\x1b7\x1b[2;3HX\x1b8c", 4, 2, "abc|  X", 3, 0},
		{"align", "\x1b#8", 2, 2, "EE|EE", 0, 0},
		{"alternate screen and back", "ab\x1b[?1049hXY\x1b[?1049lc", 4, 1, "abc", 3, 0},
		{"alternate screen", "ab\x1b[?1049hXY", 4, 1, "  XY", 3, 0},
		{"1047 is cleared on leaving", "\x1b[?47hXY\x1b[?47l\x1b[?1047h\x1b[1GZ\x1b[?1047l\x1b[?47h", 4, 1, "", 1, 0},
		{"soft reset", "\x1b[?6h\x1b[2;3r\x1b[4h\x1b[!p\x1b[1;1Hab\x1b[1GX", 4, 3, "Xb||", 1, 0},
		{"full reset", "ab\x1b[2;3r\x1bcX", 4, 3, "X||", 1, 0},
		{"control inside a sequence", "ab\x1b[1\b;1Hc", 4, 1, "cb", 1, 0},
		{"CAN ends a sequence", "a\x1b[1\x18b", 4, 1, "ab", 2, 0},
		{"malformed sequence", "a\x1b[1?2Hb", 4, 1, "ab", 2, 0},
		{"strings show nothing", "a\x1b]52;c;Zm9v\ab\x1bPq#0\x1b\\c\x1b_G\x1b\\d", 6, 1, "abcd", 4, 0},
		{"string cut by another sequence", "a\x1b]0;x\x1b[1GX", 4, 1, "X", 1, 0},
		{"numbers beyond all bounds", "\x1b[99999999999;99999999999Hx\x1b[4294967297D", 4, 2, "|   x", 0, 1},
		{"cursor stays in the region", "\x1b[2;3r\x1b[3;1H\x1b[9A^\x1b[9Bv", 4, 4, "|^| v|", 2, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := New(c.cols, c.rows, Options{})
			s.Write([]byte(c.in))
			snap := s.Snapshot()
			if got := strings.Join(snap.Lines, "|"); got != c.want {
				t.Errorf("%q shows\n got %q\nwant %q", c.in, got, c.want)
			}
			if snap.X != c.x || snap.Y != c.y {
				t.Errorf("%q leaves the cursor at %d,%d, want %d,%d", c.in, snap.X, snap.Y, c.x, c.y)
			}
		})
	}
}

func TestText_JoinsSoftWraps(t *testing.T) {
	for _, c := range []struct {
		name, in   string
		cols, rows int
		n          int
		want       string
	}{
		{"soft wrap", "abcdef\r\ngh", 4, 4, 9, "abcdef\ngh"},
		{"a full row and a line break", "abcd\r\nef", 4, 4, 9, "abcd\nef"},
		{"spaces at the wrap stay", "ab  cd", 4, 4, 9, "ab  cd"},
		{"a wide one at the wrap adds no space", "abc日本", 4, 4, 9, "abc日本"},
		{"trimmed on the right, blank lines below dropped", "a  \r\n\r\nb  \r\n\r\n", 4, 6, 9, "a\n\nb"},
		{"last lines", "1\r\n2\r\n3\r\n4", 4, 2, 3, "2\n3\n4"},
		{"wrap across the top of the screen", "abcdefghijkl\r\nx", 4, 2, 2, "abcdefghijkl\nx"},
		{"one row", "abcdefgh\r\nx", 4, 1, 2, "abcdefgh\nx"},
		{"alternate screen alone", "old\r\nold\r\nold\x1b[?1049h\x1b[Hnew", 4, 2, 9, "new"},
		{"erased rows wrap no longer", "abcdef\x1b[2;1H\x1b[Kxy", 4, 3, 9, "abcd\nxy"},
		{"deleted rows wrap no longer", "abcdefghij\r\nx\x1b[2;1H\x1b[M", 4, 5, 9, "abcd\nij\nx"},
		{"nothing", "", 4, 2, 9, ""},
		{"none asked for", "a", 4, 2, 0, ""},
		{"history cleared", "1\r\n2\r\n3\x1b[3J", 4, 2, 9, "2\n3"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := New(c.cols, c.rows, Options{})
			s.Write([]byte(c.in))
			if diff := cmp.Diff(c.want, s.Text(c.n)); diff != "" {
				t.Errorf("%q (-want +got):\n%s", c.in, diff)
			}
		})
	}
}

func TestText_IsBoundedByLinesAndBytes(t *testing.T) {
	var in strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&in, "line %d\r\n", i)
	}
	s := New(80, 24, Options{})
	s.Write([]byte(in.String()))
	lines := strings.Split(s.Text(9999), "\n")
	if len(lines) != MaxLines || lines[0] != "line 1500" || lines[499] != "line 1999" {
		t.Errorf("got %d lines, %q to %q", len(lines), lines[0], lines[len(lines)-1])
	}
	s = New(80, 2, Options{HistoryLines: 3})
	s.Write([]byte(in.String()))
	if want := "line 1996\nline 1997\nline 1998\nline 1999"; s.Text(9) != want {
		t.Errorf("three lines of history: %q, want %q", s.Text(9), want)
	}
	// Each line has 9 bytes; 40 bytes hold four of them.
	s = New(80, 2, Options{HistoryBytes: 40})
	s.Write([]byte(in.String()))
	if want := "line 1995\nline 1996\nline 1997\nline 1998\nline 1999"; s.Text(9) != want {
		t.Errorf("40 bytes of history: %q, want %q", s.Text(9), want)
	}
	s = New(80, 2, Options{HistoryLines: -1})
	s.Write([]byte(in.String()))
	if want := "line 1999"; s.Text(9) != want {
		t.Errorf("no history: %q, want %q", s.Text(9), want)
	}
}

func TestResize_KeepsText(t *testing.T) {
	for _, c := range []struct {
		name, in   string
		cols, rows int
		want       string
	}{
		{"wider: a wrapped line gains no spaces", "abcdef\r\nx", 8, 3, "abcdef\nx"},
		{"lower: rows at the top are kept", "1\r\n2\r\n3", 4, 1, "1\n2\n3"},
		{"lower: blank rows below go first", "1", 4, 1, "1"},
		{"higher", "1\r\n2\r\n3", 4, 9, "1\n2\n3"},
		{"narrower cuts", "abcd\r\nx", 2, 3, "ab\nx"},
		{"narrower cuts a wide one whole", "a日b\r\nx", 2, 3, "a\nx"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := New(4, 3, Options{})
			s.Write([]byte(c.in))
			s.Resize(c.cols, c.rows)
			if diff := cmp.Diff(c.want, s.Text(9)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestResize_InTheAlternateScreenKeepsBoth(t *testing.T) {
	s := New(4, 3, Options{})
	s.Write([]byte("1\r\n2\r\n3\x1b[?1049h\x1b[Hvim"))
	s.Resize(6, 2)
	if got := s.Text(9); got != "vim" {
		t.Errorf("alternate screen: %q", got)
	}
	s.Write([]byte("\x1b[?1049l!"))
	if got := s.Text(9); got != "1\n2\n3!" {
		t.Errorf("main screen: %q", got)
	}
}

func TestModes_AreFlags(t *testing.T) {
	s := New(10, 2, Options{})
	s.Write([]byte("\x1b[?2004;1004h\x1b[?1002;1006h\x1b[?1049h\x1b[?2026h\x1b[?25l\x1b=\x1b[?1h"))
	want := Modes{
		Alternate: true, BracketedPaste: true, FocusEvents: true, Synchronized: true,
		AppCursor: true, AppKeypad: true, AutoWrap: true, Mouse: MouseDrag, MouseSGR: true,
	}
	if diff := cmp.Diff(want, s.Modes()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestEvents_TellWhatIsNoText(t *testing.T) {
	var got []Event
	s := New(10, 2, Options{Event: func(e Event) { got = append(got, e) }})
	s.Write([]byte("\x1b]0;one\a\x1b]2;tw\x01o\x1b\\\x1b]133;D;3;aid=x\a\x1b]633;A\a\x1b]7;file:///tmp\a" +
		"\x1b]9;done\a\x1b]777;notify;a;b\a\x1b]52;c;c2VjcmV0\a\x1b]8;;http://x\alink\x1b]8;;\a\a"))
	want := []Event{
		{Title, "one"},
		{Title, "two"},
		{Mark, "D;3;aid=x"},
		{Mark, "A"},
		{Folder, "file:///tmp"},
		{Notification, "done"},
		{Notification, "notify;a;b"},
		{Bell, ""},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if s.Title() != "two" || s.Text(1) != "link" {
		t.Errorf("title %q, text %q", s.Title(), s.Text(1))
	}
}

func TestReply_AnswersQuestions(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"\x1b[c", "\x1b[?62;22c"},
		{"\x1b[>c", "\x1b[>1;10;0c"},
		{"\x1b[2;3H\x1b[6n", "\x1b[2;3R"},
		{"\x1b[2;4r\x1b[?6h\x1b[2;1H\x1b[6n", "\x1b[2;1R"},
		{"\x1b[>q", "\x1bP>|meterbridge\x1b\\"},
		{"\x1b[?2004h\x1b[?2004$p\x1b[?25$p\x1b[?1006$p\x1b[?4711$p", "\x1b[?2004;1$y\x1b[?25;1$y\x1b[?1006;2$y\x1b[?4711;0$y"},
		{"\x1b]11;?\a", "\x1b]11;rgb:0000/0000/0000\x1b\\"},
		{"\x1b[?u", ""}, // silence: whoever asks is answered DA1 behind it
	} {
		var got strings.Builder
		s := New(10, 5, Options{Reply: func(b []byte) { got.Write(b) }})
		s.Write([]byte(c.in))
		if got.String() != c.want {
			t.Errorf("%q is answered %q, want %q", c.in, got.String(), c.want)
		}
	}
}

func TestReply_IsBounded(t *testing.T) {
	n := 0
	s := New(10, 5, Options{Reply: func(b []byte) { n += len(b) }})
	s.Write([]byte(strings.Repeat("\x1b[c", 100_000)))
	if n == 0 || n > maxReplies {
		t.Errorf("answered %d bytes", n)
	}
}
