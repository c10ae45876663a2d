package hold

import (
	"bytes"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestRing_KeepsTheEndAndWhatLastsOfTheRest(t *testing.T) {
	for _, c := range []struct {
		name, in, want string
		size           int
		cut            bool
	}{
		{"all", "one\ntwo\n", "one\ntwo\n", 8, false},
		{"nothing", "", "", 8, false},
		{"from the first line break on", "one\ntwo\nthree\n", "three\n", 8, true},
		{"text without a line break", "abcdefghijkl", "efghijkl", 8, true},
		{"without a line break", "abc\x1b[1mdefgh", "\x1b[1mdefgh", 10, true},
		{"modes", "\x1b[?2004h\x1b[?25l\x1b[?25hxxxxxxxx\nlast\n", "\x1b[?25h\x1b[?2004hlast\n", 8, true},
		{"modes in what is left out", "xxxxxxxxxx\x1b[?1000h\nlast\n", "\x1b[?1000hlast\n", 12, true},
		{"an update under way", "\x1b[?2026hxxxxxxxxx\nlast\n", "last\n", 8, true},
		{"a reset", "\x1b[?2004h\x1bcxxxxxxxxx\nlast\n", "last\n", 8, true},
		{"the title", "\x1b]0;mine\x07xxxxxxxxx\nlast\n", "\x1b]2;mine\x07last\n", 8, true},
	} {
		for split := range len(c.in) + 1 {
			r := newRing(c.size)
			r.write([]byte(c.in[:split]))
			r.write([]byte(c.in[split:]))
			for range 2 { // looking changes nothing
				got, cut := r.contents()
				if diff := cmp.Diff(c.want, string(got)); diff != "" || cut != c.cut {
					t.Fatalf("%s, split at %d: cut %v (-want +got):\n%s", c.name, split, cut, diff)
				}
			}
		}
	}
}

func TestRing_StaysAsLargeAsItMayBe(t *testing.T) {
	r := newRing(ringSize)
	for range 3 * ringSize / 1000 {
		r.write(bytes.Repeat([]byte("line\x1b[?7h\n"), 100))
	}
	if n := cap(r.buf); n > 2*ringSize || len(r.buf) != ringSize {
		t.Errorf("%d bytes of memory for %d", n, len(r.buf))
	}
}

// What a ring shows sets the same modes and title as the whole stream did.
func FuzzRing(f *testing.F) {
	for _, in := range []string{
		"", "plain\ntext\n", "\x1b[?2004h\x1b]0;title\x07one\ntwo\n\x1b[?2004l", "\x1bP some\ndata\x1b[?1h\n\x1b\\\x1b[?25l\nend",
		"\x1b[?1;2;3h\x1bc\x1b[?7l", "\x1b]2;a\nb\x1b\\x\x1b[?1049h", "日本\x1b[?6h\xe6\x97", "\x1b[?1000",
	} {
		for _, size := range []uint8{0, 3, 20} {
			f.Add([]byte(in), size)
		}
	}
	f.Fuzz(func(t *testing.T, in []byte, size uint8) {
		r := newRing(int(size) + 1)
		var whole, again traces
		for i := range in {
			r.write(in[i : i+1])
			whole.take(in[i : i+1])
		}
		shown, _ := r.contents()
		again.take(shown)
		if len(whole.modes) >= mostModes {
			return
		}
		if diff := cmp.Diff(whole.modes, again.modes, cmpopts.EquateEmpty()); diff != "" || !bytes.Equal(whole.title, again.title) {
			t.Errorf("%q in %d bytes gave %q: title %q, want %q; modes (-want +got):\n%s", in, r.size, shown, again.title, whole.title, diff)
		}
	})
}

func FuzzReceive(f *testing.F) {
	f.Add([]byte("i\x00\x00\x00\x01x"))
	f.Add([]byte("d\xff\xff\xff\xff"))
	f.Fuzz(func(t *testing.T, in []byte) {
		r, buf := bytes.NewReader(in), []byte(nil)
		for {
			k, content, err := receive(r, buf)
			if err != nil {
				return
			}
			if len(content) > maxFrame || k == 0 {
				t.Fatalf("frame %c of %d bytes", k, len(content))
			}
			buf = content
		}
	})
}

func TestReceive_RefusesWhatIsNoFrame(t *testing.T) {
	for _, in := range []string{"", "d", "d\x00\x00\x00\x05abc", "z\x00\x00\x00\x00", "d\xff\xff\xff\xff"} {
		if k, b, err := receive(bytes.NewReader([]byte(in)), nil); err == nil {
			t.Errorf("%q: kind %c, %q", in, k, b)
		}
	}
	k, b, err := receive(bytes.NewReader(frame(exit, []byte("abc"))), nil)
	if err != nil || k != exit || string(b) != "abc" {
		t.Errorf("kind %c, %q, %v", k, b, err)
	}
}

func TestMain_RefusesWhatIsNoJob(t *testing.T) {
	for _, in := range []string{"", "{}", `{"argv":["true"]}`, "no json", `{"argv":[],"socket":"/x"}`} {
		_, out, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		if code := Main(bytes.NewReader([]byte(in)), out); code != 2 {
			t.Errorf("%q: exit code %d", in, code)
		}
		out.Close()
	}
}
