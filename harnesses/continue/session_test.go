package continuecli

import (
	"fmt"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"meterbridge"
	"meterbridge/harnesses"
)

// look reads a session with the memory of the look before, and tells its rows.
func look(t *testing.T, state []byte, index, changed string, prompt, completion int, cost string) (rows []string, next []byte, waits bool) {
	t.Helper()
	at, err := time.Parse(time.RFC3339, changed)
	if err != nil {
		t.Fatal(err)
	}
	content := fmt.Sprintf(`{"sessionId":"b","usage":{"promptTokens":%d,"completionTokens":%d,"totalCost":%s}}`, prompt, completion, cost)
	beside := fstest.MapFS{"b.json": {Data: []byte(content), ModTime: at}}
	if index != "" {
		beside["sessions.json"] = &fstest.MapFile{Data: []byte(index)}
	}
	s := newSession(harnesses.Options{Rel: "b.json", Siblings: beside, State: state})
	var out meterbridge.Batch
	s.Document([]byte(content), &out)
	for _, r := range out.Requests {
		rows = append(rows, fmt.Sprintf("%s %s %d+%d %s", r.NativeID, r.EndedAt.Format("15:04"), r.Tokens.Input.N, r.Tokens.Output.N, r.Recorded.Amount.String()))
	}
	return rows, s.State(), s.Waits()
}

// A total is dated by the session's begin, what it grows by the file's last
// change; a change of the file without growth moves no row.
func TestSession_GrowthIsDatedByTheFile(t *testing.T) {
	const index = `[{"sessionId":"b","dateCreated":"1787990400000"}]` // 2026-08-29T08:00:00Z
	var state []byte
	for _, step := range []struct {
		changed            string
		prompt, completion int
		cost               string
		want               []string
	}{
		{"2026-08-29T08:20:00Z", 100, 10, "0.01", []string{"b 08:00 100+10 0.01"}},
		{"2026-08-29T09:10:00Z", 150, 20, "0.03", []string{"b 08:00 100+10 0.01", "b@20260829T0900Z 09:10 50+10 0.02"}},
		{"2026-08-29T23:10:00Z", 150, 20, "0.03", []string{"b 08:00 100+10 0.01", "b@20260829T0900Z 09:10 50+10 0.02"}},
		{"2026-08-29T23:20:00Z", 150, 20, "0.04", []string{"b 08:00 100+10 0.01", "b@20260829T0900Z 09:10 50+10 0.02", "b@20260829T2315Z 23:20 0+0 0.01"}},
		{"2026-08-29T23:30:00Z", 90, 5, "0.01", []string{"b 08:00 100+10 0.01", "b@20260829T0900Z 09:10 50+10 0.02", "b@20260829T2315Z 23:20 0+0 0.01"}},
	} {
		rows, next, waits := look(t, state, index, step.changed, step.prompt, step.completion, step.cost)
		if diff := cmp.Diff(step.want, rows); diff != "" || waits {
			t.Errorf("at %s: waits %v (-want +got)\n%s", step.changed, waits, diff)
		}
		state = next
	}
}

func TestSession_WithoutABegin(t *testing.T) {
	for _, test := range []struct {
		name, index string
		want        []string
		waits       bool
	}{
		{"no list yet", "", nil, true},
		{"a torn list", `[{"sessionId":"b","dateCre`, nil, true},
		{"a list that leaves it out", `[{"sessionId":"c","dateCreated":"1787990400000"}]`, []string{"b 08:20 100+10 0.01"}, false},
		{"a begin that is none", `[{"sessionId":"b","dateCreated":"yesterday"}]`, []string{"b 08:20 100+10 0.01"}, false},
	} {
		rows, _, waits := look(t, nil, test.index, "2026-08-29T08:20:00Z", 100, 10, "0.01")
		if diff := cmp.Diff(test.want, rows); diff != "" || waits != test.waits {
			t.Errorf("%s: waits %v, want %v (-want +got)\n%s", test.name, waits, test.waits, diff)
		}
	}
}
