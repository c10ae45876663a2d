package schema

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
)

// assertion takes up keywords that compare a value with what they hold.
func (c *compiler) assertion(n *node, key string, v any, at string) bool {
	switch key {
	case "type":
		n.types = c.types(v, at)
	case "enum":
		n.enum, n.enumShown = c.enum(v, at)
	case "const":
		if text, ok := c.canonical(key, v, constBytes, at); ok {
			n.constant, n.constShown = &text, v
		}
	case "required":
		n.required = c.names(key, v, at)
	case "uniqueItems":
		n.unique = c.flag(key, v, at)
	case "format":
		n.format, _ = v.(string)
		if n.isFormat = formats()[n.format]; n.isFormat == nil {
			c.wrong(at, key, "must be one of uri, date-time, date, email, color, uuid")
		}
	default:
		return false
	}
	return true
}

// bound takes up keywords that hold a number.
func (c *compiler) bound(n *node, key string, v any, at string) bool {
	counts := map[string]**int{
		"minProperties": &n.minProperties, "maxProperties": &n.maxProperties, "minItems": &n.minItems,
		"maxItems": &n.maxItems, "minLength": &n.minLength, "maxLength": &n.maxLength,
	}
	if to, ok := counts[key]; ok {
		*to = c.count(key, v, at)
		return true
	}
	numbers := map[string]**float64{
		"minimum": &n.minimum, "maximum": &n.maximum, "exclusiveMinimum": &n.above, "exclusiveMaximum": &n.below, "multipleOf": &n.multiple,
	}
	to, ok := numbers[key]
	if !ok {
		return false
	}
	text, isNumber := v.(json.Number)
	value, _, finite := number(string(text))
	switch {
	case !isNumber || !finite:
		c.wrong(at, key, "must be a finite number")
	case key == "multipleOf" && value <= 0:
		c.wrong(at, key, "must be greater than 0")
	default:
		*to = &value
	}
	return true
}

// note takes up keywords that say something and demand nothing.
func (c *compiler) note(key string, v any, at string) bool {
	switch key {
	case "$id", "$schema", "$comment", "title", "description":
		if _, ok := v.(string); !ok {
			c.wrong(at, key, "must be a string")
		}
	case "deprecated", "readOnly", "writeOnly":
		c.flag(key, v, at)
	case "examples":
		if _, ok := v.([]any); !ok {
			c.wrong(at, key, "must be a list")
		}
	case "default":
	default:
		return false
	}
	return true
}

func (c *compiler) types(v any, at string) []string {
	var names []string
	switch v := v.(type) {
	case string:
		names = []string{v}
	case []any:
		names = c.names("type", v, at)
	}
	if list, isList := v.([]any); !isList && names == nil || isList && len(list) == 0 {
		c.wrong(at, "type", "must be a type or a list of types")
	}
	for _, name := range names {
		if !slices.Contains([]string{"string", "number", "integer", "boolean", "object", "array", "null"}, name) {
			c.wrong(at, "type", "there is no type "+name)
		}
	}
	return names
}

func (c *compiler) enum(v any, at string) (texts []string, shown []any) {
	list, ok := v.([]any)
	if !ok || len(list) == 0 || len(list) > mostEnum {
		c.wrong(at, "enum", fmt.Sprintf("must be a list of 1 to %d values", mostEnum))
		return nil, nil
	}
	if _, ok := c.canonical("enum", v, enumBytes, at); !ok {
		return nil, nil
	}
	for _, item := range list {
		text, _ := c.canonical("enum", item, enumBytes, at)
		texts = append(texts, text)
	}
	return texts, list
}

func (c *compiler) canonical(key string, v any, most int, at string) (string, bool) {
	var b bytes.Buffer
	if err := canonical(&b, v); err != nil {
		c.wrong(at, key, err.Error())
		return "", false
	}
	if b.Len() > most {
		c.wrong(at, key, fmt.Sprintf("is larger than %d bytes", most))
		return "", false
	}
	return b.String(), true
}

func (c *compiler) names(key string, v any, at string) []string {
	list, ok := v.([]any)
	if !ok {
		c.wrong(at, key, "must be a list of names")
	}
	var names []string
	for _, item := range list {
		name, ok := item.(string)
		if !ok || slices.Contains(names, name) {
			c.wrong(at, key, "must be a list of names, each once")
			return nil
		}
		names = append(names, name)
	}
	return names
}

func (c *compiler) flag(key string, v any, at string) bool {
	flag, ok := v.(bool)
	if !ok {
		c.wrong(at, key, "must be true or false")
	}
	return flag
}

// mostCount bounds whole numbers in schemas to what a float64 holds exactly.
const mostCount = 1 << 53

func (c *compiler) count(key string, v any, at string) *int {
	text, _ := v.(json.Number)
	value, _, ok := number(string(text))
	if !ok || value < 0 || value != math.Trunc(value) || value > mostCount {
		c.wrong(at, key, "must be a whole number, 0 or more")
		return nil
	}
	n := int(value)
	return &n
}
