package host

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"sync"
)

// longestMessage is the longest message of any method, in bytes, with room for
// its envelope; usualMessage is that of all methods but those that carry files.
const (
	usualMessage   = 1<<20 + 64<<10
	longestMessage = 12<<20 + 64<<10
)

// ErrTooLong says that a message was longer than any may be. It was read to its
// end, so that the next one can be read.
var ErrTooLong = errors.New("message too long")

// TooLong is ErrTooLong with the beginning of the message.
type TooLong struct{ Head []byte }

// Error implements error.
func (e *TooLong) Error() string { return ErrTooLong.Error() }

// Is implements errors.Is.
func (e *TooLong) Is(target error) bool { return target == ErrTooLong }

// Stream is a connection that carries whole messages: lines of a process or a
// socket, frames of a WebSocket. One reader and one writer use it at a time.
// Close ends both at once.
type Stream interface {
	// Read returns the next message, which is the caller's.
	Read() ([]byte, error)
	Write(message []byte) error
	Close() error
}

// lines is a Stream of one message a line.
type lines struct {
	in    *bufio.Reader
	out   io.Writer
	once  sync.Once
	close func() error
}

// Lines makes a Stream of one message a line; close ends it.
func Lines(in io.Reader, out io.Writer, end func() error) Stream {
	return &lines{in: bufio.NewReaderSize(in, 64<<10), out: out, close: end}
}

// Read implements Stream. An empty line is no message.
func (l *lines) Read() ([]byte, error) {
	var message []byte
	for {
		part, err := l.in.ReadSlice('\n')
		message = append(message, part...)
		switch {
		case len(message) > longestMessage+1:
			return nil, l.skip(message, err)
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil:
			// What has no line end was not finished.
			return nil, fmt.Errorf("read a line: %w", err)
		}
		if message = bytes.TrimRight(message, "\r\n"); len(message) > 0 {
			return message, nil
		}
	}
}

// skip reads a line to its end and throws it away.
func (l *lines) skip(message []byte, err error) error {
	for errors.Is(err, bufio.ErrBufferFull) {
		_, err = l.in.ReadSlice('\n')
	}
	if err != nil {
		return fmt.Errorf("read a line: %w", err)
	}
	return &TooLong{Head: bytes.Clone(message[:4096])}
}

// Write implements Stream.
func (l *lines) Write(message []byte) error {
	line := make([]byte, 0, len(message)+1)
	if _, err := l.out.Write(append(append(line, message...), '\n')); err != nil {
		return fmt.Errorf("write a line: %w", err)
	}
	return nil
}

// Close implements Stream.
func (l *lines) Close() error {
	var err error
	l.once.Do(func() { err = l.close() })
	return err
}
