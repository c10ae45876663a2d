package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"meterbridge/bridge/strictjson"
)

// exactDigits is the longest whole number that is kept digit by digit; a longer
// one, and any with a fraction or an exponent, is taken as a float64.
const exactDigits = 40

// number is the JSON number of a text in its one canonical form. It is not ok when
// it is too large for a float64.
func number(text string) (value float64, canonical string, ok bool) {
	value, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return 0, "", false
	}
	digits := strings.TrimPrefix(text, "-")
	if len(digits) <= exactDigits && !strings.ContainsAny(digits, ".eE") {
		if digits == "0" {
			text = "0"
		}
		return value, text, true
	}
	if value == math.Trunc(value) && math.Abs(value) < 1e21 {
		if value == 0 {
			value = 0 // not -0
		}
		return value, strconv.FormatFloat(value, 'f', -1, 64), true
	}
	return value, strconv.FormatFloat(value, 'g', -1, 64), true
}

// errNumber says that a number is too large.
var errNumber = errors.New("a number is too large")

// Canonical is the JSON of a value in one form only: keys sorted, no white space,
// each number written one way. Digests are made of it.
func Canonical(text []byte) ([]byte, error) {
	v, err := decode(text)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := canonical(&b, v); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// decode reads a strict JSON value; numbers stay texts.
func decode(text []byte) (any, error) {
	if err := strictjson.Check(text); err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, fmt.Errorf("not valid JSON: %w", err)
	}
	return v, nil
}

func canonical(b *bytes.Buffer, v any) error {
	switch v := v.(type) {
	case nil:
		b.WriteString("null")
	case bool:
		b.WriteString(strconv.FormatBool(v))
	case json.Number:
		_, text, ok := number(string(v))
		if !ok {
			return errNumber
		}
		b.WriteString(text)
	case string:
		quote(b, v)
	case []any:
		return canonicalList(b, v)
	case map[string]any:
		return canonicalObject(b, v)
	}
	return nil
}

func canonicalList(b *bytes.Buffer, list []any) error {
	b.WriteByte('[')
	for i, item := range list {
		if i > 0 {
			b.WriteByte(',')
		}
		if err := canonical(b, item); err != nil {
			return err
		}
	}
	b.WriteByte(']')
	return nil
}

func canonicalObject(b *bytes.Buffer, object map[string]any) error {
	b.WriteByte('{')
	for i, key := range sortedKeys(object) {
		if i > 0 {
			b.WriteByte(',')
		}
		quote(b, key)
		b.WriteByte(':')
		if err := canonical(b, object[key]); err != nil {
			return err
		}
	}
	b.WriteByte('}')
	return nil
}

// quote writes a string with no more escapes than JSON needs.
func quote(b *bytes.Buffer, s string) {
	e := json.NewEncoder(trimmed{b})
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // a string can always be written
}

// trimmed leaves out the line end that an Encoder writes.
type trimmed struct{ to io.Writer }

func (t trimmed) Write(p []byte) (int, error) {
	if _, err := t.to.Write(bytes.TrimSuffix(p, []byte("\n"))); err != nil {
		return 0, err
	}
	return len(p), nil
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}
