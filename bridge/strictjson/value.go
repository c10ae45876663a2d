package strictjson

import (
	"fmt"
	"unicode/utf8"
)

// Check holds a JSON value of any kind against what Parse asks of a message:
// valid UTF-8 without a mark before it, no key twice, bounded depth, nothing
// after it. The error is ErrSyntax or ErrShape and names the byte.
func Check(text []byte) error {
	if !utf8.Valid(text) {
		return fmt.Errorf("%w: invalid UTF-8", ErrSyntax)
	}
	r := reader{text: text}
	r.space()
	if err := r.value(1, nil); err != nil {
		return err
	}
	if r.space(); r.at != len(text) {
		return r.wrong("something follows the value")
	}
	return nil
}
