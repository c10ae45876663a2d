// Package jsonvalue looks into JSON of which nothing may be taken for granted:
// a member that is missing or of another type is simply not there. It is for
// documents and short lines; what holds megabytes is better read with the cursor
// of harnesses/walk, on which this stands. It imports the domain, harnesses/walk
// and harnesses/instant; the parsers of harnesses call it.
package jsonvalue

import (
	"bytes"
	"iter"
	"strconv"
	"time"

	"meterbridge"
	"meterbridge/harnesses/instant"
	"meterbridge/harnesses/walk"
)

// Value is one JSON value as it is written; nil is no value.
type Value []byte

// Object holds the members of an object; the last of one name counts.
type Object map[string]Value

// Parse checks the structure of a whole text, a byte order mark aside; ok is
// false when it is no JSON object.
func Parse(text []byte) (o Object, ok bool) {
	c := walk.Over(bytes.TrimPrefix(text, []byte("\xef\xbb\xbf")))
	if c.Peek() != '{' {
		return nil, false
	}
	o = members(&c)
	return o, c.End()
}

func members(c *walk.Cursor) Object {
	if !c.Object() {
		return nil
	}
	o := Object{}
	for first := true; c.Member(&first); {
		name := string(c.Key())
		o[name] = c.Raw()
	}
	return o
}

// At follows the names from object to object; nil when one is not there.
func (o Object) At(names ...string) Value {
	for i, name := range names {
		v := o[name]
		if i == len(names)-1 {
			return v
		}
		o = v.Object()
	}
	return nil
}

// Object is the value's members; nil, which can be read, when it is no object.
func (v Value) Object() Object {
	c := walk.Over(v)
	return members(&c)
}

// Elements are the elements of an array, numbered from 0; none when it is no array.
func (v Value) Elements() iter.Seq2[int, Value] {
	return func(yield func(int, Value) bool) {
		c := walk.Over(v)
		if !c.Array() {
			return
		}
		n := 0
		for first := true; c.Element(&first); n++ {
			if e := c.Raw(); e == nil || !yield(n, e) {
				return
			}
		}
	}
}

// Null reports whether there is no value, or the value null.
func (v Value) Null() bool { return len(v) == 0 || string(v) == "null" }

// Text is a string's text; empty for anything else.
func (v Value) Text() string { return v.Clip(0) }

// Clip is the beginning of a string's text, at most limit characters of it; all
// of it for 0.
func (v Value) Clip(limit int) string {
	if len(v) < 2 || v[0] != '"' {
		return ""
	}
	return walk.Unquote(v[1:len(v)-1], limit)
}

// IsText reports whether the value is a string.
func (v Value) IsText() bool { return len(v) >= 2 && v[0] == '"' }

// Spoken is the text of a message: a string, or the texts of a list of parts,
// one after the other.
func (v Value) Spoken() string {
	if v.IsText() {
		return v.Text()
	}
	text := ""
	for _, part := range v.Elements() {
		text += part.Object()["text"].Text()
	}
	return text
}

// Int is a whole number.
func (v Value) Int() (int64, bool) { return walk.Integer(v) }

// Float is a number; 0 for anything else.
func (v Value) Float() float64 {
	if len(v) == 0 || v[0] != '-' && (v[0] < '0' || v[0] > '9') {
		return 0
	}
	f, err := strconv.ParseFloat(string(v), 64)
	if err != nil {
		return 0
	}
	return f
}

// True reports whether the value is true; False likewise.
func (v Value) True() bool { return string(v) == "true" }

// False reports whether the value is false.
func (v Value) False() bool { return string(v) == "false" }

// Time is an instant written as ISO 8601; the zero time for anything else.
func (v Value) Time() time.Time {
	if !v.IsText() {
		return time.Time{}
	}
	return instant.ISO(v.Text())
}

// Millis is an instant written as epoch milliseconds.
func (v Value) Millis() time.Time {
	n, ok := v.Int()
	if !ok {
		return time.Time{}
	}
	return instant.Millis(n)
}

// Seconds is an instant written as epoch seconds, with or without a fraction.
func (v Value) Seconds() time.Time { return instant.Seconds(v.Float()) }

// Counts reads counts of tokens, and remembers that one was none.
type Counts struct {
	// Wrong: a number was negative, a fraction, no number at all, or beyond
	// meterbridge.MaxCount, so that nothing is known of the record.
	Wrong bool
}

// Of reads a count; absent and null are "not reported".
func (c *Counts) Of(v Value) meterbridge.Count {
	if v.Null() {
		return meterbridge.Count{}
	}
	n, ok := v.Int()
	if !ok || n < 0 || n > meterbridge.MaxCount {
		c.Wrong = true
		return meterbridge.Count{}
	}
	return meterbridge.Reported(n)
}

// USD reads a recorded cost: null for none, for a zero unless zeroes are
// amounts, and for nonsense, of which reason says what it is.
func USD(v Value, zeroes bool) (p meterbridge.NullPico, reason string) {
	switch {
	case v.Null():
		return p, ""
	case v[0] != '-' && (v[0] < '0' || v[0] > '9'):
		return p, "wrong-type"
	}
	amount, err := meterbridge.ParseUSD(string(v))
	switch {
	case err != nil:
		return p, "refused-cost"
	case amount.IsZero() && !zeroes:
		return p, ""
	}
	return meterbridge.SomePico(amount), ""
}

// Minus is a − b, held at 0, where both are reported; else a. It takes out of a
// number what lies inside it.
func Minus(a meterbridge.Count, inside ...meterbridge.Count) meterbridge.Count {
	for _, b := range inside {
		if a.OK && b.OK {
			a.N = max(0, a.N-b.N)
		}
	}
	return a
}
