package pipeline

import (
	"bytes"
	"encoding/json"
	"slices"
)

// The bounds of a shape.
const (
	shapeKeys  = 64
	shapeDepth = 4
)

// shape is what arguments look like: their keys and types, and no value.
func shape(args json.RawMessage) json.RawMessage {
	var value any
	d := json.NewDecoder(bytes.NewReader(args))
	d.UseNumber()
	if d.Decode(&value) != nil {
		return nil
	}
	text, err := json.Marshal(shapeOf(value, shapeDepth))
	if err != nil {
		return nil
	}
	return text
}

// shapeOf is the type of a value; that of a list is its first item's, in a list.
func shapeOf(value any, depth int) any {
	switch v := value.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case json.Number:
		return "number"
	case string:
		return "string"
	case []any:
		if len(v) == 0 || depth == 0 {
			return []any{}
		}
		return []any{shapeOf(v[0], depth-1)}
	case map[string]any:
		return shapeOfObject(v, depth)
	}
	return "unknown"
}

func shapeOfObject(v map[string]any, depth int) any {
	if depth == 0 {
		return "object"
	}
	keys := make([]string, 0, len(v))
	for key := range v {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	out := map[string]any{}
	for _, key := range keys[:min(len(keys), shapeKeys)] {
		out[key] = shapeOf(v[key], depth-1)
	}
	return out
}
