package control

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync"
)

// kind is what a frame carries.
type kind byte

// The kinds of frames. A command's standard input is asked for before it is
// sent, so that one that reads none leaves the caller's untouched.
const (
	wantInput kind = iota + 1 // to the caller: send standard input
	input                     // from the caller; an empty one is its end
	output
	errorOutput
	exit   // one byte: the exit code; of a terminal, how it ended
	resize // to a terminal: columns and rows, two bytes each
)

// maxFrame bounds a frame's content in bytes.
const maxFrame = 1 << 20

var errFrame = errors.New("a frame of the control connection is malformed")

// frames writes frames, several goroutines at once.
type frames struct {
	mu sync.Mutex
	w  io.Writer
}

func (f *frames) send(k kind, content []byte) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	head := [5]byte{byte(k)}
	binary.BigEndian.PutUint32(head[1:], uint32(len(content)))
	if _, err := f.w.Write(append(head[:], content...)); err != nil {
		return fmt.Errorf("write to the control connection: %w", err)
	}
	return nil
}

// stream is one kind of frames as a writer.
type stream struct {
	frames *frames
	kind   kind
}

func (s stream) Write(p []byte) (int, error) {
	for n := 0; n < len(p); n += maxFrame {
		if err := s.frames.send(s.kind, p[n:min(n+maxFrame, len(p))]); err != nil {
			return n, err
		}
	}
	return len(p), nil
}

func receive(r io.Reader) (kind, []byte, error) {
	var head [5]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return 0, nil, err
	}
	size := binary.BigEndian.Uint32(head[1:])
	if size > maxFrame || kind(head[0]) < wantInput || kind(head[0]) > resize {
		return 0, nil, errFrame
	}
	content := make([]byte, size)
	if _, err := io.ReadFull(r, content); err != nil {
		return 0, nil, err
	}
	return kind(head[0]), content, nil
}
