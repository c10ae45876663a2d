// Package otlp decodes what harnesses export over OTLP (protobuf and JSON) into
// requests and readings. It alone knows the wire format: which harness tells of
// a request, and how, the harness declares itself (harnesses.Telemetry). What a
// body would need in memory is weighed before it is decoded. It imports the
// domain, harnesses and pdata; internal/daemon hands it the bodies.
package otlp

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"meterbridge"
	"meterbridge/harnesses"
)

// ErrMalformed says that the body is none of its format.
var ErrMalformed = errors.New("the body is no valid OTLP")

// ErrTooLarge says that the body would need too much memory, or is nested too deeply.
var ErrTooLarge = errors.New("the body holds too much")

// Signal is what a body holds.
type Signal int

// The signals.
const (
	Logs Signal = iota
	Metrics
	Traces
)

// Delivery is what a body tells of known harnesses.
type Delivery struct {
	Requests []Told
	Readings []meterbridge.Reading
	// Rejected counts the log records, points or spans that should tell of a request
	// and cannot be used; Reason says why, without their content.
	Rejected int64
	Reason   string
}

// Told is a request and the machine that told of it, empty where it is not named.
type Told struct {
	Machine string
	meterbridge.Request
}

// Decoder decodes the telemetry of some harnesses. It may be used at once.
type Decoder struct {
	known []teller
}

// teller is a harness that tells of requests.
type teller struct {
	id string
	*harnesses.Telemetry
}

// New is a decoder of the telemetry of those of the harnesses that have any.
func New(list []harnesses.Harness) *Decoder {
	d := &Decoder{}
	for i := range list {
		if list[i].Telemetry != nil {
			d.known = append(d.known, teller{list[i].ID, list[i].Telemetry})
		}
	}
	return d
}

// Decode decodes a body, in JSON or in protobuf. What it returns shares no
// memory with the body. Its errors are ErrMalformed and ErrTooLarge.
func (d *Decoder) Decode(s Signal, json bool, body []byte) (out Delivery, err error) {
	defer func() {
		if p := recover(); p != nil { // untrusted input ends no daemon, whatever the library makes of it
			out, err = Delivery{}, fmt.Errorf("%w: the decoder gave up", ErrMalformed)
		}
	}()
	return d.decode(s, json, body)
}

// decode is Decode without the net under it.
func (d *Decoder) decode(s Signal, json bool, body []byte) (Delivery, error) {
	if err := weigh(s, json, body); err != nil {
		return Delivery{}, err
	}
	r := &reading{decoder: d, reasons: map[string]int64{}}
	read := [...]func(bool, []byte) error{Logs: r.logs, Metrics: r.metrics, Traces: r.traces}[s]
	if err := read(json, body); err != nil {
		return Delivery{}, fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	return r.done(), nil
}

// reading is the decoding of one body.
type reading struct {
	decoder *Decoder
	out     Delivery
	reasons map[string]int64
	// service and machine are those of the resource, scope that of the scope.
	service, machine, scope string
}

func (r *reading) resource(a pcommon.Map) {
	r.service, r.machine = attributes(a, "service.name"), attributes(a, "host.name")
}

func attributes(a pcommon.Map, name string) string { return attrs{a}.Text(name) }

// teller is the harness that a record of that name is of, and the name without
// its prefix; nil for none that is known.
func (r *reading) teller(name string) (*teller, string) {
	for i := range r.decoder.known {
		if t := &r.decoder.known[i]; t.Concerns(r.service, r.scope, name) {
			return t, strings.TrimPrefix(name, t.Prefix)
		}
	}
	return nil, ""
}

// happened takes what a log record or a span tells.
func (r *reading) happened(make func(harnesses.Happening) (*meterbridge.Request, error), h harnesses.Happening) {
	if make == nil {
		return
	}
	q, err := make(h)
	switch {
	case err != nil:
		r.reject(err)
	case q == nil:
	case !believable(h.End):
		r.reject(harnesses.ErrNoTime)
	default:
		if !believable(q.StartedAt) || !q.StartedAt.Before(q.EndedAt) {
			q.StartedAt = time.Time{}
		}
		r.out.Requests = append(r.out.Requests, Told{r.machine, *q})
	}
}

func (r *reading) reject(err error) {
	r.out.Rejected++
	r.reasons[err.Error()]++
}

// done is the delivery, its reasons in order.
func (r *reading) done() Delivery {
	var reasons []string
	for reason, n := range r.reasons {
		reasons = append(reasons, fmt.Sprintf("%s (%d)", reason, n))
	}
	slices.Sort(reasons)
	r.out.Reason = strings.Join(reasons, "; ")
	return r.out
}

// instant is a time of OTLP, nanoseconds since 1970; 0 is none.
func instant(t pcommon.Timestamp) time.Time {
	if t == 0 || t > 1<<63-1 {
		return time.Time{}
	}
	return time.Unix(0, int64(t)).UTC()
}

// believable reports whether a time lies in the years that telemetry can be of:
// a clock that was not set tells nothing.
func believable(t time.Time) bool { return t.Year() >= 2020 && t.Year() < 2200 }
