package facts

import (
	"bytes"
	"encoding/json"

	"meterbridge"
	"meterbridge/harnesses/jsonvalue"
)

// Object reads a line as one JSON object; false for an empty line, and for one
// that is no object, which is named.
func (w *Writer) Object(line []byte, at meterbridge.Place) (jsonvalue.Object, bool) {
	if len(bytes.TrimSpace(line)) == 0 {
		return nil, false
	}
	o, ok := jsonvalue.Parse(line)
	if !ok {
		w.Problem(at, "malformed-json", "a line is not a JSON object")
	}
	return o, ok
}

// State is a parser's memory as it is kept; nil for one that JSON cannot hold,
// so that the source is read from its start again.
func State(memory any) []byte {
	b, err := json.Marshal(memory)
	if err != nil {
		return nil
	}
	return b
}

// Memory is what State kept; the zero value where there is none, or where it
// cannot be understood.
func Memory[M any](state []byte) (memory M) {
	if json.Unmarshal(state, &memory) != nil {
		var none M
		return none
	}
	return memory
}
