package edge

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"os"
	"strings"
	"time"

	"meterbridge/bridge/strictjson"
)

const (
	jsonType   = "application/json"
	streamType = "text/event-stream"
)

// read takes a POST's message through the steps of the guard that look at the
// message alone.
func (e *Edge) read(w http.ResponseWriter, r *http.Request) (*strictjson.Message, *refusal) {
	if media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || media != jsonType {
		return nil, &refusal{http.StatusUnsupportedMediaType, codeInvalidRequest, "the content type must be " + jsonType, "content_type"}
	}
	if r.Header.Get("Content-Encoding") != "" {
		return nil, &refusal{http.StatusUnsupportedMediaType, codeInvalidRequest, "the message must not be encoded", "content_type"}
	}
	if !accepts(r, jsonType) || !accepts(r, streamType) {
		return nil, &refusal{http.StatusNotAcceptable, codeInvalidRequest, "Accept must name " + jsonType + " and " + streamType, "accept"}
	}
	text, refused := e.body(w, r)
	if refused != nil {
		return nil, refused
	}
	m, err := strictjson.Parse(text)
	switch {
	case errors.Is(err, strictjson.ErrSyntax):
		return nil, &refusal{http.StatusBadRequest, codeParse, err.Error(), "json"}
	case err != nil:
		return nil, &refusal{http.StatusBadRequest, codeInvalidRequest, err.Error(), "json"}
	}
	return m, nil
}

// body reads the message, no more of it than is allowed and no longer.
func (e *Edge) body(w http.ResponseWriter, r *http.Request) ([]byte, *refusal) {
	tooLarge := &refusal{
		http.StatusRequestEntityTooLarge, codeTooLarge, fmt.Sprintf("a message may have %d bytes", e.limits.Body), "body_size",
	}
	if r.ContentLength > e.limits.Body {
		return nil, tooLarge
	}
	control := http.NewResponseController(w)
	// A writer without deadlines (a test's recorder) has no slow clients.
	_ = control.SetReadDeadline(time.Now().Add(e.limits.BodyTime))
	text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, e.limits.Body))
	_ = control.SetReadDeadline(time.Time{})
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return nil, tooLarge
	case errors.Is(err, os.ErrDeadlineExceeded):
		w.Header().Set("Connection", "close")
		return nil, &refusal{http.StatusRequestTimeout, codeInvalidRequest, "the message took too long to arrive", "body_time"}
	case err != nil:
		return nil, &refusal{http.StatusBadRequest, codeInvalidRequest, "the message did not arrive whole", "body"}
	}
	return text, nil
}

// accepts tells whether a client takes a media type; one that says nothing takes
// any.
func accepts(r *http.Request, media string) bool {
	values := r.Header.Values("Accept")
	if len(values) == 0 {
		return true
	}
	kind, _, _ := strings.Cut(media, "/")
	for _, value := range values {
		for part := range strings.SplitSeq(value, ",") {
			name, _, _ := strings.Cut(part, ";")
			switch strings.ToLower(strings.TrimSpace(name)) {
			case media, kind + "/*", "*/*":
				return true
			}
		}
	}
	return false
}
