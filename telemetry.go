package meterbridge

import "time"

// RuleTelemetry is the rule of requests that a harness's telemetry tells of. Its
// log, where it is read too, tells more: the log's record of the same request
// takes their place, and the two are never added.
const RuleTelemetry = "telemetry"

// TelemetryID is the native id of a request that only telemetry tells of, made of
// the provider's id of the request.
func TelemetryID(requestID string) string { return "otel:" + requestID }

// FromTelemetry reports whether telemetry, and no log, tells of the request.
func (r *Request) FromTelemetry() bool { return r.Rule == RuleTelemetry }

// Completed is a log's record of a request with what it does not say and
// telemetry of the same request does: when it was sent, and its speed. Nothing
// that the log says changes, its tokens and its recorded cost least of all.
func Completed(log, told Request) Request {
	if log.StartedAt.IsZero() && told.StartedAt.Before(log.EndedAt) {
		log.StartedAt = told.StartedAt
	}
	if log.Speed == "" {
		log.Speed = told.Speed
	}
	return log
}

// toldFirst orders two records of one request that telemetry tells twice: by
// when it ended, then by when it began.
func toldFirst(a, b *Request) bool {
	if !a.EndedAt.Equal(b.EndedAt) {
		return a.EndedAt.Before(b.EndedAt)
	}
	return a.StartedAt.Before(b.StartedAt)
}

// Reading is what one counter of tokens in a harness's telemetry told at one
// moment. Readings are held against the ledger and never counted.
type Reading struct {
	Harness string
	// Session is the main session whose tokens are counted; empty where it is not told.
	Session string
	Model   string
	// Kind is the class: "input", "output", "cacheRead" or "cacheWrite".
	Kind string
	// N tokens were counted after Since, until Until.
	Since, Until time.Time
	N            int64
	// Key is the same for a reading that is exported again. Of a counter that counts
	// on from its start, which is Since, it is the same for all readings from that
	// start, of which the latest replaces the others; readings of other keys are added.
	Key ID
}
