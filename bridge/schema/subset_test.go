package schema

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Each keyword of the subset with what it takes and what it refuses.
func TestSubset_Keywords(t *testing.T) {
	for _, c := range []struct{ schema, path, message string }{
		{`{}`, "", ""},
		{`{"$ref":"#"}`, "", ""},
		{`{"$ref":"#/$defs/a~1b","$defs":{"a/b":{}}}`, "", ""},
		{`{"$ref":"#/$defs/none"}`, "/$ref", `nothing is defined under "#/$defs/none"`},
		{`{"$ref":"https://example.com/a"}`, "/$ref", "a $ref must be # or #/$defs/NAME; nothing is fetched"},
		{`{"$ref":"#/properties/a","properties":{"a":{}}}`, "/$ref", "a $ref must be # or #/$defs/NAME; nothing is fetched"},
		{`{"$ref":"#/$defs/a/items","$defs":{"a":{"items":{}}}}`, "/$ref", "a $ref must be # or #/$defs/NAME; nothing is fetched"},
		{`{"$ref":7}`, "/$ref", "a $ref must be # or #/$defs/NAME; nothing is fetched"},
		{`{"$defs":[]}`, "/$defs", "must be an object of schemas"},
		{`{"properties":{"a":{"$defs":{"x":{}},"$ref":"#/$defs/x"}}}`, "/properties/a/$ref", `nothing is defined under "#/$defs/x"`},
		{`{"properties":{"a":true}}`, "/properties/a", "a schema must be an object"},
		{`{"type":"string"}`, "", ""},
		{`{"type":["string","null"]}`, "", ""},
		{`{"type":[]}`, "/type", "must be a type or a list of types"},
		{`{"type":"file"}`, "/type", "there is no type file"},
		{`{"type":["string","string"]}`, "/type", "must be a list of names, each once"},
		{`{"enum":[]}`, "/enum", "must be a list of 1 to 256 values"},
		{`{"enum":[1,null,{"a":[]}]}`, "", ""},
		{`{"enum":[` + strings.Repeat(`1,`, 256) + `1]}`, "/enum", "must be a list of 1 to 256 values"},
		{`{"enum":["` + strings.Repeat("x", 16<<10) + `"]}`, "/enum", "is larger than 16384 bytes"},
		{`{"enum":["` + strings.Repeat("x", 16<<10-4) + `"]}`, "", ""},
		{`{"const":"` + strings.Repeat("x", 4<<10-2) + `"}`, "", ""},
		{`{"const":"` + strings.Repeat("x", 4<<10-1) + `"}`, "/const", "is larger than 4096 bytes"},
		{`{"const":1e999}`, "/const", "a number is too large"},
		{`{"required":["a"]}`, "", ""},
		{`{"required":"a"}`, "/required", "must be a list of names"},
		{`{"required":["a","a"]}`, "/required", "must be a list of names, each once"},
		{`{"additionalProperties":false}`, "", ""},
		{`{"additionalProperties":{"type":"string"}}`, "", ""},
		{`{"additionalProperties":"no"}`, "/additionalProperties", "a schema must be an object"},
		{`{"items":{}}`, "", ""},
		{`{"items":[{}]}`, "/items", "a schema must be an object"},
		{`{"minLength":0,"maxLength":3.0}`, "", ""},
		{`{"minItems":-1}`, "/minItems", "must be a whole number, 0 or more"},
		{`{"maxProperties":1.5}`, "/maxProperties", "must be a whole number, 0 or more"},
		{`{"maxItems":1e400}`, "/maxItems", "must be a whole number, 0 or more"},
		{`{"minProperties":"1"}`, "/minProperties", "must be a whole number, 0 or more"},
		{`{"uniqueItems":true}`, "", ""},
		{`{"uniqueItems":1}`, "/uniqueItems", "must be true or false"},
		{`{"minimum":-1.5,"maximum":2,"exclusiveMinimum":0,"exclusiveMaximum":9,"multipleOf":0.5}`, "", ""},
		{`{"minimum":"1"}`, "/minimum", "must be a finite number"},
		{`{"maximum":1e400}`, "/maximum", "must be a finite number"},
		{`{"multipleOf":0}`, "/multipleOf", "must be greater than 0"},
		{`{"format":"uuid"}`, "", ""},
		{`{"format":"ipv4"}`, "/format", "must be one of uri, date-time, date, email, color, uuid"},
		{`{"anyOf":[{},{"type":"null"}]}`, "", ""},
		{`{"anyOf":[]}`, "/anyOf", "must be a list of 1 to 16 schemas"},
		{`{"oneOf":[` + strings.Repeat(`{},`, 16) + `{}]}`, "/oneOf", "must be a list of 1 to 16 schemas"},
		{`{"pattern":"(a+)+$"}`, "/pattern", "unsupported keyword: patterns can take for ever to match; use enum, format or maxLength"},
		{`{"allOf":[{}]}`, "/allOf", "unsupported keyword"},
		{`{"not":{}}`, "/not", "unsupported keyword"},
		{`{"patternProperties":{}}`, "/patternProperties", "unsupported keyword"},
		{`{"$dynamicRef":"#"}`, "/$dynamicRef", "unsupported keyword"},
		{`{"x-header":"a"}`, "/x-header", "unsupported keyword"},
		{`{"$id":"a","$schema":"b","$comment":"c","title":"d","description":"e","default":1,"examples":[1],"deprecated":true,"readOnly":false,"writeOnly":false}`, "", ""},
		{`{"title":7}`, "/title", "must be a string"},
		{`{"examples":7}`, "/examples", "must be a list"},
		{`[]`, "", "a schema must be an object"},
		{`{"type":"string","type":"number"}`, "", `not strict JSON: the key "type" comes twice`},
		{`{"a":`, "", "not valid JSON: a value is missing at byte 5"},
	} {
		_, issues := Subset(json.RawMessage(c.schema))
		var want []Issue
		if c.message != "" {
			want = []Issue{{Path: c.path, Message: c.message}}
		}
		for i := range issues {
			issues[i].Keyword = ""
		}
		if diff := cmp.Diff(want, issues); diff != "" {
			t.Errorf("%.80s\n%s", c.schema, diff)
		}
	}
}

// Size is bounded in every direction.
func TestSubset_Size(t *testing.T) {
	nested := func(n int) string {
		return strings.Repeat(`{"items":`, n-1) + `{}` + strings.Repeat(`}`, n-1)
	}
	wide := func(n int) string {
		var parts []string
		for i := range n - 1 {
			parts = append(parts, fmt.Sprintf(`"p%d":{}`, i))
		}
		return `{"properties":{` + strings.Join(parts, ",") + `}}`
	}
	for _, c := range []struct{ schema, want string }{
		{nested(16), ""},
		{nested(17), "`" + strings.Repeat("/items", 16) + "`: the schema is nested deeper than 16"},
		{wide(500), ""},
		{wide(501), "the schema has more than 500 parts"},
		{strings.Repeat(`{"items":`, 70) + `{}` + strings.Repeat(`}`, 70), "not strict JSON: nested deeper than 64"},
	} {
		_, issues := Subset(json.RawMessage(c.schema))
		if got := Lines(issues, 5); !strings.HasSuffix(got, c.want) || (c.want == "") != (got == "") {
			t.Errorf("%.60s…\n got %q\nwant %q", c.schema, got, c.want)
		}
	}
}

// What a value breaks, in the words that a model reads.
func TestSubsetCheck_SaysWhatIsWrong(t *testing.T) {
	for _, c := range []struct{ schema, value, want string }{
		{`{"type":"string"}`, `7`, "is a number, must be a string"},
		{`{"type":["string","null"]}`, `[]`, "is an array, must be a string or null"},
		{`{"type":"integer"}`, `1.0`, ""},
		{`{"type":"integer"}`, `1.5`, "is a number, must be an integer"},
		{`{"type":"integer"}`, `1e999`, "is too large a number"},
		{`{"type":"object","required":["a","b"]}`, `{}`, "needs `a`, `b`"},
		{`{"properties":{"a":{"enum":["x",1,null]}}}`, `{"a":"y"}`, "`/a`: must be one of x, 1, null"},
		{`{"enum":[{"a":1,"b":2}]}`, `{"b":2.0,"a":1}`, ""},
		{`{"const":3}`, `4`, "must be 3"},
		{`{"const":9007199254740993}`, `9007199254740992`, "must be 9007199254740993"},
		{`{"minimum":1.5}`, `1`, "less than 1.5"},
		{`{"exclusiveMaximum":3}`, `3`, "not less than 3"},
		{`{"multipleOf":0.1}`, `0.3`, ""},
		{`{"multipleOf":0.1}`, `0.35`, "is no multiple of 0.1"},
		{`{"items":{"maxLength":2}}`, `["ab","abc"]`, "`/1`: longer than 2"},
		{`{"maxLength":2}`, `"äö"`, ""},
		{`{"maxLength":2}`, `"😀😀😀"`, "longer than 2"},
		{`{"maxItems":1}`, `[1,2]`, "more than 1 items"},
		{`{"uniqueItems":true}`, `[1,"1",1.0]`, "items 0 and 2 are equal"},
		{`{"additionalProperties":false,"properties":{"a":{}}}`, `{"a":1,"b":2}`, "does not know `b`"},
		{`{"additionalProperties":{"type":"string"}}`, `{"b":2}`, "`/b`: is a number, must be a string"},
		{`{"format":"date-time"}`, `"then"`, "is no date-time"},
		{`{"anyOf":[{"type":"string"},{"type":"null"}]}`, `1`, "fits none of the allowed forms"},
		{`{"oneOf":[{"type":"number"},{"type":"integer"}]}`, `1`, "fits more than one of the allowed forms"},
		{`{"properties":{"a/b~":{"type":"null"}}}`, `{"a/b~":1}`, "`/a~1b~0`: is a number, must be null"},
		{`{"properties":{"next":{"$ref":"#"}},"additionalProperties":false}`, `{"next":{"next":{"prev":1}}}`, "`/next/next`: does not know `prev`"},
		{`{"$ref":"#"}`, `1`, "is nested too deep for its schema"},
		{`{"anyOf":[{"$ref":"#"},{"type":"string"}]}`, `1`, "fits none of the allowed forms"},
		{`{}`, `{`, "not valid JSON"},
		{`{}`, `{"a":1,"a":2}`, "not valid JSON"},
		{`{}`, strings.Repeat("[", 65) + strings.Repeat("]", 65), "not valid JSON"},
	} {
		s, issues := Subset(json.RawMessage(c.schema))
		if issues != nil {
			t.Fatalf("%s: %v", c.schema, issues)
		}
		if got := Lines(s.Check(json.RawMessage(c.value)), 20); got != c.want {
			t.Errorf("%s against %s\n got %q\nwant %q", c.value, c.schema, got, c.want)
		}
	}
}

// However a value and a schema conspire, the work ends.
func TestSubsetCheck_Budget(t *testing.T) {
	tooMuch := "takes too much work to check; send less"
	forms := `{"anyOf":[` + strings.TrimSuffix(strings.Repeat(`{"$ref":"#/$defs/b"},`, 16), ",") + `]}`
	explosion := `{"$ref":"#/$defs/a","$defs":{"a":` + forms + `,"b":` + strings.ReplaceAll(forms, "/b", "/c") +
		`,"c":` + strings.ReplaceAll(forms, "/b", "/d") + `,"d":` + strings.ReplaceAll(forms, "/b", "/e") +
		`,"e":` + strings.ReplaceAll(forms, "/b", "/f") + `,"f":{"type":"null"}}}`
	long := func(n int, item string) string {
		return "[" + strings.TrimSuffix(strings.Repeat(item+",", n), ",") + "]"
	}
	var different []string
	for i := range 30_000 {
		different = append(different, fmt.Sprintf(`"%d%s"`, i, strings.Repeat("x", 600)))
	}
	for _, c := range []struct{ name, schema, value, want string }{
		{"branches", explosion, `1`, tooMuch},
		{"items", `{"items":{"anyOf":[{"type":"string"},{"type":"null"}]}}`, long(100_000, "null"), tooMuch},
		{"unique", `{"uniqueItems":true}`, "[" + strings.Join(different, ",") + "]", tooMuch},
		{"enum", `{"items":{"enum":["` + strings.Repeat("x", 8000) + `"]}}`, long(2000, `"`+strings.Repeat("x", 8000)+`"`), tooMuch},
		{"nodes", `{}`, long(200_000, "1"), "has too many values"},
	} {
		s, issues := Subset(json.RawMessage(c.schema))
		if issues != nil {
			t.Fatalf("%s: %v", c.name, issues)
		}
		if got := Lines(s.Check(json.RawMessage(c.value)), 3); !strings.Contains(got, c.want) {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
	s, _ := Subset(json.RawMessage(`{"items":{"type":"string"}}`))
	if got := s.Check(json.RawMessage(long(50, "1"))); len(got) != 20 {
		t.Errorf("got %d issues, want 20", len(got))
	}
}

func TestFormats(t *testing.T) {
	for format, values := range map[string]struct{ good, bad []string }{
		"uri":       {[]string{"https://example.com/a?b#c", "mailto:a@example.com", "urn:x"}, []string{"", "example.com", ":a", "1a:b", "a: b", "a:", "h\u00e9:x", "https:" + strings.Repeat("x", 8187)}},
		"date-time": {[]string{"2026-02-28T01:02:03Z", "2024-02-29t01:02:03.123456789+05:30"}, []string{"2026-02-29T01:02:03Z", "2026-02-28 01:02:03Z", "2026-02-28T01:02:03", "2026-02-28T01:02:03.1234567890Z", "2026-02-28T25:02:03Z", "2026-02-28T01:02:03,5Z", "2026-02-28T01:02Z"}},
		"date":      {[]string{"2024-02-29"}, []string{"2026-02-29", "2026-2-3", "20260203", ""}},
		"email":     {[]string{"a@b", strings.Repeat("a", 64) + "@example.com"}, []string{"a", "@b", "a@", "a@b@c", "a b@c", strings.Repeat("a", 65) + "@b", "a@" + strings.Repeat("b", 256)}},
		"color":     {[]string{"#abc", "#ABCD", "#a1b2c3", "#a1b2c3d4"}, []string{"abc", "#ab", "#abcde", "#ggg", "#a1b2c3d"}},
		"uuid":      {[]string{"123e4567-E89b-12d3-a456-426614174000"}, []string{"123e4567e89b12d3a456426614174000", "123e4567-e89b-12d3-a456-42661417400g", "{123e4567-e89b-12d3-a456-426614174000}"}},
	} {
		for want, list := range map[bool][]string{true: values.good, false: values.bad} {
			for _, v := range list {
				if got := formats()[format](v); got != want {
					t.Errorf("%s %q: got %v, want %v", format, v, got, want)
				}
			}
		}
	}
}

func TestCanonical(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{` { "b" : 1.0 , "a" : [ true , null , -0 ] } `, `{"a":[true,null,0],"b":1}`},
		{`"<\u00e9\/>"`, `"<é/>"`},
		{`[1e2,100,1E-7,123456789012345678901234567890,-0.0]`, `[100,100,1e-07,123456789012345678901234567890,0]`},
	} {
		got, err := Canonical([]byte(c.in))
		if err != nil || string(got) != c.want {
			t.Errorf("%s\n got %s (%v)\nwant %s", c.in, got, err, c.want)
		}
	}
	for _, bad := range []string{`{"a":1,"a":1}`, `[1e999]`, `1 2`, "\xef\xbb\xbf{}", "\"\xff\""} {
		if got, err := Canonical([]byte(bad)); err == nil {
			t.Errorf("%q: got %s, want an error", bad, got)
		}
	}
}
