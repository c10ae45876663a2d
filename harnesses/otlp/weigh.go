package otlp

import (
	"encoding/binary"
	"fmt"
)

// A message of two bytes becomes an object of hundreds, so a body is weighed
// before it is decoded: what it will take in memory, about, and how deeply it is
// nested, since decoders call themselves.
const (
	// heaviest is what a body may weigh, in bytes of memory.
	heaviest = 128 << 20
	// deepest is how deeply values may be nested.
	deepest = 40
	// fieldWeight is that of any field: the header of a slice or a string.
	fieldWeight = 24
)

func weigh(s Signal, json bool, body []byte) error {
	if json {
		return weighJSON(body)
	}
	w := scales{fields: fields()}
	root := [...]kind{Logs: resourceLogs, Metrics: resourceMetrics, Traces: resourceSpans}[s]
	return w.message(body, root-1, 0)
}

// scales add up the weight of a protobuf message.
type scales struct {
	weight int
	fields map[kind]map[uint64]kind
}

func (w *scales) add(n int) error {
	if w.weight += n; w.weight > heaviest {
		return fmt.Errorf("%w: too many values", ErrTooLarge)
	}
	return nil
}

// message weighs the fields of a message.
func (w *scales) message(b []byte, of kind, depth int) error {
	if depth > deepest {
		return fmt.Errorf("%w: nested too deeply", ErrTooLarge)
	}
	for len(b) > 0 {
		tag, n := binary.Uvarint(b)
		if n <= 0 {
			return ErrMalformed
		}
		value, rest, err := field(b[n:], tag&7)
		if err != nil {
			return err
		}
		b = rest
		if err := w.add(fieldWeight); err != nil {
			return err
		}
		if child, ok := w.fields[of][tag>>3]; ok && tag&7 == 2 {
			if err := w.child(value, child, depth); err != nil {
				return err
			}
		}
	}
	return nil
}

func (w *scales) child(value []byte, of kind, depth int) error {
	if of == packedNumbers {
		return w.add(8 * len(value))
	}
	if err := w.add(weights(of)); err != nil {
		return err
	}
	return w.message(value, of, depth+1)
}

// field is the value of a field of that wire type, and what follows it.
func field(b []byte, wire uint64) (value, rest []byte, err error) {
	size := uint64(0)
	switch wire {
	case 0:
		_, n := binary.Uvarint(b)
		if n <= 0 {
			return nil, nil, ErrMalformed
		}
		size = uint64(n)
	case 1:
		size = 8
	case 2:
		length, n := binary.Uvarint(b)
		if n <= 0 {
			return nil, nil, ErrMalformed
		}
		b, size = b[n:], length
	case 5:
		size = 4
	default: // groups are in no message of OTLP
		return nil, nil, ErrMalformed
	}
	if size > uint64(len(b)) {
		return nil, nil, ErrMalformed
	}
	return b[:size], b[size:], nil
}

// weighJSON weighs a JSON text without reading it: objects and lists by their
// brackets outside of texts.
func weighJSON(body []byte) error {
	const object, item = 128, 16
	weight, depth, text := 0, 0, false
	for i := 0; i < len(body); i++ {
		switch c := body[i]; {
		case text && c == '\\':
			i++
		case c == '"':
			text = !text
		case text:
		case c == '{' || c == '[':
			depth++
			weight += object
		case c == '}' || c == ']':
			depth--
		case c == ',':
			weight += item
		}
		if depth > 3*deepest {
			return fmt.Errorf("%w: nested too deeply", ErrTooLarge)
		}
		if weight > heaviest {
			return fmt.Errorf("%w: too many values", ErrTooLarge)
		}
	}
	return nil
}
