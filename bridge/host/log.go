package host

import "sync"

// keptLog is how much of what an extension logged is kept, in bytes.
const keptLog = 1 << 20

// tail keeps the end of a text.
type tail struct {
	mu   sync.Mutex
	text []byte
}

// Write implements io.Writer.
func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, b...)
	if over := len(t.text) - keptLog; over > keptLog/4 {
		t.text = append(t.text[:0], t.text[over:]...)
	}
	return len(b), nil
}

// String is what was kept.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.text[max(0, len(t.text)-keptLog):])
}
