package scanner

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"meterbridge"
	"meterbridge/harnesses"
	"meterbridge/harnesses/zstdlines"
)

// flushRows is the number of rows after which a big source is handed on in part.
const flushRows = 4096

// worker reads one source after another.
type worker struct {
	scanner *Scanner
	buf     *buffer
	words   intern
	trace   bool
	// batch is what was found and not handed on; its memory serves all sources.
	batch meterbridge.Batch
	// send hands on a unit of a task; it blocks while the writer is behind.
	send func(ctx context.Context, t *task, u meterbridge.Unit) error
	// count adds to the counts of a harness.
	count func(harness int, c Counts)
}

func (s *Scanner) newWorker() *worker {
	return &worker{scanner: s, buf: newBuffer(s.giant)}
}

// worker is one that rests, else a new one.
func (s *Scanner) worker() *worker {
	select {
	case w := <-s.idle:
		return w
	default:
		return s.newWorker()
	}
}

// rest keeps a worker for the next pass, if there will be one.
func (s *Scanner) rest(w *worker) {
	w.send, w.count = nil, nil
	select {
	case s.idle <- w:
	default:
	}
}

// reading is one source while it is read.
type reading struct {
	*worker
	t     *task
	h     *harnesses.Harness
	cp    meterbridge.Checkpoint
	whole bool
	// bytes is what was read of the contents, told the bytes that progress knows of.
	bytes, told int64
}

// read reads one source. The error is ctx's or send's: a source that cannot be
// read becomes a problem.
func (w *worker) read(ctx context.Context, t *task) error {
	r := &reading{worker: w, t: t, h: &w.scanner.harnesses[t.harness]}
	err := r.open(ctx)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	w.count(t.harness, Counts{BytesRead: r.bytes})
	w.scanner.opt.Progress.Add(r.h.ID, 1, max(0, t.size-r.told))
	return err
}

func (r *reading) open(ctx context.Context) error {
	r.begin()
	if r.t.kind.Shape == harnesses.Database {
		r.count(r.t.harness, Counts{Opened: 1})
		return r.database(ctx)
	}
	f, err := os.Open(r.t.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // the next scan will find it gone, or elsewhere
	}
	if err != nil {
		return r.fail(ctx, err)
	}
	defer f.Close()
	r.count(r.t.harness, Counts{Opened: 1})
	info, err := f.Stat()
	if err != nil {
		return r.fail(ctx, err)
	}
	beside := r.t.companion
	r.t.stat = statOf(info)
	r.t.companion = beside
	r.begin()
	if r.t.kind.Shape == harnesses.Document {
		return r.document(ctx, f)
	}
	return r.lines(ctx, f)
}

// begin sets the checkpoint to the start of the source.
func (r *reading) begin() {
	r.cp = r.scanner.checkpoint(&r.t.file, r.t.known)
	k := r.t.known
	r.whole = k != nil && (k.Offset > 0 || k.Size == unread || r.t.kind.Shape == harnesses.Database)
}

// options are those of a parser that begins at the reading's checkpoint.
func (r *reading) options(state []byte) harnesses.Options {
	if len(state) == 0 {
		state = nil
	}
	opt := harnesses.Options{Trace: r.trace, DropText: !r.scanner.opt.StoreText, State: state, Path: r.t.path, Rel: r.t.rel}
	if r.t.kind.Shape != harnesses.Database {
		opt.Siblings = besideIn(rootOf(r.t.path, r.t.rel))
	}
	return opt
}

// rootOf is the folder that rel is relative to.
func rootOf(path, rel string) string {
	return filepath.Clean(path[:max(0, len(path)-len(rel))])
}

// fail hands on that the source could not be read, unless that is known.
func (r *reading) fail(ctx context.Context, err error) error {
	r.count(r.t.harness, Counts{Unreadable: 1})
	if k := r.t.known; k != nil && k.Size == unread && !k.Gone {
		return nil
	}
	u := r.scanner.unreadableUnit(&r.t.file, r.t.known, err)
	u.Checkpoint.State = r.t.state
	if r.t.mode == whole {
		u.Checkpoint.Parser = 0 // so that it is still read whole once it can be
	}
	return r.send(ctx, r.t, u)
}

// lines reads text lines, plain or compressed.
func (r *reading) lines(ctx context.Context, f *os.File) error {
	s := splitter{buf: r.buf, maxLine: r.scanner.opt.MaxLine}
	var state []byte
	switch r.t.kind.Shape {
	case harnesses.CompressedLines:
		z, err := zstdlines.NewReader(f)
		if err != nil {
			return r.fail(ctx, err)
		}
		defer z.Close()
		s.src.stream = z
	default:
		s.src.file, s.src.end = f, r.t.size
		if r.t.mode == resume && r.resumed(f, &s) {
			state = r.t.state
		}
	}
	if r.whole {
		r.count(r.t.harness, Counts{Whole: 1})
	}
	return r.split(ctx, &s, state)
}

// resumed sets the splitter to the checkpoint, if what was read up to it is
// still there.
func (r *reading) resumed(f io.ReaderAt, s *splitter) bool {
	k := r.t.known
	ends, err := readPrefix(f, k.Offset)
	if err != nil || !sameFile(k, &r.t.file) || r.t.size < k.Offset || !ends.matches(k.Head, k.HeadLen, k.Tail) {
		return false
	}
	r.cp.Generation, r.whole = max(1, k.Generation), false
	s.ends, s.offset, s.lines, s.src.pos = ends, k.Offset, k.Lines, k.Offset
	return true
}

// split feeds the parser and hands on what it finds.
func (r *reading) split(ctx context.Context, s *splitter, state []byte) error {
	parser := r.h.Lines(r.t.kind, r.options(state))
	s.line = func(line []byte, at meterbridge.Place) { parser.Line(line, at, &r.batch) }
	s.long = func(at meterbridge.Place) {
		r.problem(meterbridge.Problem{Reason: "oversized-line", Detail: fmt.Sprintf("a line longer than %d bytes was passed over", s.maxLine), Place: at})
	}
	s.pause = func() error {
		r.tell(s.bytes)
		if r.whole || r.batch.Len()+len(r.batch.Problems) < flushRows {
			return nil
		}
		return r.handOn(ctx, parser, s, r.emitPart)
	}
	err := s.run(ctx)
	r.bytes = s.bytes
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, errStopped):
		return err
	case err != nil:
		r.broken(err)
	}
	return r.handOn(ctx, parser, s, r.emit)
}

// broken notes that the rest of the source cannot be read. What was read before
// stays; what was not seen is not taken for vanished.
func (r *reading) broken(err error) {
	r.count(r.t.harness, Counts{Unreadable: 1})
	p := problemOf(err)
	if r.t.kind.Shape == harnesses.CompressedLines {
		p.Reason = "broken-stream"
	} else {
		r.cp.Size = unread
	}
	r.problem(p)
	r.whole = false
}

func (r *reading) problem(p meterbridge.Problem) { r.batch.Problems = append(r.batch.Problems, p) }

// tell tells progress what was read since the last time.
func (r *reading) tell(bytes int64) {
	if n := min(bytes, r.t.size) - r.told; n > 0 && !r.trace {
		r.scanner.opt.Progress.Add(r.h.ID, 0, n)
		r.told += n
	}
}

// handOn hands on what the parser found so far, with the checkpoint it leads to.
func (r *reading) handOn(ctx context.Context, parser harnesses.LineParser, s *splitter, emit func(context.Context, []byte) error) error {
	parser.Flush(&r.batch)
	r.cp.Offset, r.cp.Lines = s.offset, s.lines
	r.cp.Head, r.cp.HeadLen = s.ends.head.sum(s.offset)
	r.cp.Tail = s.ends.tail.sum()
	return emit(ctx, parser.State())
}

// emitPart sends what was found so far of a source that is not at its end: a
// scan that is cut short afterwards leaves it to be read on.
func (r *reading) emitPart(ctx context.Context, state []byte) error {
	size := r.cp.Size
	r.cp.Size = unfinished
	err := r.emit(ctx, state)
	r.cp.Size = size
	return err
}

// emit sends the batch and begins a new one.
func (r *reading) emit(ctx context.Context, state []byte) error {
	r.cp.State = slices.Clone(state)
	joinCalls(&r.batch)
	r.words.batch(&r.batch)
	if !r.scanner.opt.StoreText {
		dropText(&r.batch)
	}
	u := meterbridge.Unit{
		Checkpoint: r.cp, Batch: taken(&r.batch), Whole: r.whole,
		Readable: r.t.known != nil && r.t.known.Size == unread && r.cp.Size != unread,
	}
	return r.send(ctx, r.t, u)
}
