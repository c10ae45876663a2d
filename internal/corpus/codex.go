package corpus

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"
)

func (g *gen) codex(h *Part, target int64, projs []projInfo) {
	models := []string{"gpt-5.1-codex", "gpt-5.1", "gpt-5.1-codex-max", "gpt-5-codex"}
	for h.Bytes < target {
		ts := g.sessionStart()
		sid := g.uuid()
		pr := projs[g.r.IntN(len(projs))]
		path := filepath.Join(g.out, ".codex", "sessions", ts.Format("2006"), ts.Format("01"), ts.Format("02"), "rollout-"+ts.Format("2006-01-02T15-04-05")+"-"+sid+".jsonl")
		l := h.create(path)
		line := func(typ, payload string, usage bool) {
			b := make([]byte, 0, len(payload)+96)
			b = append(b, `{"timestamp":"`...)
			b = ts.AppendFormat(b, iso)
			b = append(b, `","type":"`+typ+`","payload":`...)
			b = append(b, payload...)
			b = append(b, '}')
			l.line(b, usage)
		}
		line("session_meta", fmt.Sprintf(`{"id":"%s","timestamp":"%s","cwd":"%s","originator":"codex_cli_rs","cli_version":"0.7%d.0","instructions":"%s","source":"cli","model_provider":"openai","git":{"commit_hash":"%s","branch":"main"}}`,
			sid, ts.Format(iso), pr.cwd, g.r.IntN(9), g.p.text(g.r, 4000), g.hex(40)), false)
		model := models[g.r.IntN(len(models))]
		var tot Tok // in Codex's convention: Input includes the cached part
		ctx := int64(g.lognorm(9000, 0.3, 5000, 20000))
		var cached int64
		tokenCount := func(last Tok, repeat bool) {
			u := func(t Tok) string {
				return fmt.Sprintf(`{"input_tokens":%d,"cached_input_tokens":%d,"output_tokens":%d,"reasoning_output_tokens":%d,"total_tokens":%d}`, t.Input, t.CacheRead, t.Output, t.Reasoning, t.Input+t.Output)
			}
			line("event_msg", `{"type":"token_count","info":{"total_token_usage":`+u(tot)+`,"last_token_usage":`+u(last)+`,"model_context_window":272000},"rate_limits":{"primary":{"used_percent":12.0,"window_minutes":300,"resets_at":1764500000},"secondary":{"used_percent":4.0,"window_minutes":10080,"resets_at":1764900000},"credits":null,"plan_type":null}}`, true)
			t := Tok{Requests: 1, Input: last.Input - last.CacheRead, Output: last.Output, Reasoning: last.Reasoning, CacheRead: last.CacheRead, Total: last.Input + last.Output}
			h.Naive.add(t)
			if repeat {
				h.Traps["codex_repeated_token_count"]++
				return
			}
			h.FirstWins.add(t)
			h.count(ts, model, pr.cwd, sid, t)
		}
		turns := g.lognorm(5, 0.9, 1, 80)
		var last Tok
		for range turns {
			if h.Bytes >= target {
				break
			}
			ts = ts.Add(time.Duration(20+g.r.IntN(300)) * time.Second)
			if g.r.IntN(12) == 0 {
				model = models[g.r.IntN(len(models))]
			}
			line("turn_context", fmt.Sprintf(`{"cwd":"%s","approval_policy":"on-request","sandbox_policy":{"mode":"workspace-write","network_access":false},"model":"%s","effort":"high","summary":"auto"}`, pr.cwd, model), false)
			up := g.p.text(g.r, g.lognorm(200, 1.0, 20, 12000))
			line("response_item", `{"type":"message","role":"user","content":[{"type":"input_text","text":"`+string(up)+`"}]}`, false)
			line("event_msg", `{"type":"user_message","message":"`+string(up)+`","kind":"plain"}`, false)
			if last.Requests > 0 {
				tokenCount(last, true) // a rate-limit refresh at the start of a turn
			} else {
				line("event_msg", `{"type":"token_count","info":null,"rate_limits":{"primary":{"used_percent":12.0,"window_minutes":300,"resets_at":1764500000}}}`, false)
				h.Traps["codex_null_info"]++
			}
			n := g.lognorm(6, 0.9, 1, 120)
			for range n {
				ts = ts.Add(time.Duration(g.lognorm(6000, 0.9, 700, 300000)) * time.Millisecond)
				line("response_item", `{"type":"reasoning","summary":[{"type":"summary_text","text":"`+string(g.p.text(g.r, 120))+`"}],"content":null,"encrypted_content":"`+string(g.base64(g.lognorm(1800, 0.7, 400, 30000)))+`"}`, false)
				call := g.id("call_", 24)
				line("response_item", `{"type":"function_call","name":"shell","arguments":"{\"command\":[\"bash\",\"-lc\",\"sed -n 1,200p main.go\"]}","call_id":"`+call+`"}`, false)
				out := int64(g.lognorm(220, 1.0, 5, 16000))
				rs := out * int64(g.r.IntN(80)) / 100
				last = Tok{Requests: 1, Input: ctx, CacheRead: cached / 128 * 128, Output: out, Reasoning: rs}
				cached = ctx
				tot.add(last)
				tokenCount(last, false)
				if g.r.IntN(10) < 3 {
					ts = ts.Add(time.Duration(100+g.r.IntN(3000)) * time.Millisecond)
					tokenCount(last, true)
				}
				ts = ts.Add(time.Duration(g.lognorm(400, 1.2, 10, 60000)) * time.Millisecond)
				tx := g.p.text(g.r, g.lognorm(1800, 1.5, 20, 200000))
				line("response_item", `{"type":"function_call_output","call_id":"`+call+`","output":"{\"output\":\"`+strings.ReplaceAll(strings.ReplaceAll(string(tx), `\`, `\\`), `\\"`, `\\\"`)+`\",\"metadata\":{\"exit_code\":0}}"}`, false)
				ctx += out + int64(len(tx))/4
				if ctx > 220000 {
					ctx, cached = 20000, 0
					line("compacted", `{"message":"compacted"}`, false)
					if g.r.IntN(2) == 0 {
						tot, last = Tok{}, Tok{}
						h.Traps["codex_total_restarts"]++
					}
				}
			}
			line("response_item", `{"type":"message","role":"assistant","content":[{"type":"output_text","text":"`+string(g.p.text(g.r, g.lognorm(600, 0.9, 40, 12000)))+`"}]}`, false)
		}
		l.close()
	}
}
