package strictjson

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestParse_Parts(t *testing.T) {
	const text = ` {"id" : 9007199254740993, "jsonrpc":"2.0","method":"tools/call","params":{"name":"a\u0062","arguments":{"x":1},"_meta":{"progressToken":1}}} `
	m, err := Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, got, want string }{
		{"id", string(m.Raw(m.ID)), "9007199254740993"},
		{"method", m.Text(m.Method), "tools/call"},
		{"name", m.Text(m.Name), "ab"},
		{"arguments", string(m.Raw(m.Arguments)), `{"x":1}`},
		{"meta", string(m.Raw(m.Meta)), `{"progressToken":1}`},
		{"result", string(m.Raw(m.Result)), ""},
	} {
		if c.got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, c.got, c.want)
		}
	}
	if got := string(m.WithID([]byte(`"u1"`))); got != strings.Replace(text, "9007199254740993", `"u1"`, 1) {
		t.Errorf("with another id: %s", got)
	}
}

func TestParse_Refuses(t *testing.T) {
	deep := strings.Repeat("[", MaxDepth) + strings.Repeat("]", MaxDepth)
	for _, c := range []struct {
		text string
		want error
	}{
		{`{"jsonrpc":"2.0","method":"a","params":{"x":` + deep + `}}`, ErrShape},
		{`{"jsonrpc":"2.0","method":"a","method":"b"}`, ErrShape},
		{`{"jsonrpc":"2.0","method":"a","m\u0065thod":"b"}`, ErrShape},
		{`{"jsonrpc":"2.0","METHOD":"a"}`, ErrShape},
		{`{"jsonrpc":"2.0","method":"a","Params":{}}`, ErrShape},
		{"{\"jsonrpc\":\"2.0\",\"method\":\"a\",\"param\u017f\":{}}", ErrShape},
		{`{"jsonrpc":"2.0","method":"a","params":{"Name":"x"}}`, ErrShape},
		{`{"jsonrpc":"2.0","method":"a","params":{"_META":{}}}`, ErrShape},
		{`{"jsonrpc":"2.0","method":"a","params":{"arguments":{"x":{"y":1,"y":2}}}}`, ErrShape},
		{`{"jsonrpc":"2.0","method":"a","id":null}`, ErrShape},
		{`{"jsonrpc":"2.0","method":"a","id":[1]}`, ErrShape},
		{`{"jsonrpc":"2.0","method":"a","params":[1]}`, ErrShape},
		{`{"jsonrpc":"2.0","method":1}`, ErrShape},
		{`{"jsonrpc":"1.0","method":"a"}`, ErrShape},
		{`{"method":"a"}`, ErrShape},
		{`{"jsonrpc":"2.0","id":1}`, ErrShape},
		{`{"jsonrpc":"2.0","id":1,"method":"a","result":{}}`, ErrShape},
		{`[{"jsonrpc":"2.0","method":"a"}]`, ErrShape},
		{`"a"`, ErrShape},
		{``, ErrSyntax},
		{`{`, ErrSyntax},
		{`{"jsonrpc":"2.0","method":"a"} x`, ErrSyntax},
		{`{"jsonrpc":"2.0","method":"a",}`, ErrSyntax},
		{`{"jsonrpc":"2.0","method":"a` + "\n" + `"}`, ErrSyntax},
		{`{"jsonrpc":"2.0","method":"\x"}`, ErrSyntax},
		{`{"jsonrpc":"2.0","method":"a","id":01}`, ErrSyntax},
		{`{"jsonrpc":"2.0","method":"a","params":{"x":nul}}`, ErrSyntax},
		{"{\"jsonrpc\":\"2.0\",\"method\":\"\xff\"}", ErrSyntax},
		{"\ufeff" + `{"jsonrpc":"2.0","method":"a"}`, ErrSyntax},
	} {
		if _, err := Parse([]byte(c.text)); !errors.Is(err, c.want) {
			t.Errorf("%.90s\n got %v, want %v", c.text, err, c.want)
		}
	}
}

func TestParse_ManyKeys(t *testing.T) {
	var b strings.Builder
	for i := range 1000 {
		b.WriteString(`,"k` + strings.Repeat("x", i) + `":1`)
	}
	text := `{"jsonrpc":"2.0","method":"a","params":{"arguments":{` + b.String()[1:] + `}}}`
	if _, err := Parse([]byte(text)); err != nil {
		t.Error(err)
	}
	if _, err := Parse([]byte(strings.Replace(text, `"kxx":1`, `"kx":1`, 1))); !errors.Is(err, ErrShape) {
		t.Errorf("a key twice among many: %v", err)
	}
}

// FuzzParse holds the strict reader against encoding/json: what it accepts is
// JSON and means there what it means here; and what it calls no JSON is none.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","arguments":{"b":[1,2.5e3,"\u00e9"]}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","id":"a","result":{}}`, `{"jsonrpc":"2.0","METHOD":"a"}`, `[1]`, `{"a":1,"a":2}`, `{"\u0000":"\ud800"}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := Parse(text)
		if valid := json.Valid(text) && utf8.Valid(text); errors.Is(err, ErrSyntax) && valid || err == nil && !valid {
			t.Fatalf("%q: %v, valid JSON: %v", text, err, valid)
		}
		if err != nil {
			return
		}
		var loose struct {
			JSONRPC string          `json:"jsonrpc"`
			Method  string          `json:"method"`
			ID      json.RawMessage `json:"id"`
			Params  struct {
				Name json.RawMessage `json:"name"`
			} `json:"params"`
		}
		if json.Unmarshal(text, &loose) != nil {
			t.Fatalf("%q: refused by encoding/json", text)
		}
		if loose.Method != m.Text(m.Method) || string(loose.ID) != string(m.Raw(m.ID)) || string(loose.Params.Name) != string(m.Raw(m.Name)) {
			t.Fatalf("%q: means %+v to encoding/json", text, loose)
		}
	})
}
