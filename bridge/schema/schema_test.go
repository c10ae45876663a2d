package schema

import (
	"encoding/json"
	"errors"
	"testing"
)

// Each fault is one line that a model can act on.
func TestCheck_SaysWhatIsWrong(t *testing.T) {
	for _, c := range []struct{ schema, value, want string }{
		{`{"type":"string"}`, `7`, "is a number, must be a string"},
		{`{"type":["string","null"]}`, `[]`, "is an array, must be a string or null"},
		{`{"type":"object","required":["a","b"]}`, `{}`, "needs `a`, `b`"},
		{`{"properties":{"a":{"enum":["x",1,null]}}}`, `{"a":"y"}`, "`/a`: must be one of x, 1, null"},
		{`{"const":3}`, `4`, "must be 3"},
		{`{"minimum":1.5}`, `1`, "less than 1.5"},
		{`{"exclusiveMaximum":3}`, `3`, "not less than 3"},
		{`{"items":{"maxLength":2}}`, `["ab","abc"]`, "`/1`: longer than 2"},
		{`{"maxItems":1}`, `[1,2]`, "more than 1 items"},
		{`{"format":"date-time"}`, `"then"`, "is no date-time"},
		{`{"anyOf":[{"type":"string"},{"type":"null"}]}`, `1`, "fits none of the allowed forms"},
		{`{"properties":{"a/b~":{"type":"null"}}}`, `{"a/b~":1}`, "`/a~1b~0`: is a number, must be null"},
		{`{}`, `{`, "not valid JSON"},
		{`{"$ref":"#/$defs/x","$defs":{"x":{"minLength":1}}}`, `""`, "shorter than 1"},
		{`{"type":"string"}`, `"fits"`, ""},
	} {
		s, err := Compile(json.RawMessage(c.schema))
		if err != nil {
			t.Fatalf("%s: %v", c.schema, err)
		}
		if got := Lines(s.Check(json.RawMessage(c.value)), 20); got != c.want {
			t.Errorf("%s against %s\n got %q\nwant %q", c.value, c.schema, got, c.want)
		}
	}
}

func TestLines_AreBounded(t *testing.T) {
	issues := []Issue{{"/a", "", "x"}, {"/b", "", "y"}, {"/c", "", "z"}}
	if got, want := Lines(issues, 2), "`/a`: x\n`/b`: y\nand 1 more"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// What cannot be compiled is an error, and nothing is fetched.
func TestCompile_Refuses(t *testing.T) {
	for _, text := range []string{``, `[]`, `true`, `{"type":"objekt"}`, `{"$ref":"https://example.com/a"}`, `{"$ref":"file:///etc/passwd"}`, `{"$ref":"#/$defs/none"}`} {
		if _, err := Compile(json.RawMessage(text)); !errors.Is(err, ErrSchema) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
