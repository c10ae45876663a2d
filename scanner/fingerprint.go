package scanner

import (
	"encoding/binary"
	"io"

	"github.com/cespare/xxhash/v2"
)

const (
	// headLen is how much of a source's beginning its fingerprint covers.
	headLen = 1024
	// tailLen is how much before the offset is covered.
	tailLen = 64
	// lineEnds is how much of each end of a long line its hash covers.
	lineEnds = 256
)

// hashLine is a hash of a record: of all of it up to 512 bytes, else of its length
// and both ends, where ids and times are. It tells a record from another one; to
// hash long texts whole would cost a tenth of a cold scan.
func hashLine(line []byte) uint64 {
	if len(line) <= 2*lineEnds {
		return xxhash.Sum64(line)
	}
	head := xxhash.Sum64(line[:lineEnds])
	tail := xxhash.Sum64(line[len(line)-lineEnds:])
	return fold(fold(head, tail), uint64(len(line)))
}

// fold makes one number of two.
func fold(a, b uint64) uint64 {
	var p [16]byte
	binary.LittleEndian.PutUint64(p[:8], a)
	binary.LittleEndian.PutUint64(p[8:], b)
	return xxhash.Sum64(p[:])
}

// head keeps the first bytes of a source.
type head struct{ bytes []byte }

// add takes the bytes that follow those it has seen.
func (h *head) add(b []byte) {
	if n := headLen - len(h.bytes); n > 0 {
		h.bytes = append(h.bytes, b[:min(n, len(b))]...)
	}
}

func (h *head) full() bool { return len(h.bytes) == headLen }

// sum is the hash of the first bytes below offset, and their number.
func (h *head) sum(offset int64) (uint64, int64) {
	n := min(int64(len(h.bytes)), offset)
	return xxhash.Sum64(h.bytes[:n]), n
}

// tail keeps the last bytes of what was consumed.
type tail struct{ bytes []byte }

func (t *tail) add(b []byte) {
	if len(b) >= tailLen {
		t.bytes = append(t.bytes[:0], b[len(b)-tailLen:]...)
		return
	}
	t.bytes = append(t.bytes, b...)
	if n := len(t.bytes) - tailLen; n > 0 {
		t.bytes = append(t.bytes[:0], t.bytes[n:]...)
	}
}

func (t *tail) sum() uint64 { return xxhash.Sum64(t.bytes) }

// prefix is what a source holds at the two ends of its committed part.
type prefix struct {
	head head
	tail tail
}

// readPrefix reads the ends of the first offset bytes.
func readPrefix(r io.ReaderAt, offset int64) (prefix, error) {
	var p prefix
	b := make([]byte, min(headLen, offset))
	n, err := r.ReadAt(b, 0)
	if err != nil && err != io.EOF {
		return p, err
	}
	p.head.bytes = b[:n]
	t := make([]byte, min(tailLen, offset))
	if _, err := r.ReadAt(t, offset-int64(len(t))); err != nil && err != io.EOF {
		return p, err
	}
	p.tail.bytes = t
	return p, nil
}

// matches reports whether the committed part is the one that the fingerprints
// were taken of.
func (p *prefix) matches(headSum uint64, length int64, tailSum uint64) bool {
	return int64(len(p.head.bytes)) >= length && xxhash.Sum64(p.head.bytes[:length]) == headSum && p.tail.sum() == tailSum
}
