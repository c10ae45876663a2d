package otlp

import (
	"go.opentelemetry.io/collector/pdata/ptrace"

	"meterbridge/harnesses"
)

func (r *reading) traces(json bool, body []byte) error {
	var u ptrace.Unmarshaler = &ptrace.ProtoUnmarshaler{}
	if json {
		u = &ptrace.JSONUnmarshaler{}
	}
	all, err := u.UnmarshalTraces(body)
	if err != nil {
		return err
	}
	for _, resource := range all.ResourceSpans().All() {
		r.resource(resource.Resource().Attributes())
		for _, scope := range resource.ScopeSpans().All() {
			r.scope = scope.Scope().Name()
			for _, span := range scope.Spans().All() {
				r.span(span)
			}
		}
	}
	return nil
}

func (r *reading) span(s ptrace.Span) {
	if t, name := r.teller(s.Name()); t != nil {
		r.happened(t.Span, harnesses.Happening{
			Name: name, Start: instant(s.StartTimestamp()), End: instant(s.EndTimestamp()), Attributes: attrs{s.Attributes()},
		})
	}
}
