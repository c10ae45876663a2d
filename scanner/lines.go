package scanner

import (
	"bytes"
	"context"
	"errors"
	"io"

	"meterbridge"
)

const (
	// chunkLen is how much is read at a time: small enough to stay in a core's
	// cache until it is parsed.
	chunkLen = 256 << 10
	// keepLen is the largest buffer that a worker keeps between lines.
	keepLen = 8 << 20
)

// chunks reads a source piece by piece: a file up to its size at the look, or a
// stream to its end.
type chunks struct {
	file     io.ReaderAt // nil for a stream
	stream   io.Reader
	pos, end int64 // the next byte to read, and the end, of a file
}

// read fills p as far as it can; io.EOF comes alone.
func (c *chunks) read(p []byte) (int, error) {
	if c.file == nil {
		return readSome(c.stream, p)
	}
	if left := c.end - c.pos; int64(len(p)) > left {
		p = p[:left]
	}
	if len(p) == 0 {
		return 0, io.EOF
	}
	n, err := c.file.ReadAt(p, c.pos)
	c.pos += int64(n)
	if n > 0 && errors.Is(err, io.EOF) {
		err = nil
	}
	return n, err
}

func readSome(r io.Reader, p []byte) (int, error) {
	n := 0
	for n < len(p) {
		m, err := r.Read(p[n:])
		n += m
		if err != nil {
			if n > 0 && errors.Is(err, io.EOF) {
				err = nil
			}
			return n, err
		}
	}
	return n, nil
}

// toNewline counts the bytes from the next one through the next newline of a
// file, looking no further than limit; ok is false when there is none.
func (c *chunks) toNewline(scratch []byte, limit int64) (n int64, ok bool, err error) {
	for c.pos+n < c.end && n < limit {
		want := min(int64(len(scratch)), c.end-c.pos-n)
		m, err := c.file.ReadAt(scratch[:want], c.pos+n)
		if i := bytes.IndexByte(scratch[:m], '\n'); i >= 0 {
			return n + int64(i) + 1, true, nil
		}
		n += int64(m)
		if err != nil && !errors.Is(err, io.EOF) {
			return n, false, err
		}
		if m == 0 {
			return n, false, nil
		}
	}
	return n, false, nil
}

// splitter cuts a source into whole lines. It never holds more of a line than
// maxLine, and never goes past the last newline.
type splitter struct {
	src     chunks
	buf     *buffer
	maxLine int64

	// offset and lines are what was consumed: the bytes through the last newline
	// and the lines in them.
	offset, lines int64
	ends          prefix
	// bytes is what was read, contents looked at ahead included.
	bytes int64

	line func(line []byte, at meterbridge.Place)
	long func(at meterbridge.Place)
	// pause is called after each chunk, between two lines.
	pause func() error

	held    int // bytes of buf that are read and not consumed
	scanned int // of these, bytes known to hold no newline
	// skipping: in a line that is too long, which began at start.
	skipping bool
	start    int64
}

// run reads to the end. The error is ctx's, the source's or pause's; what was
// consumed before it is good.
func (s *splitter) run(ctx context.Context) error {
	defer s.rewind()
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, err := s.src.read(s.buf.b[s.held:min(len(s.buf.b), s.held+chunkLen)])
		s.bytes += int64(n)
		s.held += n
		s.cut()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if s.held == len(s.buf.b) {
			if done, err := s.lengthen(ctx); done || err != nil {
				return err
			}
		}
		if s.skipping {
			continue
		}
		if err := s.pause(); err != nil {
			return err
		}
	}
}

// rewind leaves the offset at the last newline and the buffer small.
func (s *splitter) rewind() {
	if s.skipping {
		s.offset, s.skipping = s.start, false
	}
	s.held, s.scanned = 0, 0
	s.buf.release()
}

// cut hands out the whole lines in the buffer and moves the rest to its front.
func (s *splitter) cut() {
	data := s.buf.b[:s.held]
	from, look := 0, s.scanned
	for {
		i := bytes.IndexByte(data[look:], '\n')
		if i < 0 {
			break
		}
		end := look + i
		s.one(data[from:end])
		from = end + 1
		look = from
	}
	if from > 0 {
		s.ends.head.add(data[:from])
		s.ends.tail.add(data[:from])
	}
	s.held = copy(s.buf.b, data[from:])
	s.scanned = s.held
}

// one hands out one line, without its end, and counts it.
func (s *splitter) one(line []byte) {
	at := meterbridge.Place{Line: s.lines + 1, Offset: s.offset}
	s.lines++
	s.offset += int64(len(line)) + 1
	if s.skipping {
		s.skipping, at.Offset = false, s.start
		s.long(at)
		return
	}
	if int64(len(line)) >= s.maxLine {
		s.long(at)
		return
	}
	if at.Offset == 0 {
		line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
	}
	line = bytes.TrimSuffix(line, []byte("\r"))
	if len(line) == 0 {
		return
	}
	at.Hash = hashLine(line)
	s.line(line, at)
}

// lengthen makes room for a line that fills the buffer, or passes over it when
// it is too long. done says that the line has no end yet.
func (s *splitter) lengthen(ctx context.Context) (done bool, err error) {
	switch {
	case s.skipping:
		s.pass(s.held)
		return false, nil
	case s.src.file == nil:
		return false, s.lengthenStream(ctx)
	}
	var scratch [64 << 10]byte
	n, ended, err := s.src.toNewline(scratch[:], s.src.end-s.src.pos)
	s.bytes += n
	if err != nil || !ended {
		return true, err
	}
	if length := int64(s.held) + n; length <= s.maxLine {
		return false, s.buf.grow(ctx, int(length), s.held)
	}
	// Of what is left of the line only the end is read, for the fingerprint.
	s.pass(s.held)
	if over := n - 1 - tailLen; over > 0 && s.ends.head.full() {
		s.offset += over
		s.src.pos += over
	}
	return false, nil
}

// lengthenStream doubles the buffer, or drops what it holds of a line that is
// too long.
func (s *splitter) lengthenStream(ctx context.Context) error {
	if size := int64(len(s.buf.b)); size < s.maxLine {
		return s.buf.grow(ctx, int(min(2*size, s.maxLine)), s.held)
	}
	s.pass(s.held)
	return nil
}

// pass consumes n bytes of a line that is too long without keeping them.
func (s *splitter) pass(n int) {
	if !s.skipping {
		s.start = s.offset
	}
	s.ends.head.add(s.buf.b[:n])
	s.ends.tail.add(s.buf.b[:n])
	s.offset += int64(n)
	s.held, s.scanned, s.skipping = 0, 0, true
}
