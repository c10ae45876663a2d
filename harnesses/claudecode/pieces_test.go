package claudecode

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"meterbridge"
)

type object = map[string]any

// someRow draws a row as builds of all times may write it. sent counts the
// requests: each is sent once.
func someRow(t *rapid.T, clock *time.Time, sent *int) string {
	*clock = clock.Add(rapid.SampledFrom([]time.Duration{-time.Second, 0, time.Second, time.Minute, 90 * time.Minute}).Draw(t, "step"))
	r := object{
		"uuid": fmt.Sprint("u", rapid.IntRange(0, 20).Draw(t, "uuid")), "sessionId": rapid.SampledFrom([]string{"s1", "s1", "s1", "s2"}).Draw(t, "session"),
		"cwd": rapid.SampledFrom([]string{"/a", "/b"}).Draw(t, "cwd"), "timestamp": clock.Format("2006-01-02T15:04:05.000Z"),
	}
	if rapid.IntRange(0, 9).Draw(t, "untimed") == 0 {
		delete(r, "timestamp")
	}
	if rapid.IntRange(0, 4).Draw(t, "side") == 0 {
		r["isSidechain"] = true
	}
	if rapid.IntRange(0, 6).Draw(t, "copied") == 0 {
		r["requestSessionId"] = "s0"
	}
	if rapid.Bool().Draw(t, "turn") {
		r["promptId"] = rapid.SampledFrom([]string{"p1", "p2", "p3"}).Draw(t, "promptId")
	}
	switch kind := rapid.SampledFrom([]string{"assistant", "assistant", "assistant", "user", "user", "system", "api-request", "title", "broken"}).Draw(t, "kind"); kind {
	case "assistant":
		someAnswer(t, r)
	case "user":
		r["type"], r["message"] = "user", object{"content": someContent(t)}
	case "system":
		r["type"], r["subtype"] = kind, rapid.SampledFrom([]string{"turn_duration", "api_error", "compact_boundary", "local_command"}).Draw(t, "subtype")
	case "api-request":
		*sent++
		r["type"], r["id"] = kind, fmt.Sprint("ar-", *sent)
	case "title":
		r["type"] = rapid.SampledFrom([]string{"custom-title", "ai-title", "summary"}).Draw(t, "title")
		r["customTitle"], r["aiTitle"], r["summary"] = "t1", "t1", "t1"
	case "broken":
		return `{"type":"assistant","message":{`
	}
	line, _ := json.Marshal(r)
	return string(line)
}

func someAnswer(t *rapid.T, r object) {
	r["type"] = "assistant"
	r["requestId"] = rapid.SampledFrom([]string{"req_1", "req_2", "req_3"}).Draw(t, "requestId")
	m := object{
		"model": rapid.SampledFrom([]string{"m1", "m2", "m1", "<synthetic>"}).Draw(t, "model"),
		"usage": object{"input_tokens": rapid.SampledFrom([]any{1, 2, "3"}).Draw(t, "input"), "output_tokens": rapid.IntRange(0, 9).Draw(t, "output")},
	}
	if id := rapid.SampledFrom([]string{"", "msg_0", "msg_long_enough_1", "msg_long_enough_2", "msg_long_enough_3"}).Draw(t, "id"); id != "" {
		m["id"] = id
		r["requestRef"] = "ar-" + id[len(id)-1:]
	}
	var blocks []any
	for range rapid.IntRange(0, 3).Draw(t, "blocks") {
		blocks = append(blocks, object{"type": "tool_use", "id": fmt.Sprint("toolu_", rapid.IntRange(0, 6).Draw(t, "call")), "name": rapid.SampledFrom([]string{"Bash", "Read"}).Draw(t, "tool")})
	}
	m["content"] = append(blocks, object{"type": "text", "text": rapid.SampledFrom([]string{"", "hello", "bye"}).Draw(t, "text")})
	r["message"] = m
}

func someContent(t *rapid.T) any {
	return rapid.SampledFrom([]any{
		"a prompt", "another", "<command-name>/init</command-name>", "/compact", "<bash-input>x", "[Request interrupted by user]",
		[]any{object{"type": "tool_result", "tool_use_id": "toolu_1", "is_error": true}},
		[]any{object{"type": "text", "text": "in a block"}},
	}).Draw(t, "content")
}

// A transcript gives the same facts wherever its reading is broken off.
func TestPieces_GiveTheSameFacts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		clock := time.Date(2026, 10, 5, 8, 0, 0, 0, time.UTC)
		var lines []string
		sent := 0
		for range rapid.IntRange(1, 40).Draw(t, "lines") {
			lines = append(lines, someRow(t, &clock, &sent))
		}
		content := []byte(strings.Join(lines, "\n") + "\n")
		stops := rapid.Uint64().Draw(t, "stops")
		want := parse(content, bothKinds[0], whole)
		got := parse(content, bothKinds[0], func(line int) bool { return stops>>(line%64)&1 == 1 })
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(meterbridge.PicoUSD{})); diff != "" {
			t.Fatalf("read in pieces (-whole +pieces):\n%s", diff)
		}
	})
}
