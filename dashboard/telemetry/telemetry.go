// Package telemetry answers OTLP over HTTP: it takes bodies of programs that
// export metrics, logs and traces, unpacked and of a bounded size, and hands them
// to a Receiver; the answers are those of the protocol. It knows nothing of what
// the bodies hold, and imports nothing of the project; internal/daemon serves it
// behind the guard.
package telemetry

import (
	"compress/gzip"
	"context"
	"errors"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"strings"
	"time"
)

// Prefix is where the handler answers; below it are the paths of the protocol.
const Prefix = "/otlp/v1/"

// MaxBody is the largest body in bytes, as it comes and as it is unpacked.
const MaxBody = 16 << 20

// ErrMalformed is returned by a Receiver for a body that is none of its type,
// ErrTooLarge for one that holds more than is taken at once. Other errors mean
// that it may be sent again.
var (
	ErrMalformed = errors.New("malformed body")
	ErrTooLarge  = errors.New("too large a body")
)

// Signal is what a body holds.
type Signal string

// The signals, as the paths name them.
const (
	Metrics Signal = "metrics"
	Logs    Signal = "logs"
	Traces  Signal = "traces"
)

// Export is what a program sent.
type Export struct {
	Signal Signal
	// JSON: the body is JSON, else protobuf.
	JSON bool
	Body []byte
}

// Taken is what became of it.
type Taken struct {
	// Rejected counts the records, points or spans that cannot be used, Reason says
	// why. They are not to be sent again.
	Rejected int64
	Reason   string
}

// Receiver takes exports. What it has taken survives a restart.
type Receiver interface {
	Receive(ctx context.Context, e Export) (Taken, error)
}

// Options of a handler; the zero value is valid.
type Options struct {
	// Log is told of exports that could not be taken, never of what they hold.
	Log *slog.Logger
	// Wait bounds the reading of a body; 0 is 30 s.
	Wait time.Duration
}

// handler takes one export at a time: each may need memory many times its size.
type handler struct {
	to   Receiver
	o    Options
	turn chan struct{}
}

// Types are the content types of bodies.
func Types() []string { return []string{protobufType, jsonType} }

const (
	protobufType = "application/x-protobuf"
	jsonType     = "application/json"
)

// Handler answers below Prefix.
func Handler(to Receiver, o Options) http.Handler {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Wait == 0 {
		o.Wait = 30 * time.Second
	}
	return &handler{to: to, o: o, turn: make(chan struct{}, 1)}
}

// ServeHTTP takes one export.
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	media, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	a := answer{w: w, json: media == jsonType}
	signal := Signal(strings.TrimPrefix(r.URL.Path, Prefix))
	switch {
	case signal != Metrics && signal != Logs && signal != Traces:
		a.status(http.StatusNotFound, "there is no such signal: the paths end in metrics, logs and traces")
	case r.Method != http.MethodPost:
		w.Header().Set("Allow", http.MethodPost)
		a.status(http.StatusMethodNotAllowed, "telemetry is sent by POST")
	case media != protobufType && media != jsonType:
		a.status(http.StatusUnsupportedMediaType, "use Content-Type: "+protobufType+" or "+jsonType)
	default:
		h.export(a, r, signal)
	}
}

// export takes the body when its turn has come.
func (h *handler) export(a answer, r *http.Request, signal Signal) {
	select {
	case h.turn <- struct{}{}:
	case <-r.Context().Done():
		return
	}
	defer func() { <-h.turn }()
	// One that sends slowly must not keep the others waiting for ever. A writer that
	// knows no deadlines (a test's) is no reason to refuse.
	_ = http.NewResponseController(a.w).SetReadDeadline(time.Now().Add(h.o.Wait))
	body, err := unpacked(r)
	if err == nil {
		var taken Taken
		if taken, err = h.to.Receive(r.Context(), Export{Signal: signal, JSON: a.json, Body: body}); err == nil {
			a.taken(signal, taken)
			return
		}
	}
	h.refuse(a, err)
}

func (h *handler) refuse(a answer, err error) {
	var most *http.MaxBytesError
	switch {
	case errors.As(err, &most), errors.Is(err, ErrTooLarge):
		a.status(http.StatusRequestEntityTooLarge, "the body is too large: export less at a time")
	case errors.Is(err, errEncoding):
		a.status(http.StatusUnsupportedMediaType, "use Content-Encoding: gzip, or none")
	case errors.Is(err, ErrMalformed):
		a.status(http.StatusBadRequest, "the body is not what its content type says")
	default:
		h.o.Log.Warn("telemetry not taken", slog.Any("error", err))
		a.w.Header().Set("Retry-After", "5")
		a.status(http.StatusServiceUnavailable, "not taken: send it again")
	}
}

var errEncoding = errors.New("content encoding")

// unpacked is the body, at most MaxBody bytes of it.
func unpacked(r *http.Request) ([]byte, error) {
	var from io.Reader = http.MaxBytesReader(nil, r.Body, MaxBody)
	switch strings.ToLower(r.Header.Get("Content-Encoding")) {
	case "", "identity":
	case "gzip":
		packed, err := gzip.NewReader(from)
		if err != nil {
			return nil, unreadable(err)
		}
		from = packed
	default:
		return nil, errEncoding
	}
	body, err := io.ReadAll(io.LimitReader(from, MaxBody+1))
	switch {
	case err != nil:
		return nil, unreadable(err)
	case len(body) > MaxBody:
		return nil, ErrTooLarge
	}
	return body, nil
}

// unreadable is the error of a body that ends too early, or is too long.
func unreadable(err error) error {
	var most *http.MaxBytesError
	if errors.As(err, &most) {
		return err
	}
	return errors.Join(ErrMalformed, err)
}
