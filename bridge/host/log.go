package host

import (
	"strings"
	"sync"
	"unicode"
)

// keptLog is how much of what an extension logged is kept, in bytes.
const keptLog = 1 << 20

// tail keeps the end of a text.
type tail struct {
	mu   sync.Mutex
	text []byte
	// gone is how much was dropped before text, in bytes.
	gone int64
}

// length is how much was written in all, in bytes.
func (t *tail) length() int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.gone + int64(len(t.text))
}

// since is what was written after so many bytes, as far as it was kept.
func (t *tail) since(length int64) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.text[min(max(0, length-t.gone), int64(len(t.text))):])
}

// mostWords is how much of a program's last words is told, in characters.
const mostWords = 300

// words are what a program said that says most of its end, out of what it wrote: the
// line that tells of an error, else the last one. Empty for nothing.
func words(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	found := lines[len(lines)-1]
	for i := len(lines) - 1; i >= 0; i-- {
		if lower := strings.ToLower(lines[i]); strings.Contains(lower, "error") || denied(lines[i]) {
			found = lines[i]
			break
		}
	}
	found = strings.TrimSpace(strings.Map(func(c rune) rune {
		if unicode.IsControl(c) {
			return ' '
		}
		return c
	}, found))
	if list := []rune(found); len(list) > mostWords {
		found = string(list[:mostWords]) + "…"
	}
	return found
}

// denied tells whether a line says that the system refused something.
func denied(line string) bool {
	lower := strings.ToLower(line)
	for _, word := range []string{"permission denied", "eacces", "operation not permitted", "eperm", "permissionerror"} {
		if strings.Contains(lower, word) {
			return true
		}
	}
	return false
}

// Write implements io.Writer.
func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, b...)
	if over := len(t.text) - keptLog; over > keptLog/4 {
		t.text = append(t.text[:0], t.text[over:]...)
		t.gone += int64(over)
	}
	return len(b), nil
}

// String is what was kept.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.text[max(0, len(t.text)-keptLog):])
}
