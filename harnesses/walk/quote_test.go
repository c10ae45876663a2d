package walk

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestStringEnd_RunsOfBackslashes has quotes behind runs of backslashes at every
// place of the 64 bytes that are looked at at once, and across their ends.
func TestStringEnd_RunsOfBackslashes(t *testing.T) {
	for before := range 140 {
		for run := range 70 {
			text := `"` + strings.Repeat("x", before) + strings.Repeat(`\`, run) + `"` + strings.Repeat("y", 80) + `"` + strings.Repeat("z", 70)
			want := 1 + before + run + 1
			if run%2 == 1 {
				want += 81
			}
			if got := stringEnd([]byte(text), 0); got != want {
				t.Fatalf("%d bytes, %d backslashes: got %d, want %d", before, run, got, want)
			}
		}
	}
}

// TestStringEnd_AsWithoutVectors compares drawn strings of few different bytes.
func TestStringEnd_AsWithoutVectors(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, letters := range []string{`\"`, `\\\\"a`, `\aaaaaaa"`, `aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\"`, `aaaa\`} {
		for n := range 4000 {
			b := []byte(`"`)
			for range random.IntN(300) {
				b = append(b, letters[random.IntN(len(letters))])
			}
			if got, want := stringEnd(b, 0), slowStringEnd(b); got != want {
				t.Fatalf("string %d of %q: %q ends at %d, want %d", n, letters, b, got, want)
			}
		}
	}
}

// slowStringEnd goes byte by byte.
func slowStringEnd(b []byte) int {
	for i := 1; i < len(b); i++ {
		switch b[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return -1
}

// BenchmarkStringEnd finds the end of a text of a tool's output.
func BenchmarkStringEnd(b *testing.B) {
	text := []byte(`"` + strings.Repeat(`\tif err != nil {\n\t\treturn fmt.Errorf(\"read %q: %w\", name, err)\n\t}\n`, 60) + `"`)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if stringEnd(text, 0) != len(text) {
			b.Fatal("the string ends elsewhere")
		}
	}
}

// BenchmarkPlainStringEnd does so without vectors.
func BenchmarkPlainStringEnd(b *testing.B) {
	text := bytes.Repeat([]byte(`\tif err != nil {\n\t\treturn fmt.Errorf(\"read %q: %w\", name, err)\n\t}\n`), 60)
	text = append(append([]byte(`"`), text...), '"')
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if plainStringEnd(text, 1, 0) != len(text) {
			b.Fatal("the string ends elsewhere")
		}
	}
}
