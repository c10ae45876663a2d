package guard

import (
	"bytes"
	"errors"
	"io"
	"mime"
	"net/http"
	"slices"
)

// buffered is the largest cap up to which a body of unknown length is read
// before the handler runs, so that it never sees one that is too large.
const buffered = 1 << 20

// body checks the type and the size of a body, and bounds what can be read of it.
func body(w http.ResponseWriter, r *http.Request, rule Rule) *refusal {
	if r.Body == nil || r.Body == http.NoBody || r.ContentLength == 0 {
		return nil
	}
	media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || !slices.Contains(rule.Types, media) {
		return &refusal{
			reason: BadType, status: http.StatusUnsupportedMediaType, detail: "the body's content type is not one that is read here",
			hint: typesHint(rule.Types),
		}
	}
	if r.ContentLength > rule.MaxBody {
		return tooLarge()
	}
	if r.ContentLength < 0 && rule.MaxBody <= buffered {
		return readAhead(r, rule.MaxBody)
	}
	r.Body = http.MaxBytesReader(w, r.Body, rule.MaxBody)
	return nil
}

func typesHint(types []string) string {
	if len(types) == 0 {
		return "send no body"
	}
	hint := "use Content-Type: "
	for i, t := range types {
		if i > 0 {
			hint += " or "
		}
		hint += t
	}
	return hint
}

func readAhead(r *http.Request, most int64) *refusal {
	content, err := io.ReadAll(io.LimitReader(r.Body, most+1))
	if err == nil && int64(len(content)) > most {
		return tooLarge()
	}
	// What could not be read the handler finds out.
	rest := io.Reader(bytes.NewReader(content))
	if err != nil {
		rest = io.MultiReader(rest, broken{err})
	}
	r.Body = readCloser{rest, r.Body}
	return nil
}

// readCloser reads what was read ahead and closes the body.
type readCloser struct {
	io.Reader
	io.Closer
}

// broken is the error in the place of the rest.
type broken struct{ err error }

func (b broken) Read([]byte) (int, error) { return 0, b.err }

func tooLarge() *refusal {
	return &refusal{reason: TooLarge, status: http.StatusRequestEntityTooLarge, detail: "the body is too large", hint: "send less at a time"}
}

// IsTooLarge reports whether reading a body ended at its bound; the answer is 413.
func IsTooLarge(err error) bool {
	var most *http.MaxBytesError
	return errors.As(err, &most)
}
