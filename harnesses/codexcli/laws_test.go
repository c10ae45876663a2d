package codexcli

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"meterbridge"
)

// history writes a rollout and keeps by itself what a reader must count in it.
type history struct {
	t     *rapid.T
	text  strings.Builder
	now   time.Time
	total [4]int64 // input, cached, output, reasoning
	last  [4]int64
	// records: this build writes a record with each request.
	records bool
	counted int
	n       int
	want    map[string][4]int64
}

const (
	ownThread    = "0f0e0d0c-0000-4000-8000-00000000000b"
	parentThread = "0f0e0d0c-0000-4000-8000-00000000000a"
)

func (h *history) line(typ, payload string) {
	space := rapid.SampledFrom([]string{"", "", "", " "}).Draw(h.t, "space")
	fmt.Fprintf(&h.text, `{"timestamp":%s"%s","type":"%s","payload":%s}`+"\n", space, h.now.Format("2006-01-02T15:04:05.000Z"), typ, payload)
}

func (h *history) wait(ms int64) { h.now = h.now.Add(time.Duration(ms) * time.Millisecond) }

func object(u [4]int64) string {
	return fmt.Sprintf(`{"input_tokens":%d,"cached_input_tokens":%d,"output_tokens":%d,"reasoning_output_tokens":%d,"total_tokens":%d}`, u[0], u[1], u[2], u[3], u[0]+u[2])
}

func (h *history) counter(last [4]int64) {
	h.line("event_msg", fmt.Sprintf(`{"type":"token_count","info":{"total_token_usage":%s,"last_token_usage":%s},"rate_limits":null}`, object(h.total), object(last)))
}

// spend is a request; own tells whether this thread or a copied parent spent it.
func (h *history) spend(own bool) {
	h.n++
	in := rapid.Int64Range(1, 1e6).Draw(h.t, "in")
	out := rapid.Int64Range(1, 1e5).Draw(h.t, "out")
	h.last = [4]int64{in, rapid.Int64Range(0, in).Draw(h.t, "cached"), out, rapid.Int64Range(0, out).Draw(h.t, "reasoning")}
	for i := range h.total {
		h.total[i] += h.last[i]
	}
	key := ""
	if h.records {
		thread := ownThread
		if !own {
			thread = parentThread
		}
		key = fmt.Sprintf("%s/r%d", thread, h.n)
		h.line("token_usage_record", fmt.Sprintf(`{"thread_id":"%s","response_id":"r%d","usage":%s,"thread_token_usage":%s}`, thread, h.n, object(h.last), object(h.total)))
		if own && rapid.Bool().Draw(h.t, "a result first") {
			h.line("response_item", `{"type":"function_call_output","call_id":"x","output":"late"}`)
		}
	} else if own {
		h.counted++
		key = fmt.Sprintf("%s#%d", ownThread, h.counted)
	}
	h.counter(h.last)
	if own {
		h.want[key] = [4]int64{in - h.last[1], h.last[1], out, h.last[3]}
	}
}

// other is any line between requests that is none.
func (h *history) other() {
	switch rapid.IntRange(0, 8).Draw(h.t, "other") {
	case 0:
		h.counter(h.last)
	case 1:
		h.counter([4]int64{})
	case 2:
		h.line("event_msg", `{"type":"token_count","info":null,"rate_limits":{"primary":{"used_percent":1.5,"window_minutes":300,"resets_at":1772450000}}}`)
	case 3:
		h.line("response_item", `{"type":"reasoning","summary":[],"encrypted_content":"{\"timestamp\":\"x\"}"}`)
	case 4:
		h.line("response_item", fmt.Sprintf(`{"type":"function_call","name":"shell","arguments":"{}","call_id":"c%d"}`, h.n))
	case 5:
		h.line("response_item", fmt.Sprintf(`{"type":"function_call_output","call_id":"c%d","output":"Exit code: %d\n"}`, h.n, h.n%2))
	case 6:
		h.line("event_msg", `{"type":"agent_message","message":"\"input_tokens\":5"}`)
	case 7:
		h.line("compacted", `{"message":"m"}`)
	case 8:
		h.line("turn_context", `{"cwd":"/srv/demo-shop","model":"gpt-5.4"}`)
	}
}

func (h *history) meta(thread, more string) {
	h.line("session_meta", fmt.Sprintf(`{"id":"%s","timestamp":"%s","cwd":"/srv/demo-shop","model_provider":"openai"%s}`, thread, h.now.Format("2006-01-02T15:04:05.000Z"), more))
}

// copied writes a parent's lines with at most a few ms between them.
func (h *history) copied() {
	h.meta(parentThread, "")
	for range rapid.IntRange(0, 8).Draw(h.t, "copied lines") {
		h.wait(rapid.Int64Range(0, 150).Draw(h.t, "ms"))
		if rapid.Bool().Draw(h.t, "copied request") {
			h.spend(false)
		} else {
			h.other()
		}
	}
	h.wait(rapid.Int64Range(200, 100_000).Draw(h.t, "pause"))
	h.line("event_msg", `{"type":"user_message","message":"Go on","kind":"plain"}`)
}

func draw(t *rapid.T) *history {
	h := &history{t: t, now: time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC), want: map[string][4]int64{}}
	fork := rapid.Bool().Draw(t, "fork")
	h.records = rapid.IntRange(0, 3).Draw(t, "build") == 0
	if fork {
		h.meta(ownThread, `,"forked_from_id":"`+parentThread+`"`)
		h.copied()
	} else {
		h.meta(ownThread, "")
	}
	for range rapid.IntRange(0, 20).Draw(t, "lines") {
		h.wait(rapid.Int64Range(1, 60_000).Draw(t, "ms"))
		switch rapid.IntRange(0, 12).Draw(t, "what") {
		case 0, 1, 2, 3, 4:
			h.spend(true)
		case 5:
			if !h.records { // the counter begins again: its next total is its last
				h.total = [4]int64{}
			}
		case 6:
			h.records = true // resumed by a newer build
		default:
			h.other()
		}
	}
	return h
}

// Whatever the order of requests, repeats, restarts, copies and other lines,
// each request counts once, read whole, in pieces, the short or the long way.
func TestLaws_EachRequestOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := draw(t)
		s := source{rel: "sessions/rollout-2026-03-02T09-00-00-" + ownThread + ".jsonl", kind: kindRollout, content: []byte(h.text.String())}
		whole := parseAll([]source{s}, nil)
		got := map[string][4]int64{}
		for key, q := range whole.Requests {
			k := q.Tokens
			got[key] = [4]int64{k.Input.N, k.CacheRead.N, k.Output.N, k.Reasoning.N}
		}
		if diff := cmp.Diff(h.want, got); diff != "" {
			t.Fatalf("want - got +\n%s\n%s", diff, h.text.String())
		}
		if len(whole.Problems) > 0 {
			t.Fatalf("problems: %v", whole.Problems)
		}
		parts := parseAll([]source{s}, every(rapid.IntRange(1, 6).Draw(t, "piece")))
		if diff := cmp.Diff(whole, parts, exact); diff != "" {
			t.Fatalf("whole - resumed +\n%s\n%s", diff, h.text.String())
		}
		s.content = loosen(s.content)
		if diff := cmp.Diff(whole, parseAll([]source{s}, nil), exact, cmpopts.IgnoreTypes(meterbridge.Place{})); diff != "" {
			t.Fatalf("short way - long way +\n%s\n%s", diff, h.text.String())
		}
	})
}
