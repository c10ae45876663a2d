package query

import (
	"context"
	"errors"
	"net/http"

	"meterbridge"
	"meterbridge/analytics"
	"meterbridge/dashboard/problem"
)

// ErrBusy says that no slot came free in time.
var ErrBusy = errors.New("too many questions are being answered")

// Problem is an error of a question as its answer; nil where it is nobody's wish
// and its text, which may name folders, belongs into the log.
func Problem(err error) *problem.Problem {
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
		return Invalid(wrong.Name, wrong.Reason, wrong.Hint)
	case errors.As(err, &several):
		p := problem.New(http.StatusConflict, several.Error(), hint)
		for _, c := range several.Candidates {
			p.Candidates = append(p.Candidates, c.Harness+":"+c.Session)
		}
		return p
	case errors.Is(err, ErrCursor):
		return Invalid("cursor", "is not one of this list", "take it from nextCursor, or leave it out to begin anew")
	case errors.Is(err, analytics.ErrUnknown):
		return problem.New(http.StatusNotFound, err.Error(), hint)
	case errors.Is(err, analytics.ErrQuery), errors.Is(err, analytics.ErrShell):
		return problem.New(http.StatusUnprocessableEntity, err.Error(), hint)
	case errors.Is(err, ErrBusy):
		return problem.New(http.StatusServiceUnavailable, err.Error(), "ask again in a moment")
	case errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled):
		return problem.New(http.StatusServiceUnavailable, "the answer took too long", "ask for a shorter time, or for fewer rows")
	}
	return nil
}

// Invalid is a parameter that cannot be used.
func Invalid(name, message, hint string) *problem.Problem {
	p := problem.New(http.StatusUnprocessableEntity, name+": "+message, hint)
	p.Parameters = []problem.Parameter{{Name: name, Message: message}}
	return p
}
