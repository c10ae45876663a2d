package schema

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"pgregory.net/rapid"
)

// whole2020 compiles a schema with the library's validator of all of draft
// 2020-12; formats mean what they mean in the subset.
func whole2020(t *rapid.T, v any) *jsonschema.Schema {
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.AssertFormat()
	for name, is := range formats() {
		c.RegisterFormat(&jsonschema.Format{Name: name, Validate: func(v any) error {
			if s, ok := v.(string); ok && !is(s) {
				return errors.New("no " + name)
			}
			return nil
		}})
	}
	if err := c.AddResource("tool:///schema", v); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("tool:///schema")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A schema and a value of the subset have the verdict that the whole language
// gives them.
func TestSubset_AgreesWithTheWholeLanguage(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := schemas(t, 3).(map[string]any)
		v["$defs"] = map[string]any{"d": schemas(t, 1)}
		text, _ := json.Marshal(v)
		doc, err := jsonschema.UnmarshalJSON(strings.NewReader(string(text)))
		if err != nil {
			t.Fatal(err)
		}
		theirs := whole2020(t, doc)
		ours, issues := Subset(text)
		if issues != nil {
			t.Fatalf("%s: %v", text, issues)
		}
		for range 4 {
			value, _ := json.Marshal(drawn(t, 3))
			decoded, _ := jsonschema.UnmarshalJSON(strings.NewReader(string(value)))
			got, want := len(ours.Check(value)) == 0, theirs.Validate(decoded) == nil
			if got != want {
				t.Fatalf("%s against %s\n got %v %v\nwant %v", value, text, got, ours.Check(value), want)
			}
		}
	})
}

func few(t *rapid.T, most int) int { return rapid.IntRange(0, most).Draw(t, "n") }

func pick[T any](t *rapid.T, from ...T) T { return rapid.SampledFrom(from).Draw(t, "pick") }

// drawn draws a JSON value out of a small world, so that schemas are met.
func drawn(t *rapid.T, depth int) any {
	kinds := 5
	if depth > 0 {
		kinds = 7
	}
	switch few(t, kinds) {
	case 0:
		return nil
	case 1:
		return pick(t, true, false)
	case 2, 3:
		return pick[any](t, 0, 1, 2, 3, -1, 1.5, 0.25, 10, 1e3)
	case 4, 5:
		return pick(t, "", "a", "bb", "ccc", "é😀", "#abc", "2026-01-31", "a@b", "x:y")
	case 6:
		list := []any{}
		for range few(t, 3) {
			list = append(list, drawn(t, depth-1))
		}
		return list
	}
	object := map[string]any{}
	for range few(t, 3) {
		object[pick(t, "a", "b", "c", "/~")] = drawn(t, depth-1)
	}
	return object
}

// schemas draws a schema of the subset.
func schemas(t *rapid.T, depth int) any {
	s := map[string]any{}
	for range few(t, 3) {
		switch key := pick(t, "type", "type", "enum", "const", "required", "additionalProperties", "items", "properties", "properties", "count", "limit",
			"multipleOf", "uniqueItems", "format", "anyOf", "oneOf", "$ref", "title"); key {
		case "type":
			s[key] = pick[any](t, "string", "number", "integer", "boolean", "object", "array", "null", []string{"string", "integer"}, []string{"object", "null"})
		case "enum":
			s[key] = []any{drawn(t, 1), drawn(t, 1), drawn(t, 0)}
		case "const":
			s[key] = drawn(t, 1)
		case "required":
			s[key] = pick(t, []string{"a"}, []string{"a", "b"}, []string{})
		case "count":
			s[pick(t, "minProperties", "maxProperties", "minItems", "maxItems", "minLength", "maxLength")] = few(t, 3)
		case "limit":
			s[pick(t, "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")] = pick[any](t, 0, 1, 1.5, 2)
		case "multipleOf":
			s[key] = pick[any](t, 1, 0.5, 3)
		case "uniqueItems":
			s[key] = pick(t, true, false)
		case "format":
			s[key] = pick(t, "uri", "date-time", "date", "email", "color", "uuid")
		case "title":
			s[key] = "x"
		case "$ref":
			if depth > 1 { // the definition refers to nothing
				s[key] = "#/$defs/d"
			}
		default:
			nested(t, s, key, depth)
		}
	}
	return s
}

func nested(t *rapid.T, s map[string]any, key string, depth int) {
	if depth == 0 {
		return
	}
	switch key {
	case "additionalProperties":
		s[key] = pick(t, false, any(true), schemas(t, depth-1))
	case "items":
		s[key] = schemas(t, depth-1)
	case "properties":
		s[key] = map[string]any{"a": schemas(t, depth-1), "b": schemas(t, depth-1)}
	case "anyOf", "oneOf":
		s[key] = []any{schemas(t, depth-1), schemas(t, depth-1)}
	}
}

func FuzzSchema(f *testing.F) {
	for _, seed := range []string{
		`{"type":"object","required":["a"],"properties":{"a":{"type":"string","maxLength":3}}}`, `{"$ref":"#"}`, `{"oneOf":[{"$ref":"#/$defs/x"}],"$defs":{"x":{"enum":[1e5]}}}`,
		`{"multipleOf":1e-300,"uniqueItems":true,"items":{"anyOf":[{},{"const":null}]}}`,
	} {
		f.Add(seed, `{"a":["b",1,null,{"c":-0.0}]}`)
	}
	f.Fuzz(func(t *testing.T, schema, value string) {
		s, issues := Subset(json.RawMessage(schema))
		if (s == nil) == (issues == nil) {
			t.Fatalf("%q: neither a schema nor issues, or both", schema)
		}
		if s != nil && len(s.Check(json.RawMessage(value))) > mostIssues+1 {
			t.Fatalf("%q: too many issues", schema)
		}
	})
}
