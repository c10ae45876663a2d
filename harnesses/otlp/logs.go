package otlp

import (
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"

	"meterbridge/harnesses"
)

func (r *reading) logs(json bool, body []byte) error {
	var u plog.Unmarshaler = &plog.ProtoUnmarshaler{}
	if json {
		u = &plog.JSONUnmarshaler{}
	}
	all, err := u.UnmarshalLogs(body)
	if err != nil {
		return err
	}
	for _, resource := range all.ResourceLogs().All() {
		r.resource(resource.Resource().Attributes())
		for _, scope := range resource.ScopeLogs().All() {
			r.scope = scope.Scope().Name()
			for _, record := range scope.LogRecords().All() {
				r.record(record)
			}
		}
	}
	return nil
}

func (r *reading) record(l plog.LogRecord) {
	if t, name := r.teller(eventName(l)); t != nil {
		r.happened(t.Event, harnesses.Happening{Name: name, End: eventTime(l), Attributes: attrs{l.Attributes()}})
	}
}

// longestName is the longest name of an event; a longer body is a text.
const longestName = 128

// eventName is where exporters of different ages write it: the field made for
// it, an attribute, the body.
func eventName(l plog.LogRecord) string {
	if name := l.EventName(); name != "" {
		return name
	}
	if v, ok := l.Attributes().Get("event.name"); ok {
		return textOf(v)
	}
	if body := l.Body(); body.Type() == pcommon.ValueTypeStr && len(body.Str()) <= longestName {
		return body.Str()
	}
	return ""
}

// eventTime is when it happened, as the program says, else as it was noticed.
func eventTime(l plog.LogRecord) time.Time {
	if t := instant(l.Timestamp()); !t.IsZero() {
		return t
	}
	if t, err := time.Parse(time.RFC3339Nano, attributes(l.Attributes(), "event.timestamp")); err == nil {
		return t.UTC()
	}
	return instant(l.ObservedTimestamp())
}
