package hold

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// kind is what a frame is about.
type kind byte

// The four kinds of frames. From the holder: what it holds, as the first frame (State,
// JSON); what the program writes; the program's end (line.Exit, JSON). From the daemon:
// keys; the wish to hang up, or, once the end was told, that it was taken. The size has
// no frame: the daemon sets it on the terminal's device, where no keys that the program
// does not read are in the way.
const (
	held  kind = 'h'
	data  kind = 'd'
	input kind = 'i'
	exit  kind = 'x'
)

// maxFrame bounds the content of a frame in bytes.
const maxFrame = 64 << 10

var errFrame = errors.New("a frame of a terminal's holder is malformed")

// header is the kind and the length of a frame.
func header(k kind, n int) [5]byte {
	head := [5]byte{byte(k)}
	binary.BigEndian.PutUint32(head[1:], uint32(n))
	return head
}

// frame is a whole frame.
func frame(k kind, content []byte) []byte {
	head := header(k, len(content))
	return append(head[:], content...)
}

// receive reads a frame into buf, which is made larger when it must be.
func receive(r io.Reader, buf []byte) (kind, []byte, error) {
	var head [5]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return 0, nil, err
	}
	n := binary.BigEndian.Uint32(head[1:])
	k := kind(head[0])
	if n > maxFrame || k != held && k != data && k != input && k != exit {
		return 0, nil, errFrame
	}
	if int(n) > cap(buf) {
		buf = make([]byte, n)
	}
	buf = buf[:n]
	if _, err := io.ReadFull(r, buf); err != nil {
		return 0, nil, fmt.Errorf("%w: %w", errFrame, err)
	}
	return k, buf, nil
}
