package screen

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// piece is one part of a made-up stream: text of every kind, and every sequence
// that the screen knows, with numbers of every size.
func piece() *rapid.Generator[string] {
	number := rapid.SampledFrom([]string{"", "0", "1", "2", "3", "5", "8", "40", "999", "99999"})
	csi := rapid.Custom(func(t *rapid.T) string {
		final := rapid.SampledFrom(strings.Split("@ A B C D E F G H I J K L M P S T X Z ` a b c d e f g h l m n r s t u !p $p", " ")).Draw(t, "final")
		prefix := rapid.SampledFrom([]string{"", "", "", "?", ">"}).Draw(t, "prefix")
		return "\x1b[" + prefix + strings.Join(rapid.SliceOfN(number, 0, 4).Draw(t, "numbers"), ";") + final
	})
	mode := rapid.Custom(func(t *rapid.T) string {
		n := rapid.SampledFrom([]int{1, 6, 7, 25, 47, 1047, 1048, 1049, 1000, 1004, 1006, 2004, 2026}).Draw(t, "mode")
		return fmt.Sprintf("\x1b[?%d%s", n, rapid.SampledFrom([]string{"h", "l"}).Draw(t, "on"))
	})
	sgr := rapid.SampledFrom([]string{
		"\x1b[m", "\x1b[1m", "\x1b[31;44m", "\x1b[38;5;200m", "\x1b[48;2;1;2;3m", "\x1b[38:2::9:8:7m", "\x1b[4:3m", "\x1b[7;53m", "\x1b[58;5;9m",
	})
	text := rapid.SampledFrom([]string{
		"a", "hello world", strings.Repeat("x", 90), "日本語", "👩\u200d👧", "e\u0301", "🇩🇪", "❤\ufe0f", "─│┌", "\xff\xe4", " ", "👍🏽",
	})
	other := rapid.SampledFrom([]string{
		"\r\n", "\n", "\r", "\b", "\t", "\a", "\x0e", "\x0f", "\x1b7", "\x1b8", "\x1bD", "\x1bE", "\x1bH", "\x1bM", "\x1bc", "\x1b(0", "\x1b(B", "\x1b)0",
		"\x1b#8", "\x1b]0;title\a", "\x1b]133;A\x1b\\", "\x1bPq\x1b\\", "\x1b[", "\x1b]", "\x18",
	})
	return rapid.OneOf(text, text, csi, mode, sgr, other)
}

func stream(t *rapid.T) []byte {
	return []byte(strings.Join(rapid.SliceOfN(piece(), 0, 60).Draw(t, "stream"), ""))
}

// state is everything that can be seen of a screen.
func state(s *Screen) string {
	return fmt.Sprintf("%+v\n%s\n%q", s.Snapshot(), s.Text(MaxLines), s.Redraw())
}

func TestWrite_AnySplitShowsTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := stream(t)
		whole := New(20, 6, Options{})
		whole.Write(in)
		split := New(20, 6, Options{})
		for rest := in; len(rest) > 0; {
			n := rapid.IntRange(1, min(len(rest), 7)).Draw(t, "chunk")
			split.Write(rest[:n])
			rest = rest[n:]
		}
		if diff := cmp.Diff(state(whole), state(split)); diff != "" {
			t.Fatalf("%q (-whole +split):\n%s", in, diff)
		}
	})
}

func TestWrite_RecordingsByteByByteShowTheSame(t *testing.T) {
	for name, raw := range recordings(t) {
		whole, single := New(120, 40, Options{}), New(120, 40, Options{})
		whole.Write(raw)
		for i := range raw {
			single.Write(raw[i : i+1])
		}
		if diff := cmp.Diff(state(whole), state(single)); diff != "" {
			t.Errorf("%s (-whole +single bytes):\n%s", name, diff)
		}
	}
}

// A viewer that attaches is drawn the screen and then gets the stream: both must
// look the same from then on.
func TestRedraw_ShowsTheSameOnAnotherTerminal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in, after := stream(t), []byte("x日\r\nyz\x1b[31mq")
		s := New(20, 6, Options{})
		s.Write(append(in, 0x18)) // a redraw starts between sequences
		other := New(20, 6, Options{})
		other.Write([]byte("other things\x1b[2;3r\x1b[1;4mto be overwritten\x1b[?6h"))
		other.Write(s.Redraw())
		for range 2 {
			if diff := cmp.Diff(look(s), look(other)); diff != "" {
				t.Fatalf("%q (-screen +redrawn):\n%s", in, diff)
			}
			s.Write(after)
			other.Write(after)
		}
	})
}

func TestRedraw_BringsBackAWrapThatIsDue(t *testing.T) {
	for _, in := range []string{"abcd", "ab日", "abcd\x1b[S", "abcd\x1b[?47h", "abcd\x1b7\x1b[2K\x1b8", "\x1b[41mabcd"} {
		s, other := New(4, 2, Options{}), New(4, 2, Options{})
		s.Write([]byte(in))
		other.Write(s.Redraw())
		for range 2 {
			if diff := cmp.Diff(look(s), look(other)); diff != "" {
				t.Errorf("%q (-screen +redrawn):\n%s", in, diff)
			}
			s.Write([]byte("x"))
			other.Write([]byte("x"))
		}
	}
}

func TestRedraw_OfRecordings(t *testing.T) {
	for name, raw := range recordings(t) {
		for _, n := range []int{len(raw) / 3, len(raw) / 2, len(raw)} {
			s, other := New(120, 40, Options{}), New(120, 40, Options{})
			s.Write(append(bytes.Clone(raw[:n]), 0x18))
			other.Write(s.Redraw())
			if diff := cmp.Diff(look(s), look(other)); diff != "" {
				t.Errorf("%s at %d (-screen +redrawn):\n%s", name, n, diff)
			}
		}
	}
}

// look is what a person sees: the cells with their styles, and the modes.
func look(s *Screen) []string {
	snap := s.Snapshot()
	snap.Modes.Synchronized = false
	rows := []string{fmt.Sprintf("%+v pending %v", snap, s.pending)}
	for _, r := range s.g.rows {
		var b strings.Builder
		for x, c := range r.cells {
			text := bytes.TrimRight(s.appendText(nil, r.cells[x:x+1]), " ")
			fmt.Fprintf(&b, "%q%+v", text, s.styles.value(uint32(c.style)))
		}
		rows = append(rows, b.String())
	}
	return rows
}

func recordings(t testing.TB) map[string][]byte {
	t.Helper()
	files, err := filepath.Glob("testdata/recordings/*.raw")
	if err != nil || len(files) == 0 {
		t.Fatal("no recordings", err)
	}
	all := map[string][]byte{}
	for _, f := range files {
		all[filepath.Base(f)] = readFile(t, f)
	}
	return all
}

func FuzzScreen(f *testing.F) {
	files, _ := filepath.Glob("testdata/recordings/*.raw")
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for n := 0; n < len(raw); n += 4096 {
			f.Add(raw[n:min(n+512, len(raw))], uint16(20), uint16(6))
		}
	}
	f.Add([]byte("\x1b[2;5r\x1b[9L\x1b[9M\x1b[9@\x1b[9P\x1b[?1049h\x1b#8\x1b[?6h\x1b[65535b"), uint16(3), uint16(1))
	f.Fuzz(func(t *testing.T, in []byte, cols, rows uint16) {
		s := New(20, 6, Options{HistoryLines: 30, HistoryBytes: 300, Reply: func([]byte) {}})
		s.Write(in)
		s.Resize(int(cols%64), int(rows%32))
		s.Write(in)
		s.Text(MaxLines)
		other := New(s.cols, s.rows, Options{})
		other.Write(s.Redraw())
		check(t, s)
		check(t, other)
	})
}

// check are the invariants of a screen.
func check(t *testing.T, s *Screen) {
	t.Helper()
	if s.x < 0 || s.x >= s.cols || s.y < 0 || s.y >= s.rows || len(s.g.rows) != s.rows {
		t.Fatalf("cursor %d,%d in %d×%d with %d rows", s.x, s.y, s.cols, s.rows, len(s.g.rows))
	}
	if s.history.used() > s.history.maxBytes || s.history.count > s.history.maxLines {
		t.Fatalf("history of %d lines, %d bytes", s.history.count, s.history.used())
	}
	for y, r := range s.g.rows {
		if len(r.cells) != s.cols {
			t.Fatalf("row %d has %d cells of %d", y, len(r.cells), s.cols)
		}
		for x, c := range r.cells {
			if c.ch == tail && (x == 0 || r.cells[x-1].ch == blank || r.cells[x-1].ch == tail || r.cells[x-1].ch == spacer) {
				t.Fatalf("row %d: half a character at %d", y, x)
			}
		}
	}
}

func TestScreen_MemoryIsBounded(t *testing.T) {
	hostile := map[string]func(*rand.Rand) string{
		"strings without end": func(*rand.Rand) string { return "\x1b]0;" + strings.Repeat("x", 1<<16) },
		"one long line":       func(*rand.Rand) string { return strings.Repeat("y", 1<<16) },
		"blank lines":         func(*rand.Rand) string { return strings.Repeat("\n", 1<<12) },
		"styles": func(r *rand.Rand) string {
			return fmt.Sprintf("\x1b[38;2;%d;%d;%dmx", r.IntN(256), r.IntN(256), r.IntN(256))
		},
		"clusters": func(r *rand.Rand) string {
			return "a" + string(rune(0x300+r.IntN(100))) + string(rune(0x300+r.IntN(100)))
		},
		"marks":  func(*rand.Rand) string { return "a" + strings.Repeat("\u0301", 1000) },
		"titles": func(*rand.Rand) string { return "\x1b]0;" + strings.Repeat("t", 1<<15) + "\a\x1b[22t" },
	}
	for name, make := range hostile {
		r := rand.New(rand.NewPCG(1, 2))
		s := New(80, 24, Options{})
		before := live()
		for n := 0; n < 8<<20; {
			k, _ := s.Write([]byte(make(r)))
			n += k
		}
		if grown := live() - before; grown > 8<<20 {
			t.Errorf("%s: %d bytes more are held", name, grown)
		}
		runtime.KeepAlive(s)
	}
}

// live is the number of bytes of the heap that are reachable.
func live() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
