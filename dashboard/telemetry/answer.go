package telemetry

import (
	"encoding/binary"
	"encoding/json"
	"mime"
	"net/http"
	"strconv"

	"meterbridge/dashboard/problem"
)

// Refuse writes a refusal that came before the handler as the protocol has it: a
// google.rpc.Status in the encoding of the request.
func Refuse(w http.ResponseWriter, r *http.Request, p *problem.Problem) {
	media, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	message := p.Detail
	if p.Hint != "" {
		message += ": " + p.Hint
	}
	answer{w: w, json: media == jsonType}.status(p.Status, message)
}

// answer writes what the protocol says, in the encoding of the request.
type answer struct {
	w    http.ResponseWriter
	json bool
}

// taken answers an export that was taken, at least in part.
func (a answer) taken(s Signal, t Taken) {
	if a.json {
		a.write(http.StatusOK, successJSON(s, t))
		return
	}
	a.write(http.StatusOK, successProtobuf(t))
}

// successJSON is an Export…ServiceResponse; whole numbers of 64 bits are texts.
func successJSON(s Signal, t Taken) []byte {
	if t.Rejected == 0 {
		return []byte("{}")
	}
	field := map[Signal]string{Metrics: "rejectedDataPoints", Logs: "rejectedLogRecords", Traces: "rejectedSpans"}[s]
	return encoded(map[string]any{"partialSuccess": map[string]any{field: strconv.FormatInt(t.Rejected, 10), "errorMessage": t.Reason}})
}

// successProtobuf is the same message; its fields have the same numbers for all signals.
func successProtobuf(t Taken) []byte {
	if t.Rejected == 0 {
		return nil
	}
	partial := binary.AppendUvarint([]byte{1 << 3}, uint64(t.Rejected))
	return text(nil, 1, string(text(partial, 2, t.Reason)))
}

// codes are those of google.rpc.Code.
func code(status int) int {
	switch status {
	case http.StatusServiceUnavailable:
		return 14 // unavailable
	case http.StatusNotFound, http.StatusMethodNotAllowed:
		return 12 // unimplemented
	case http.StatusRequestEntityTooLarge:
		return 8 // resource exhausted
	case http.StatusUnauthorized:
		return 16 // unauthenticated
	case http.StatusForbidden:
		return 7 // permission denied
	}
	return 3 // invalid argument
}

// status answers with a google.rpc.Status.
func (a answer) status(status int, message string) {
	if a.json {
		a.write(status, encoded(map[string]any{"code": code(status), "message": message}))
		return
	}
	a.write(status, text(binary.AppendUvarint([]byte{1 << 3}, uint64(code(status))), 2, message))
}

// text appends a field of protobuf that holds a text or a message.
func text(b []byte, field byte, s string) []byte {
	b = binary.AppendUvarint(append(b, field<<3|2), uint64(len(s)))
	return append(b, s...)
}

func encoded(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		return []byte("{}")
	}
	return b
}

func (a answer) write(status int, body []byte) {
	h := a.w.Header()
	h.Set("Content-Type", protobufType)
	if a.json {
		h.Set("Content-Type", jsonType)
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	a.w.WriteHeader(status)
	_, _ = a.w.Write(body) // a client that has gone asks no more
}
