package fetch

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"unicode/utf8"

	"meterbridge/bridge"
)

// Close gives up what of the answer was not read.
func (r *Response) Close() {
	r.end()
	_ = r.body.Close()
}

// Read reads the body as far as it may go, and tells whether there was more.
func (r *Response) Read() (body []byte, truncated bool, err error) {
	body, err = io.ReadAll(io.LimitReader(r.body, MaxResponse+1))
	if err != nil {
		return nil, false, broken(err)
	}
	if len(body) > MaxResponse {
		return body[:MaxResponse], true, nil
	}
	return body, false, nil
}

// broken is why an answer could not be read to its end.
func broken(err error) error {
	var timeout interface{ Timeout() bool }
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return bridge.Refuse(CodeNetwork, "the answer broke off")
	case errors.As(err, &timeout) && timeout.Timeout():
		return bridge.Refuse(bridge.CodeTimeout, "the answer did not end in time")
	case errors.Is(err, context.Canceled):
		return bridge.Refuse(bridge.CodeUserCancelled, "the request was given up")
	}
	return bridge.Refuse(CodeNetwork, "the answer broke off: %v", err)
}

// JSON is a body as JSON; nothing is null.
func JSON(body []byte) (json.RawMessage, error) {
	if strings.TrimSpace(string(body)) == "" {
		return json.RawMessage("null"), nil
	}
	if !json.Valid(body) {
		return nil, bridge.Refuse(CodeNetwork, "the answer is not JSON")
	}
	return body, nil
}

// Text is a body as text; what is no UTF-8 is replaced.
func Text(body []byte) string { return strings.ToValidUTF8(string(body), "\uFFFD") }

// Chunk is a piece of a body.
type Chunk struct {
	Data string
	// Encoding is text, or base64 of what is no text.
	Encoding string
}

// Stream tells the body piece by piece, without cutting characters.
func (r *Response) Stream(tell func(Chunk)) error {
	buffer, kept, total := make([]byte, 32<<10), 0, 0
	for {
		n, err := r.body.Read(buffer[kept:])
		total += n
		n += kept
		whole := n
		if err == nil {
			whole = bridge.WholeRunes(buffer[:n])
		}
		if whole > 0 {
			tell(chunk(buffer[:whole]))
		}
		kept = copy(buffer, buffer[whole:n])
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return broken(err)
		case total > MaxResponse:
			return bridge.Refuse(bridge.CodeTooLarge, "the answer is longer than %d MiB", MaxResponse>>20)
		}
	}
}

func chunk(b []byte) Chunk {
	if utf8.Valid(b) {
		return Chunk{string(b), "text"}
	}
	return Chunk{base64.StdEncoding.EncodeToString(b), "base64"}
}
