package jsonc

import (
	"encoding/json"
	"testing"
)

func TestPlain_KeepsOffsetsAndStrings(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{`{"a":1}`, `{"a":1}`},
		{"{\"a\":1, // one\n}", "{\"a\":1        \n}"},
		{`{"a":"// no", /* x */ "b":[1,2,],}`, `{"a":"// no",         "b":[1,2 ] }`},
		{`{"a":"\"/*"}`, `{"a":"\"/*"}`},
		{`{"a":"x,}"}`, `{"a":"x,}"}`},
		{"/**/{}", "    {}"},
		{"{} // end", "{}       "},
		{"{} /* open", "{}        "},
		{`/`, `/`},
		{`{"a`, `{"a`},
	} {
		if got := string(Plain([]byte(c.in))); got != c.want {
			t.Errorf("Plain(%q)\ngot  %q\nwant %q", c.in, got, c.want)
		}
	}
}

// FuzzPlain: a JSON text without comments stays what it is, and the length is kept.
func FuzzPlain(f *testing.F) {
	f.Add([]byte(`{"a":[1,2,],/*c*/"b":"x"} //`))
	f.Fuzz(func(t *testing.T, text []byte) {
		got := Plain(text)
		if len(got) != len(text) {
			t.Fatalf("Plain(%q) has %d bytes, not %d", text, len(got), len(text))
		}
		if json.Valid(text) && string(got) != string(text) {
			t.Errorf("Plain(%q) = %q", text, got)
		}
	})
}
