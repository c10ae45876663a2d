package pricing

import (
	"encoding/json"
	"errors"
	"testing"
	"unicode/utf8"
)

func TestMembers(t *testing.T) {
	text := ` {"a" : {"x":"}\"","y":[1,{"z":2}]} , "b\u0041":true,"c\\":"\\", "d":-1 } `
	got := map[string]string{}
	err := members([]byte(text), func(key string, value []byte) error {
		got[key] = string(value)
		return nil
	})
	want := map[string]string{"a": `{"x":"}\"","y":[1,{"z":2}]}`, "bA": "true", `c\`: `"\\"`, "d": "-1"}
	if err != nil || len(got) != len(want) {
		t.Fatalf("got %v, %v", got, err)
	}
	for key, value := range want {
		if got[key] != value {
			t.Errorf("key %s: got %s, want %s", key, got[key], value)
		}
	}
}

func TestMembers_Malformed(t *testing.T) {
	for _, text := range []string{``, `[]`, `{`, `{"a"`, `{"a":`, `{"a":}`, `{"a":1`, `{a:1}`, `{"a":{`, `{"a":"x`, `{"\q":1}`} {
		if err := members([]byte(text), func(string, []byte) error { return nil }); !errors.Is(err, errSyntax) {
			t.Errorf("input %s: got %v, want %v", text, err, errSyntax)
		}
	}
}

func TestStrictJSON(t *testing.T) {
	for _, text := range []string{
		`{"a":1,"a":2}`, `{"a":[{"b":1,"b":1}]}`, `{"a":1.5}`, `{"a":1e3}`, `{"a":1}x`, "{\"a\":\"\xff\"}", `{"a"`, ``,
		`[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]`,
	} {
		if err := strictJSON([]byte(text)); err == nil {
			t.Errorf("input %s: accepted", text)
		}
	}
	if err := strictJSON([]byte(`{"a":1,"b":{"a":[1,-2,null,true,"x"]}}`)); err != nil {
		t.Errorf("got %v", err)
	}
}

// The scanner never panics, and finds the members that encoding/json finds;
// text that is no UTF-8 is refused before it gets there.
func FuzzMembers(f *testing.F) {
	f.Add([]byte(`{"a":{"x":"}\""},"b":[1,2]}`))
	f.Add([]byte(`{"a":"\\\\","b":1e5}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		got := map[string]string{}
		err := members(data, func(key string, value []byte) error {
			got[key] = string(value)
			return nil
		})
		var want map[string]json.RawMessage
		if !utf8.Valid(data) || json.Unmarshal(data, &want) != nil || want == nil {
			return
		}
		if err != nil || len(got) != len(want) {
			t.Fatalf("input %q: got %v, %v, want %v", data, got, err, want)
		}
		for key, value := range want {
			if got[key] != string(value) {
				t.Errorf("input %q, key %q: got %s, want %s", data, key, got[key], value)
			}
		}
	})
}

// small is a table of a few rows for fuzzing.
const small = `{"schema":"agent-prices/1","version":"1","as_of":"2026-11-20","unit":"x","sources":{},"modifiers":{"anthropic":{"service_tier":{"batch":[1,2]},"inference_geo":{"us":[11,10],"applies_to_models":["claude-x"]},"fees":{"web_search_request":10}}},"name_rules":{},"provider_aliases":{"claude":"anthropic"},
"providers":{"anthropic":{"kind":"vendor","models":{"claude-x":{"aliases":["x"],"rates":[{"to":"2026-01-01","input":1,"output":2},{"from":"2026-01-01","input":2,"output":3,"cache_read":1,"tiers":[{"above":10,"input":4}],"modes":{"fast":{"input":8,"output":9,"to":"2026-05-01"}},"windows":[{"utc":[["01:00","02:00"]],"days":[1],"input":3}]}]}}},
"openai":{"kind":"vendor","models":{"gpt-x":{"rates":[{"input":1,"output":2}]}}},"google":{"kind":"vendor","models":{"gemini-x":{"rates":[{"input":1,"output":2}]}}}}}`

// No table makes the loader panic; one that is accepted prices without a panic.
func FuzzTable(f *testing.F) {
	if _, err := check([]byte(small)); err != nil {
		f.Fatal(err)
	}
	f.Add([]byte(small))
	f.Add([]byte(`{"schema":"agent-prices/1","version":"1","providers":{"a":{"models":{"b":{"rates":[{}]}}}}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		_, checked := check(data)
		d, err := split(data)
		if err != nil {
			if checked == nil {
				t.Fatalf("input %q: checked but not splittable: %v", data, err)
			}
			return
		}
		table := newTable(d.head, func() *document { return d })
		for range table.Rates {
		}
		for _, key := range d.names() {
			for _, id := range sortedIDs(d.providers[key]) {
				price := table.Price(million(key, id, prompt(20), served("batch"), geo("us"), searches(1)), "")
				if !price.Paid || price.Key == "" {
					t.Errorf("input %q: got %+v", data, price)
				}
			}
		}
	})
}
