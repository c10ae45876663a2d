package codexcli

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"meterbridge"
	"meterbridge/harnesses"
)

// BenchmarkRollouts reads made-up logs in the two forms, with lines as long
// and as many of each sort as real ones have.
func BenchmarkRollouts(b *testing.B) {
	for _, form := range []struct {
		name  string
		write func(*log)
	}{{"legacy", (*log).legacyTurn}, {"paginated", (*log).paginatedTurn}} {
		b.Run(form.name, func(b *testing.B) {
			l := &log{r: rand.New(rand.NewPCG(1, 2)), now: time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)}
			l.line("session_meta", `{"id":"`+ownThread+`","timestamp":"2026-03-02T09:00:00.000Z","cwd":"/srv/demo-shop"}`, "")
			for l.text.Len() < 8<<20 {
				form.write(l)
			}
			content := l.text.Bytes()
			b.SetBytes(int64(len(content)))
			b.ReportAllocs()
			for b.Loop() {
				if n := readLog(content); n != l.requests {
					b.Fatalf("%d requests, want %d", n, l.requests)
				}
			}
		})
	}
}

func readLog(content []byte) (requests int) {
	var out meterbridge.Batch
	p := openLines(harnesses.Kind{Name: kindRollout}, harnesses.Options{Path: "/x/rollout-2026-03-02T09-00-00-" + ownThread + ".jsonl"})
	var n, offset int64
	for rest := content; len(rest) > 0; {
		i := bytes.IndexByte(rest, '\n')
		if i < 0 {
			break
		}
		n++
		p.Line(rest[:i], meterbridge.Place{Line: n, Offset: offset}, &out)
		offset += int64(i + 1)
		rest = rest[i+1:]
	}
	p.Flush(&out)
	return len(out.Requests)
}

// log writes a made-up rollout.
type log struct {
	r        *rand.Rand
	now      time.Time
	text     bytes.Buffer
	total    int
	requests int
}

func (l *log) line(typ, payload, more string) {
	l.now = l.now.Add(500 * time.Millisecond)
	fmt.Fprintf(&l.text, `{"timestamp":"%s","type":"%s","payload":%s%s}`+"\n", l.now.Format("2006-01-02T15:04:05.000Z"), typ, payload, more)
}

// prose is text of about n bytes as JSON writes it, with a line break here and there.
func (l *log) prose(n int) string {
	var b strings.Builder
	for b.Len() < n {
		b.WriteString("the quick build of the shop, line by line")
		if l.r.IntN(3) == 0 {
			b.WriteString(`\n\"quoted\"\t`)
		}
	}
	return b.String()
}

func (l *log) counter() {
	u := fmt.Sprintf(`{"input_tokens":%d,"cached_input_tokens":%d,"output_tokens":%d,"reasoning_output_tokens":9,"total_tokens":%d}`, l.total*1000, l.total*900, l.total*10, l.total*1010)
	l.line("event_msg", `{"type":"token_count","info":{"total_token_usage":`+u+`,"last_token_usage":`+u+`,"model_context_window":272000},"rate_limits":{"primary":{"used_percent":12.0,"window_minutes":300,"resets_at":1764500000},"secondary":{"used_percent":4.0,"window_minutes":10080,"resets_at":1764900000},"credits":null,"plan_type":null}}`, "")
}

func (l *log) legacyTurn() {
	l.line("turn_context", `{"cwd":"/srv/demo-shop","approval_policy":"on-request","sandbox_policy":{"mode":"read-only"},"model":"gpt-5.4","effort":"high"}`, "")
	prompt := l.prose(300)
	l.line("response_item", `{"type":"message","role":"user","content":[{"type":"input_text","text":"`+prompt+`"}]}`, "")
	l.line("event_msg", `{"type":"user_message","message":"`+prompt+`","kind":"plain"}`, "")
	for range 8 {
		l.line("response_item", `{"type":"reasoning","summary":[],"content":null,"encrypted_content":"`+strings.Repeat("Zm9v", 500)+`"}`, "")
		call := fmt.Sprintf("call_%024d", l.total)
		l.line("response_item", `{"type":"function_call","name":"shell","arguments":"{\"command\":[\"bash\",\"-lc\",\"make\"]}","call_id":"`+call+`"}`, "")
		l.total++
		l.requests++
		l.counter()
		if l.r.IntN(3) == 0 {
			l.counter()
		}
		l.line("response_item", `{"type":"function_call_output","call_id":"`+call+`","output":"{\"output\":\"`+l.prose(1<<l.r.IntN(14))+`\",\"metadata\":{\"exit_code\":0}}"}`, "")
	}
	l.line("response_item", `{"type":"message","role":"assistant","content":[{"type":"output_text","text":"`+l.prose(700)+`"}]}`, "")
}

func (l *log) paginatedTurn() {
	pass := `,"internal_chat_message_metadata_passthrough":{"turn_id":"t"}}`
	meta := `,"metadata":{"history_sequence":4,"sampled_through_sequence":3,"client_authored":false}`
	l.line("turn_context", `{"turn_id":"t","cwd":"/srv/demo-shop","permission_profile":{"type":"managed","entries":[`+strings.Repeat(`{"path":{"type":"path","path":"/srv/demo-shop"},"access":"read"},`, 9)+`{}]},"model":"gpt-5.4"}`, "")
	l.line("event_msg", `{"type":"item_completed","thread_id":"`+ownThread+`","turn_id":"t","item":{"type":"UserMessage","id":"u","content":[{"type":"text","text":"`+l.prose(300)+`"}]}}`, "")
	for range 8 {
		call := fmt.Sprintf("call_%024d", l.total)
		l.line("response_item", `{"type":"reasoning","id":"r","encrypted_content":"`+strings.Repeat("Zm9v", 500)+`"`+pass, meta)
		l.line("response_item", `{"type":"function_call","id":"f","name":"exec_command","arguments":"{\"cmd\":\"make\"}","call_id":"`+call+`"`+pass, meta)
		l.total++
		l.requests++
		u := fmt.Sprintf(`{"input_tokens":%d,"cached_input_tokens":7,"cache_write_input_tokens":0,"output_tokens":9,"reasoning_output_tokens":9,"total_tokens":9}`, l.total*10)
		l.line("token_usage_record", fmt.Sprintf(`{"thread_id":"%s","turn_id":"t","session_id":"s","root_turn_id":"t","response_id":"resp_%d","usage":%s,"turn_token_usage":%s,"thread_token_usage":%s}`, ownThread, l.total, u, u, u), "")
		text := l.prose(1 << l.r.IntN(14))
		l.line("event_msg", `{"type":"item_completed","thread_id":"`+ownThread+`","turn_id":"t","item":{"type":"CommandExecution","id":"`+call+`","command":["make"],"status":"completed","aggregated_output":"`+text+`","exit_code":0}}`, "")
		l.line("response_item", `{"type":"function_call_output","id":"o","call_id":"`+call+`","output":"Chunk ID: 1\nProcess exited with code 0\nOutput:\n`+text+`"`+pass, meta)
		l.counter()
	}
}
