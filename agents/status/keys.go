package status

import "bytes"

// Key is what a chunk of a person's typing means to an agent.
type Key int

// The meanings of keys.
const (
	// KeyNone says nothing: typed words, cursor keys, replies of the terminal.
	KeyNone Key = iota
	// KeyEnter is Enter outside a paste.
	KeyEnter
	// KeyAnswer is a single key that picks an answer of a dialog.
	KeyAnswer
	// KeyDismiss is Escape, Escape twice or Ctrl-C.
	KeyDismiss
)

const answers = "123456789yYnNaA"

// KeyReader reads what a person types, chunk by chunk as the terminal sends it.
// A paste may be spread over chunks.
type KeyReader struct {
	pasting bool
	// tail is the beginning of a mark at the end of the last chunk.
	tail []byte
}

// Read says what the next chunk means.
func (k *KeyReader) Read(chunk []byte) Key {
	switch {
	case k.pasting || len(k.tail) > 0:
	case bytes.Equal(chunk, []byte{0x1b}), bytes.Equal(chunk, []byte{0x1b, 0x1b}), bytes.Equal(chunk, []byte{0x03}):
		return KeyDismiss
	case len(chunk) == 1 && bytes.IndexByte([]byte(answers), chunk[0]) >= 0:
		return KeyAnswer
	}
	if bytes.IndexByte(k.typed(chunk), '\r') >= 0 {
		return KeyEnter
	}
	return KeyNone
}

// typed is what of a chunk lies outside pastes.
func (k *KeyReader) typed(chunk []byte) []byte {
	rest := append(k.tail, chunk...)
	k.tail = nil
	var out []byte
	for {
		mark := []byte("\x1b[200~")
		if k.pasting {
			mark = []byte("\x1b[201~")
		}
		i := bytes.Index(rest, mark)
		if i < 0 {
			keep := partial(rest, mark)
			if !k.pasting {
				out = append(out, rest[:len(rest)-keep]...)
			}
			// A lone Escape is a key of its own, not the beginning of a mark.
			if keep > 1 || k.pasting {
				k.tail = bytes.Clone(rest[len(rest)-keep:])
			}
			return out
		}
		if !k.pasting {
			out = append(out, rest[:i]...)
		}
		rest, k.pasting = rest[i+len(mark):], !k.pasting
	}
}

// partial is how many bytes at the end of text begin mark.
func partial(text, mark []byte) int {
	for n := min(len(mark)-1, len(text)); n > 0; n-- {
		if bytes.HasSuffix(text, mark[:n]) {
			return n
		}
	}
	return 0
}
