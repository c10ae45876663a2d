package api

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"meterbridge"
	"meterbridge/analytics"
	"meterbridge/dashboard/problem"
)

// errBusy says that no slot came free in time.
var errBusy = errors.New("too many questions are being answered")

// problemOf is an error of a question as its answer.
func (s *server) problemOf(err error, what string) *problem.Problem {
	var ready *problem.Problem
	var wrong *meterbridge.PeriodError
	var several *analytics.AmbiguousError
	var hinted *analytics.HintError
	hint := ""
	if errors.As(err, &hinted) {
		hint = hinted.Hint
	}
	switch {
	case errors.As(err, &ready):
		return ready
	case errors.As(err, &wrong):
		return invalid(wrong.Name, wrong.Reason, wrong.Hint)
	case errors.As(err, &several):
		p := problem.New(http.StatusConflict, several.Error(), hint)
		for _, c := range several.Candidates {
			p.Candidates = append(p.Candidates, c.Harness+":"+c.Session)
		}
		return p
	case errors.Is(err, analytics.ErrUnknown):
		return problem.New(http.StatusNotFound, err.Error(), hint)
	case errors.Is(err, analytics.ErrQuery):
		return problem.New(http.StatusUnprocessableEntity, err.Error(), hint)
	case errors.Is(err, errBusy):
		return problem.New(http.StatusServiceUnavailable, err.Error(), "ask again in a moment")
	case errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled):
		return problem.New(http.StatusServiceUnavailable, "the answer took too long", "ask for a shorter time, or for fewer rows")
	}
	return s.fault(err, what)
}

// fault is an error that is nobody's wish; its text stays in the log, for it may
// name folders.
func (s *server) fault(err error, what string) *problem.Problem {
	if s.o.Log != nil {
		s.o.Log.Error("question failed", slog.String("question", what), slog.Any("error", err))
	}
	return problem.New(http.StatusInternalServerError, "the question could not be answered", "the daemon's log tells why")
}

// invalid is a parameter that cannot be used.
func invalid(name, message, hint string) *problem.Problem {
	p := problem.New(http.StatusUnprocessableEntity, name+": "+message, hint)
	p.Parameters = []problem.Parameter{{Name: name, Message: message}}
	return p
}

// framed is an error of the framework: parameters that do not fit the description.
func framed(m *huma.ErrorModel) *problem.Problem {
	p := problem.New(m.Status, m.Detail, "")
	for _, e := range m.Errors {
		if e == nil {
			continue
		}
		_, name, found := strings.Cut(e.Location, ".")
		if !found {
			name = e.Location
		}
		p.Parameters = append(p.Parameters, problem.Parameter{Name: name, Message: e.Message})
	}
	if len(p.Parameters) > 0 {
		p.Detail = p.Parameters[0].Name + ": " + p.Parameters[0].Message
		p.Hint = "docs/openapi.json names the parameters and their values"
	}
	return p
}
