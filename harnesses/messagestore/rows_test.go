package messagestore

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Long parts are read by their ends where these tell everything, whole where not.
func TestQuery_LongParts(t *testing.T) {
	long := strings.Repeat(`é \"time\":{\"start\":7,\"end\":8}}} `, 200)
	state := func(rest string) string {
		return `"state":{"status":"completed","input":{},"output":"` + long + `"` + rest + `}`
	}
	const times = `,"time":{"start":1791187200100,"end":1791187200900}`
	tests := []struct{ name, data, want string }{
		{"as it is written", `{"type":"tool","tool":"a","callID":"c1",` + state(`,"title":"x"`+times) + `}`, "a 100 900 true"},
		{"metadata behind the state", `{"type":"tool","tool":"b","callID":"c2",` + state(times) + `,"metadata":{"openai":{"itemId":"i"}}}`, "b 100 900 true"},
		{"time before the output", `{"type":"tool","tool":"c","callID":"c3","state":{"time":{"start":1791187200200,"end":1791187200300},"status":"error","output":"` + long + `"}}`, "c 200 300 false"},
		{"type at the end", `{` + state(times) + `,"callID":"c4","tool":"d","type":"tool"}`, "d 100 900 true"},
		{"without a time", `{"type":"tool","tool":"e","callID":"c5",` + state("") + `}`, "e - - true"},
		{"an attached file", `{"type":"file","url":"data:,` + long + `"}`, ""},
		{"spaces", `{ "type" : "tool", "tool" : "f", "callID" : "c6", ` + state(` , "time" : { "start" : 1791187200100, "end" : 1791187200900 } `) + " }\n", "f 100 900 true"},
	}
	for _, tt := range tests {
		w := newWriter(t)
		w.session("s", t0)
		w.answer("m", "s", t0, t0+1000, 5)
		w.part("p", "m", tt.data)
		got := ""
		b := (&meter{t: t, path: w.path}).read()
		for _, c := range b.ToolCalls {
			start, end := "-", "-"
			if !c.StartedAt.IsZero() {
				start, end = fmt.Sprint(c.StartedAt.UnixMilli()-t0), fmt.Sprint(c.EndedAt.UnixMilli()-t0)
			}
			got = fmt.Sprint(c.Name, " ", start, " ", end, " ", *c.OK)
		}
		if got != tt.want || len(b.Problems) != 0 {
			t.Errorf("%s: got %q, want %q, problems %v", tt.name, got, tt.want, b.Problems)
		}
	}
}

func TestQuery_LongTextsAreReadWhole(t *testing.T) {
	w := newWriter(t)
	w.session("s", t0)
	long := strings.Repeat("0123456789", 500)
	w.exec("INSERT INTO message VALUES ('u','s',?,?,?)", t0, t0, user(t0))
	w.part("p1", "u", `{"type":"text","text":"`+long+`"}`)
	w.exec("INSERT INTO message VALUES ('v','s',?,?,?)", t0, t0, user(t0))
	w.part("p2", "v", `{"type":"text","text":"`+long+`","synthetic":true}`)
	w.answer("a", "s", t0, t0+1, 1)
	w.part("p3", "a", `{"type":"text","text":"`+long+`"}`)
	w.part("p4", "a", `{"type":"reasoning","text":"`+long+long+`"}`)
	b := (&meter{t: t, path: w.path}).read()
	if len(b.Prompts) != 1 || b.Prompts[0].Preview != long[:200] {
		t.Errorf("prompts %v", b.Prompts)
	}
	if diff := cmp.Diff(long, b.Sessions[len(b.Sessions)-1].LastReply); diff != "" {
		t.Errorf("reply (-want +got)\n%s", diff)
	}
	w.part("p5", "a", `{"type":"text","text":"`+long)
	if got := (&meter{t: t, path: w.path}).read().Problems; len(got) != 1 || got[0].Place.Line != 5 {
		t.Errorf("a torn long part: problems %v, want one in row 5", got)
	}
}
