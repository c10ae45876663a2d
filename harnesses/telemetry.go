package harnesses

import (
	"errors"
	"strings"
	"time"

	"meterbridge"
)

// Errors of events that tell of a request and cannot be used. They name no
// content of the event.
var (
	// ErrNoRequestID: without the provider's id it could be one that the log has too.
	ErrNoRequestID = errors.New("no id of the request")
	// ErrNoTokens: it tells no count of tokens.
	ErrNoTokens = errors.New("no counts of tokens")
	// ErrWrongCount: a count is no whole number from 0 to 2^53, or parts are more than their whole.
	ErrWrongCount = errors.New("a count is wrong")
	// ErrNoTime: it has no time, or none of this century.
	ErrNoTime = errors.New("no time")
)

// Telemetry says how a harness's OpenTelemetry is understood. What comes is the
// harness's when the service, the scope or the beginning of its name says so.
type Telemetry struct {
	// Services are values of service.name.
	Services []string
	// Scopes are names of instrumentation scopes.
	Scopes []string
	// Prefix begins the names of its events, metrics and spans.
	Prefix string
	// Event makes a request of a log record, and Span of a span; nil for what tells
	// of none. Names come without Prefix.
	Event, Span func(Happening) (*meterbridge.Request, error)
	// Counter says of a point of the metric of that name (without Prefix) what its
	// tokens belong to; false for metrics that count no tokens.
	Counter func(name string, a Attributes) (Counted, bool)
}

// Happening is a log record or a span.
type Happening struct {
	Name string
	// Start is zero for a log record.
	Start, End time.Time
	Attributes Attributes
}

// Counted is what a point of a counter of tokens belongs to.
type Counted struct {
	// Session is the main session, empty where it is not told.
	Session, Model string
	// Kind is "input", "output", "cacheRead" or "cacheWrite".
	Kind string
}

// Attributes are those of a log record, a span or a point. Only what is asked
// for is ever copied: events hold prompts.
type Attributes interface {
	// Text is a text of at most 512 bytes; empty for none.
	Text(name string) string
	// Count is a whole number, also one that is written as a text; null for none.
	Count(name string) (meterbridge.Count, error)
	// Decimal is a number as JSON writes it; empty for none.
	Decimal(name string) string
}

// Concerns reports whether a record of that service, scope and name is the harness's.
func (t *Telemetry) Concerns(service, scope, name string) bool {
	return among(t.Services, service) || among(t.Scopes, scope) || (t.Prefix != "" && strings.HasPrefix(name, t.Prefix))
}

func among(list []string, name string) bool {
	for _, s := range list {
		if s == name && name != "" {
			return true
		}
	}
	return false
}
