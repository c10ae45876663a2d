package status

import (
	"bytes"
	"fmt"
	"io"
	"os"

	"meterbridge"
)

const (
	// firstLook is how much of the end of a log is read at first, in bytes, and
	// farAhead how much may be added before the rest is skipped.
	firstLook = 256 << 10
	farAhead  = 2 << 20
	// mostFailures in a row and the log is left alone until it is named again.
	mostFailures = 5
	// longestLine bounds what is kept of a line that has not ended.
	longestLine = 4 << 20
)

// TranscriptReader keeps the state of a conversation while its log is read.
type TranscriptReader interface {
	Line(line []byte)
	View() meterbridge.TranscriptView
}

// follower reads what is added to a session's log.
type follower struct {
	open   func() TranscriptReader
	path   string
	reader TranscriptReader
	seen   os.FileInfo
	offset int64
	// rest is a line that has not ended.
	rest     []byte
	failures int
}

// name says which log is followed; naming it again takes up one that was given up.
func (f *follower) name(path string) {
	f.failures = 0
	if path != f.path {
		*f = follower{open: f.open, path: path}
	}
}

// off reports whether there is nothing to look at.
func (f *follower) off() bool { return f.open == nil || f.path == "" || f.failures >= mostFailures }

// view is what was read so far.
func (f *follower) view() (meterbridge.TranscriptView, bool) {
	if f.reader == nil {
		return meterbridge.TranscriptView{}, false
	}
	return f.reader.View(), true
}

// poll reads what is new. A log that did not change costs one look at its size.
func (f *follower) poll() {
	if f.off() {
		return
	}
	if err := f.read(); err != nil {
		f.failures++
		return
	}
	f.failures = 0
}

func (f *follower) read() error {
	info, err := os.Stat(f.path)
	if err != nil {
		return fmt.Errorf("look at a transcript: %w", err)
	}
	if f.seen != nil && os.SameFile(f.seen, info) && info.Size() == f.offset && info.ModTime().Equal(f.seen.ModTime()) {
		return nil
	}
	if f.seen == nil || !os.SameFile(f.seen, info) || info.Size() < f.offset {
		f.reader, f.offset, f.rest = f.open(), 0, nil
	}
	from, skip := f.offset, false
	switch {
	case f.offset == 0 && info.Size() > firstLook:
		from, skip = info.Size()-firstLook, true
	case info.Size()-f.offset > farAhead:
		from, skip, f.rest = info.Size()-firstLook, true, nil
	}
	added, err := readFrom(f.path, from)
	if err != nil {
		return err
	}
	f.seen, f.offset = info, from+int64(len(added))
	f.lines(added, skip)
	return nil
}

func readFrom(path string, from int64) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read a transcript: %w", err)
	}
	defer file.Close()
	if _, err := file.Seek(from, io.SeekStart); err != nil {
		return nil, fmt.Errorf("read a transcript: %w", err)
	}
	added, err := io.ReadAll(io.LimitReader(file, farAhead+firstLook))
	if err != nil {
		return nil, fmt.Errorf("read a transcript: %w", err)
	}
	return added, nil
}

// lines gives whole lines to the reader; skip leaves out the piece of a line with
// which a look in the middle of a file begins.
func (f *follower) lines(added []byte, skip bool) {
	if skip {
		i := bytes.IndexByte(added, '\n')
		if i < 0 {
			return
		}
		added = added[i+1:]
	}
	text := append(f.rest, added...)
	for {
		i := bytes.IndexByte(text, '\n')
		if i < 0 {
			break
		}
		f.reader.Line(bytes.TrimSuffix(text[:i], []byte("\r")))
		text = text[i+1:]
	}
	f.rest = nil
	if len(text) <= longestLine {
		f.rest = bytes.Clone(text)
	}
}
