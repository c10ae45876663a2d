package walk

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// tree reads the next value by the cursor, as encoding/json would with numbers
// kept as text.
func tree(c *Cursor) any {
	switch c.Peek() {
	case '{':
		c.Object()
		out := map[string]any{}
		for first := true; c.Member(&first); {
			key := string(c.Key())
			if !utf8.ValidString(key) {
				key = Unquote(c.Key(), 0)
			}
			out[key] = tree(c)
		}
		return out
	case '[':
		c.Array()
		out := []any{}
		for first := true; c.Element(&first); {
			out = append(out, tree(c))
		}
		return out
	case '"':
		raw, _ := c.Text()
		return Unquote(raw, 0)
	case 't', 'f':
		v, _ := c.Bool()
		return v
	case 'n':
		c.Skip()
		return nil
	}
	return json.Number(c.Raw())
}

func decode(b []byte) (v any, err error) {
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	err = d.Decode(&v)
	return v, err
}

var valid = []string{
	`{}`, `[]`, `""`, `0`, `-0`, `12`, `-3.5e+10`, `1E-2`, `true`, `false`, `null`,
	` { "a" : 1 , "b" : [ 1 , 2 ] } `, "\t{\r\n\"a\":\t[]\r\n}\n",
	`{"a":{"b":{"c":[[],{},[{}],"x",null]}}}`,
	`{"a":"}","b":"\"","c":"\\","d":"\\\"","e":"]}"}`,
	`{"\u0074ype":"assistant","t\u0079pe":"user"}`, `{"a\"b":1,"\\":2}`,
	`{"a":1,"a":2}`, `["\ud83d\ude00","\ud83d","\ude00x","\u00e9","日本"]`,
	`{"a name that is longer than thirty-two bytes by far":{"another name that is longer than thirty-two bytes":1}}`,
	`{"":0}`, `[[[[[[[[[[1]]]]]]]]]]`, "[\"\xff\xfe\"]", "{\"\xff\":1}", `{"a":1.0,"b":100e2,"c":9223372036854775807,"d":9223372036854775808}`,
	`{"x":"` + strings.Repeat(`a\"b`, 100) + `","y":"` + strings.Repeat(`a\"b`, 100) + `","z":"` + strings.Repeat(`a\"b`, 100) + `c"}`,
}

var invalid = []string{
	``, ` `, `{`, `}`, `[`, `]`, `"`, `"a`, `"a\"`, `{"a"}`, `{"a":}`, `{"a":1,}`, `{,"a":1}`, `{"a":1"b":2}`, `{"a" 1}`,
	`[1,]`, `[,1]`, `[1 2]`, `[1}`, `{"a":1]`, `01`, `-`, `1.`, `.5`, `1e`, `1e+`, `+1`, `0x1`, `tru`, `truex`, `nul`, `falsy`, `NaN`,
	`{a:1}`, `{"a":1}}`, `{"a":1} {"b":2}`, `{"a":{"b":1}`, `{"a":[1,2}`, `[{]}`, `{"a":1:2}`, `{"a"::1}`, `{1:2}`, `[1:2]`, "{\"a\":\x00}", "\x00{}",
}

func TestValues_EqualThoseOfEncodingJSON(t *testing.T) {
	for _, in := range valid {
		want, err := decode([]byte(in))
		if err != nil {
			t.Fatalf("%s: %v", in, err)
		}
		c := Over([]byte(in))
		got := tree(&c)
		if !c.End() || c.Err() != nil {
			t.Errorf("input %q: rejected", in)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("input %q (-want +got):\n%s", in, diff)
		}
	}
}

func TestSkip_AcceptsAndRejectsAsEncodingJSON(t *testing.T) {
	for _, in := range append(valid, invalid...) {
		want := json.Valid([]byte(in))
		if got := accepted([]byte(in)); got != want {
			t.Errorf("input %q: got accepted %v, want %v", in, got, want)
		}
		wrapped := `{"k":` + in + `}`
		want = json.Valid([]byte(wrapped))
		if got := accepted([]byte(wrapped)); got != want {
			t.Errorf("input %q: got accepted %v, want %v", wrapped, got, want)
		}
	}
}

func accepted(b []byte) bool {
	c := Over(b)
	c.Skip()
	return c.End() && c.Err() == nil
}

func TestMember_RejectsWhatSkipRejects(t *testing.T) {
	for _, in := range invalid {
		c := Over([]byte(`{"k":` + in + `}`))
		tree(&c)
		if c.End() && c.Err() == nil {
			t.Errorf("input %q: accepted", in)
		}
	}
}

func TestSkip_Depth(t *testing.T) {
	deep := func(n int) []byte { return []byte(strings.Repeat("[", n) + strings.Repeat("]", n)) }
	if !accepted(deep(maxDepth)) {
		t.Error("a value as deep as encoding/json allows is rejected")
	}
	if accepted(deep(maxDepth + 1)) {
		t.Error("a deeper value is accepted")
	}
}

func TestInteger(t *testing.T) {
	for in, want := range map[string]struct {
		n  int64
		ok bool
	}{
		`0`: {0, true}, `12`: {12, true}, `-7`: {-7, true}, `1e3`: {1000, true}, `2.0`: {2, true}, `9223372036854775807`: {1<<63 - 1, true},
		`9223372036854775808`: {}, `1.5`: {}, `"1"`: {}, `null`: {}, `true`: {}, `{}`: {}, `1e400`: {}, `123456789012345678`: {123456789012345678, true},
	} {
		c := Over([]byte(in))
		n, ok := c.Int()
		if n != want.n || ok != want.ok || c.Err() != nil {
			t.Errorf("Int of %s: got %d %v (error %v), want %d %v", in, n, ok, c.Err(), want.n, want.ok)
		}
		c = Over([]byte(`{"a":` + in + `,"b":1}`))
		c.Object()
		first := true
		c.Member(&first)
		if n, ok := c.Int(); n != want.n || ok != want.ok {
			t.Errorf("Int of %s in an object: got %d %v, want %d %v", in, n, ok, want.n, want.ok)
		}
		if !c.Member(&first) || string(c.Key()) != "b" {
			t.Errorf("after Int of %s: the next member is not found", in)
		}
	}
}

func TestUnquote_Limit(t *testing.T) {
	for _, c := range []struct {
		raw  string
		max  int
		want string
	}{
		{`abc`, 2, "ab"}, {`日本語`, 2, "日本"}, {`a\nb`, 2, "a\n"}, {`\ud83d\ude00x`, 1, "😀"}, {`abc`, 0, "abc"}, {`abc`, 9, "abc"}, {`a\`, 0, "a\ufffd"}, {`\u12`, 0, "\ufffd12"},
	} {
		if got := Unquote([]byte(c.raw), c.max); got != c.want {
			t.Errorf("Unquote(%q, %d): got %q, want %q", c.raw, c.max, got, c.want)
		}
	}
}

// plainStrings replaces the content of every string, so that only structure is left.
func plainStrings(b []byte) []byte {
	var out []byte
	for i := 0; i < len(b); i++ {
		if b[i] != '"' {
			out = append(out, b[i])
			continue
		}
		j := i + 1
		for j < len(b) && b[j] != '"' {
			if b[j] == '\\' {
				j++
			}
			j++
		}
		if j >= len(b) {
			return append(out, '"')
		}
		out = append(out, '"', '"')
		i = j
	}
	return out
}

// FuzzWalk holds the cursor against encoding/json. The cursor looks at the
// structure only: it accepts control characters and wrong escapes inside of
// strings, and nothing else that encoding/json rejects.
func FuzzWalk(f *testing.F) {
	for _, in := range append(valid, invalid...) {
		f.Add([]byte(in))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		got := accepted(in)
		if want := json.Valid(plainStrings(in)); got != want {
			t.Fatalf("input %q: got accepted %v, want %v", in, got, want)
		}
		c := Over(in)
		value := tree(&c)
		if ok := c.End() && c.Err() == nil; ok != got {
			t.Fatalf("input %q: members accepted %v, skipping %v", in, ok, got)
		}
		if !json.Valid(in) {
			return
		}
		want, err := decode(in)
		if err != nil {
			t.Fatalf("input %q: %v", in, err)
		}
		if diff := cmp.Diff(want, value); diff != "" {
			t.Fatalf("input %q (-want +got):\n%s", in, diff)
		}
	})
}
