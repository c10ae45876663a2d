package scanner

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"meterbridge"
	"meterbridge/harnesses"
)

// errDocumentSize: a document is larger than is read.
var errDocumentSize = errors.New("the document is too large")

// document reads a file that is rewritten whole.
func (r *reading) document(ctx context.Context, f *os.File) error {
	if r.whole {
		r.count(r.t.harness, Counts{Whole: 1})
	}
	if r.t.size > r.scanner.opt.MaxDocument {
		return r.refuse(ctx)
	}
	content := make([]byte, r.t.size)
	n, err := io.ReadFull(f, content)
	r.bytes = int64(n)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return r.fail(ctx, err)
	}
	content = content[:n]
	parser := r.h.Document(r.t.kind, r.options(r.t.state))
	parser.Document(content, &r.batch)
	if slices.ContainsFunc(r.batch.Problems, unparsed) {
		r.whole = false // half-written perhaps: what it lacks is not taken for vanished
	}
	r.seen(content)
	if p, ok := parser.(harnesses.RememberingParser); ok {
		return r.remember(ctx, p)
	}
	return r.emit(ctx, nil)
}

// remember hands on what a document with running totals gave. While it waits for
// a file beside it, that is said once.
func (r *reading) remember(ctx context.Context, p harnesses.RememberingParser) error {
	if !p.Waits() {
		return r.emit(ctx, p.State())
	}
	r.count(r.t.harness, Counts{Unreadable: 1})
	if k := r.t.known; k != nil && k.Size == unread && !k.Gone {
		return nil
	}
	r.cp.Size, r.whole = unread, false
	return r.emit(ctx, r.t.state)
}

// unparsed: what a document holds beside the problem may be missing from it; of
// one that was read, only a number or a cost.
func unparsed(p meterbridge.Problem) bool { return strings.HasPrefix(p.Reason, "malformed") }

func (r *reading) refuse(ctx context.Context) error {
	r.count(r.t.harness, Counts{Unreadable: 1})
	r.problem(meterbridge.Problem{Reason: "oversized-document", Detail: fmt.Sprintf("%v: %d bytes", errDocumentSize, r.t.size)})
	r.whole = false
	return r.emit(ctx, nil)
}

// seen takes the fingerprints of a document, by which it is known when it moves.
func (r *reading) seen(content []byte) {
	var ends prefix
	ends.head.add(content)
	ends.tail.add(content)
	r.cp.Offset = int64(len(content))
	r.cp.Head, r.cp.HeadLen = ends.head.sum(r.cp.Offset)
	r.cp.Tail = ends.tail.sum()
}

// database asks another program's database for what is new in it.
func (r *reading) database(ctx context.Context) error {
	state := r.t.state
	if r.t.mode == resume {
		r.cp.Generation, r.whole = max(1, r.t.known.Generation), false
	}
	r.whole = r.whole && !(r.t.kind.Totals && len(state) > 0)
	if r.whole {
		r.count(r.t.harness, Counts{Whole: 1})
	}
	for {
		next, err := r.query(ctx, state)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err == nil:
			r.bytes = r.t.size
			return r.emit(ctx, next)
		case !errors.Is(err, harnesses.ErrMore) || (bytes.Equal(state, next) && r.batch.Len() == 0):
			return r.partial(ctx, next, err)
		case !r.whole:
			if err := r.emitPart(ctx, next); err != nil {
				return err
			}
		}
		state = next
	}
}

// query asks once; a parser that gives no next state keeps the old one.
func (r *reading) query(ctx context.Context, state []byte) ([]byte, error) {
	next, err := r.h.Database(r.t.kind, r.options(state)).Query(ctx, &r.batch)
	if next == nil {
		next = state
	}
	return next, err
}

// partial hands on what a database gave before it could not be read any more.
func (r *reading) partial(ctx context.Context, state []byte, err error) error {
	if r.batch.Len() == 0 {
		return r.fail(ctx, err)
	}
	r.count(r.t.harness, Counts{Unreadable: 1})
	r.cp.Size, r.whole = unread, false
	if k := r.t.known; k == nil || k.Size != unread {
		r.problem(problemOf(err))
	}
	return r.emit(ctx, state)
}
