package api

import (
	"log/slog"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"meterbridge/dashboard/problem"
	"meterbridge/dashboard/query"
)

// problemOf is an error of a question as its answer.
func (s *server) problemOf(err error, what string) *problem.Problem {
	if p := query.Problem(err); p != nil {
		return p
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
