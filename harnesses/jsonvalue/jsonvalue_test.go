package jsonvalue

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"meterbridge"
)

func TestParse_TakesObjectsOnly(t *testing.T) {
	for text, want := range map[string]bool{
		`{}`: true, "\xef\xbb\xbf {\"a\":1}\n": true, `[]`: false, `null`: false, ``: false, `{"a":1`: false, `{"a":1}x`: false, `{"a"}`: false,
	} {
		if _, ok := Parse([]byte(text)); ok != want {
			t.Errorf("%q: got %v, want %v", text, ok, want)
		}
	}
}

func TestValue_WhatIsMissingOrOfAnotherTypeIsNotThere(t *testing.T) {
	o, ok := Parse([]byte(`{"t":"a\u0062c","n":12,"f":1.5,"yes":true,"no":false,"null":null,"list":[1,"x",{}],"o":{"p":{"q":7}},"iso":"2026-08-24T08:00:11Z","ms":1787558411000,"s":1787558411.0,"n":13}`))
	if !ok {
		t.Fatal("not read")
	}
	n, whole := o["n"].Int()
	_, fraction := o["f"].Int()
	if n != 13 || !whole || fraction {
		t.Errorf("numbers: %d %v %v", n, whole, fraction)
	}
	if o["t"].Text() != "abc" || o["t"].Clip(2) != "ab" || o["n"].Text() != "" || o["none"].Text() != "" || o["f"].Float() != 1.5 || o["t"].Float() != 0 {
		t.Error("texts and fractions")
	}
	if q, _ := o.At("o", "p", "q").Int(); q != 7 || o.At("o", "x", "q") != nil || o.At("t", "p") != nil || o.At() != nil {
		t.Error("a path through objects")
	}
	if !o["yes"].True() || o["no"].True() || !o["no"].False() || o["none"].False() || !o["null"].Null() || !o["none"].Null() || o["no"].Null() {
		t.Error("literals")
	}
	var list []string
	for i, v := range o["list"].Elements() {
		list = append(list, string(rune('0'+i))+string(v))
	}
	for range o["t"].Elements() {
		t.Error("a text has elements")
	}
	if diff := cmp.Diff([]string{"01", `1"x"`, "2{}"}, list); diff != "" {
		t.Error(diff)
	}
	if at := o["iso"].Time(); at.IsZero() || !o["ms"].Millis().Equal(at) || !o["s"].Seconds().Equal(at) || !o["ms"].Time().IsZero() {
		t.Error("instants")
	}
}

func TestCounts_RememberWhatIsNone(t *testing.T) {
	for text, want := range map[string]meterbridge.Count{
		`5`: meterbridge.Reported(5), `0`: meterbridge.Reported(0), `1e3`: meterbridge.Reported(1000), `null`: {}, ``: {},
	} {
		var c Counts
		if got := c.Of(Value(text)); got != want || c.Wrong {
			t.Errorf("%q: got %v, wrong %v; want %v", text, got, c.Wrong, want)
		}
	}
	for _, text := range []string{`-1`, `1.5`, `"5"`, `{}`, `[]`, `true`, `9007199254740993`, `1e30`} {
		var c Counts
		if got := c.Of(Value(text)); got.OK || !c.Wrong {
			t.Errorf("%q: got %v, wrong %v; want it to be wrong", text, got, c.Wrong)
		}
	}
}

func TestUSD(t *testing.T) {
	tests := []struct {
		text, want, reason string
		zeroes             bool
	}{
		{"0.0123", "0.0123", "", false},
		{"0", "", "", false},
		{"0", "0.00", "", true},
		{"null", "", "", false},
		{"", "", "", false},
		{`"0.1"`, "", "wrong-type", false},
		{"-0.1", "", "refused-cost", false},
		{"1e12", "", "refused-cost", false},
	}
	for _, tt := range tests {
		p, reason := USD(Value(tt.text), tt.zeroes)
		got := ""
		if p.OK {
			got = p.Amount.String()
		}
		if got != tt.want || reason != tt.reason {
			t.Errorf("%q: got %q %q, want %q %q", tt.text, got, reason, tt.want, tt.reason)
		}
	}
}

func TestMinus(t *testing.T) {
	n := meterbridge.Reported
	if got := Minus(n(10), n(3), n(2)); got != n(5) {
		t.Errorf("got %v", got)
	}
	if got := Minus(n(10), n(13)); got != n(0) {
		t.Errorf("got %v", got)
	}
	if got := Minus(n(10), meterbridge.Count{}); got != n(10) {
		t.Errorf("got %v", got)
	}
	if got := Minus(meterbridge.Count{}, n(1)); got.OK {
		t.Errorf("got %v", got)
	}
}

// FuzzParse: what encoding/json reads is read alike, and nothing panics.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{`{"a":{"b":[1,2,{"c":"x\n"}]},"a":2}`, `{"\u0061":null}`, `{`, `{"a":-1.5e3}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		o, ok := Parse(text)
		for _, v := range o {
			v.Text()
			v.Float()
			v.Time()
			for _, e := range v.Elements() {
				e.Object()
			}
		}
		var want map[string]json.RawMessage
		if json.Unmarshal(text, &want) != nil || want == nil {
			return
		}
		if !ok || len(o) != len(want) {
			t.Fatalf("%q: read %v, %d members, want %d", text, ok, len(o), len(want))
		}
		for name, raw := range want {
			var s string
			if json.Unmarshal(raw, &s) == nil && o[name].Text() != s {
				t.Errorf("%q of %q: got %q, want %q", name, text, o[name].Text(), s)
			}
		}
	})
}
