package schema

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"
)

func (s *spot) item(i int) *spot          { return &spot{s, strconv.Itoa(i)} }
func (s *spot) member(key string) *spot   { return &spot{s, key} }
func whole(value float64) bool            { return value == math.Trunc(value) }
func over(limit *int, n int) bool         { return limit != nil && n > *limit }
func under(limit *int, n int) bool        { return limit != nil && n < *limit }
func float(v json.Number) (value float64) { value, _, _ = number(string(v)); return value }

// typeOf is the name of a value's type.
func typeOf(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case json.Number:
		return "number"
	case string:
		return "string"
	case []any:
		return "array"
	}
	return "object"
}

func isOf(v any, types []string) bool {
	if slices.Contains(types, typeOf(v)) {
		return true
	}
	n, ok := v.(json.Number)
	return ok && slices.Contains(types, "integer") && whole(float(n))
}

// measures holds a value against the keywords of its own type.
func (e *evaluation) measures(n *node, v any, at *spot) bool {
	switch v := v.(type) {
	case string:
		return e.str(n, v, at)
	case json.Number:
		return e.number(n, float(v), at)
	case []any:
		return e.array(n, v, at)
	case map[string]any:
		return e.object(n, v, at)
	}
	return true
}

func (e *evaluation) str(n *node, s string, at *spot) bool {
	ok := true
	if n.minLength != nil || n.maxLength != nil {
		length := utf8.RuneCountInString(s)
		if !e.step(len(s) / 4096) {
			return false
		}
		if over(n.maxLength, length) {
			ok = e.say(at, "maxLength", "longer than "+strconv.Itoa(*n.maxLength))
		}
		if under(n.minLength, length) {
			ok = e.say(at, "minLength", "shorter than "+strconv.Itoa(*n.minLength))
		}
	}
	if n.isFormat != nil && !n.isFormat(s) {
		ok = e.say(at, "format", "is no "+n.format)
	}
	return ok
}

// mostNamed is how many unknown properties are named.
const mostNamed = 10

// tolerance is how far a quotient may be from a whole number, in its own size.
const tolerance = 1e-9

func (e *evaluation) number(n *node, value float64, at *spot) bool {
	ok := true
	if n.maximum != nil && value > *n.maximum {
		ok = e.say(at, "maximum", "greater than "+show(*n.maximum))
	}
	if n.minimum != nil && value < *n.minimum {
		ok = e.say(at, "minimum", "less than "+show(*n.minimum))
	}
	if n.below != nil && value >= *n.below {
		ok = e.say(at, "exclusiveMaximum", "not less than "+show(*n.below))
	}
	if n.above != nil && value <= *n.above {
		ok = e.say(at, "exclusiveMinimum", "not greater than "+show(*n.above))
	}
	if n.multiple != nil {
		quotient := value / *n.multiple
		if math.Abs(quotient-math.Round(quotient)) > tolerance*max(1, math.Abs(quotient)) || math.IsInf(quotient, 0) {
			ok = e.say(at, "multipleOf", "is no multiple of "+show(*n.multiple))
		}
	}
	return ok
}

func show(value float64) string { return strconv.FormatFloat(value, 'g', -1, 64) }

func (e *evaluation) array(n *node, list []any, at *spot) bool {
	ok := true
	if over(n.maxItems, len(list)) {
		ok = e.say(at, "maxItems", "more than "+strconv.Itoa(*n.maxItems)+" items")
	}
	if under(n.minItems, len(list)) {
		ok = e.say(at, "minItems", "fewer than "+strconv.Itoa(*n.minItems)+" items")
	}
	if n.unique && !e.distinct(list, at) {
		ok = false
	}
	if n.items == nil {
		return ok
	}
	for i, item := range list {
		if !e.fits(n.items, item, at.item(i)) {
			if ok = false; e.enough() {
				return false
			}
		}
	}
	return ok
}

// enough tells that further faults are not wanted.
func (e *evaluation) enough() bool { return e.quiet > 0 || e.spent || len(e.issues) >= mostIssues }

func (e *evaluation) distinct(list []any, at *spot) bool {
	seen := make(map[string]int, len(list))
	for i, item := range list {
		text := text(item)
		if !e.step(1 + len(text)/charsPerStep) {
			return false
		}
		if first, twice := seen[text]; twice {
			return e.say(at, "uniqueItems", "items "+strconv.Itoa(first)+" and "+strconv.Itoa(i)+" are equal")
		}
		seen[text] = i
	}
	return true
}

func (e *evaluation) object(n *node, object map[string]any, at *spot) bool {
	ok := true
	if over(n.maxProperties, len(object)) {
		ok = e.say(at, "maxProperties", "more than "+strconv.Itoa(*n.maxProperties)+" properties")
	}
	if under(n.minProperties, len(object)) {
		ok = e.say(at, "minProperties", "fewer than "+strconv.Itoa(*n.minProperties)+" properties")
	}
	if missing := absent(n.required, object); missing != nil {
		ok = e.say(at, "required", "needs "+list(missing))
	}
	var unknown []string
	for _, key := range sortedKeys(object) {
		part, known := n.properties[key]
		if !known {
			part = n.extra
			if n.closed {
				unknown = append(unknown, key)
			}
		}
		if part != nil && !e.fits(part, object[key], at.member(key)) {
			if ok = false; e.enough() {
				return false
			}
		}
	}
	if unknown != nil {
		ok = e.say(at, "additionalProperties", "does not know "+list(unknown[:min(len(unknown), mostNamed)]))
	}
	return ok
}

func absent(required []string, object map[string]any) (missing []string) {
	for _, name := range required {
		if _, there := object[name]; !there {
			missing = append(missing, name)
		}
	}
	return missing
}
