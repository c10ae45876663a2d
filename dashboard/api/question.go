package api

import (
	"context"
	"net/http"
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"meterbridge"
	"meterbridge/dashboard/problem"
	"meterbridge/dashboard/query"
)

// answer is the framework's form of an answer.
type answer[O any] struct{ Body O }

// ask registers a question that reads the ledger and whose answer follows from it
// alone: the ledger's revision is its ETag, and as many as there are slots are
// answered at once.
func ask[I, O any](s *server, h huma.API, op huma.Operation, fn func(context.Context, *I) (O, error)) {
	question(s, h, op, true, fn)
}

// look registers a question whose answer depends on more than the ledger: on the
// time, or on what lies on the disk. Its ETag is that of what is written.
func look[I, O any](s *server, h huma.API, op huma.Operation, fn func(context.Context, *I) (O, error)) {
	question(s, h, op, false, fn)
}

func question[I, O any](s *server, h huma.API, op huma.Operation, revised bool, fn func(context.Context, *I) (O, error)) {
	huma.Register(h, op, func(ctx context.Context, in *I) (*answer[O], error) {
		if x := exchangeOf(ctx); revised && !ofTheMoment(in) && x != nil {
			if s.revised(x) {
				return nil, notModified()
			}
			if s.again(x) {
				return nil, answered()
			}
		}
		if err := s.enter(ctx); err != nil {
			return nil, s.problemOf(err, op.OperationID)
		}
		defer s.leave()
		out, err := fn(ctx, in)
		if err != nil {
			return nil, s.problemOf(err, op.OperationID)
		}
		return &answer[O]{out}, nil
	})
}

// ofTheMoment reports whether the answer depends on the time as well.
func ofTheMoment(in any) bool {
	m, ok := in.(interface{ ofTheMoment() bool })
	return ok && m.ofTheMoment()
}

// notModified is no problem: only its status is used.
func notModified() *problem.Problem { return problem.New(http.StatusNotModified, "", "") }

// answered ends a handler whose exchange has its answer already.
func answered() *problem.Problem { return problem.New(http.StatusOK, "", "") }

// enter waits for a slot.
func (s *server) enter(ctx context.Context) error {
	select {
	case s.slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		return query.ErrBusy
	}
}

func (s *server) leave() { <-s.slots }

func (s *server) period(in query.Period) (meterbridge.Period, error) {
	return in.Resolve(s.meter.Period())
}

// harness refuses a harness that is not read; empty is every harness.
func (s *server) harness(id string) error {
	if id == "" || len(s.o.Harnesses) == 0 || slices.Contains(s.o.Harnesses, id) {
		return nil
	}
	return query.Invalid("harness", "is not known", "the harnesses are "+joined(s.o.Harnesses))
}
