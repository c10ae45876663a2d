package corpus

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"
)

func codexModels() []string {
	return []string{"gpt-5.1-codex", "gpt-5.1", "gpt-5.1-codex-max", "gpt-5-codex"}
}

// codexSession is a rollout that is being written.
type codexSession struct {
	g     *gen
	h     *Part
	l     *lw
	ts    time.Time
	sid   string
	pr    projInfo
	model string
	// tot is the running total in Codex's convention: Input includes the cached part.
	tot, last Tok
	// ctx are the tokens in the context, cached those of them that are in the cache.
	ctx, cached int64
}

func (g *gen) codex(h *Part, target int64, projs []projInfo) {
	for h.Bytes < target {
		c := &codexSession{g: g, h: h, ts: g.sessionStart(), sid: g.uuid(), pr: projs[g.r.IntN(len(projs))]}
		day := filepath.Join(c.ts.Format("2006"), c.ts.Format("01"), c.ts.Format("02"))
		c.l = h.create(filepath.Join(g.out, ".codex", "sessions", day, "rollout-"+c.ts.Format("2006-01-02T15-04-05")+"-"+c.sid+".jsonl"))
		c.line("session_meta", fmt.Sprintf(`{"id":"%s","timestamp":"%s","cwd":"%s","originator":"codex_cli_rs","cli_version":"0.7%d.0","instructions":"%s","source":"cli","model_provider":"openai","git":{"commit_hash":"%s","branch":"main"}}`,
			c.sid, c.ts.Format(iso), c.pr.cwd, g.r.IntN(9), g.p.text(g.r, 4000), g.hex(40)), false)
		c.choose()
		c.ctx = int64(g.lognorm(9000, 0.3, 5000, 20000))
		for turns := g.lognorm(5, 0.9, 1, 80); turns > 0 && h.Bytes < target; turns-- {
			c.turn()
		}
		c.l.close()
	}
}

// choose chooses a model.
func (c *codexSession) choose() {
	models := codexModels()
	c.model = models[c.g.r.IntN(len(models))]
}

func (c *codexSession) line(typ, payload string, usage bool) {
	b := make([]byte, 0, len(payload)+96)
	b = append(b, `{"timestamp":"`...)
	b = c.ts.AppendFormat(b, iso)
	b = append(b, `","type":"`+typ+`","payload":`...)
	b = append(b, payload...)
	b = append(b, '}')
	c.l.line(b, usage)
}

// tokenCount writes the counters as they are now, after a request or once more.
func (c *codexSession) tokenCount(repeat bool) {
	u := func(t Tok) string {
		return fmt.Sprintf(`{"input_tokens":%d,"cached_input_tokens":%d,"output_tokens":%d,"reasoning_output_tokens":%d,"total_tokens":%d}`, t.Input, t.CacheRead, t.Output, t.Reasoning, t.Input+t.Output)
	}
	last := c.last
	c.line("event_msg", `{"type":"token_count","info":{"total_token_usage":`+u(c.tot)+`,"last_token_usage":`+u(last)+`,"model_context_window":272000},"rate_limits":{"primary":{"used_percent":12.0,"window_minutes":300,"resets_at":1764500000},"secondary":{"used_percent":4.0,"window_minutes":10080,"resets_at":1764900000},"credits":null,"plan_type":null}}`, true)
	t := Tok{Requests: 1, Input: last.Input - last.CacheRead, Output: last.Output, Reasoning: last.Reasoning, CacheRead: last.CacheRead, Total: last.Input + last.Output}
	c.h.Naive.add(t)
	if repeat {
		c.h.Traps["codex_repeated_token_count"]++
		return
	}
	c.h.FirstWins.add(t)
	c.h.count(c.ts, c.model, c.pr.cwd, c.sid, t)
}

// turn writes a prompt, the requests of its turn, and the answer.
func (c *codexSession) turn() {
	g := c.g
	c.ts = c.ts.Add(time.Duration(20+g.r.IntN(300)) * time.Second)
	if g.r.IntN(12) == 0 {
		c.choose()
	}
	c.line("turn_context", fmt.Sprintf(`{"cwd":"%s","approval_policy":"on-request","sandbox_policy":{"mode":"workspace-write","network_access":false},"model":"%s","effort":"high","summary":"auto"}`, c.pr.cwd, c.model), false)
	up := string(g.p.text(g.r, g.lognorm(200, 1.0, 20, 12000)))
	c.line("response_item", `{"type":"message","role":"user","content":[{"type":"input_text","text":"`+up+`"}]}`, false)
	c.line("event_msg", `{"type":"user_message","message":"`+up+`","kind":"plain"}`, false)
	if c.last.Requests > 0 {
		c.tokenCount(true) // a rate-limit refresh at the start of a turn
	} else {
		c.line("event_msg", `{"type":"token_count","info":null,"rate_limits":{"primary":{"used_percent":12.0,"window_minutes":300,"resets_at":1764500000}}}`, false)
		c.h.Traps["codex_null_info"]++
	}
	for range g.lognorm(6, 0.9, 1, 120) {
		c.request()
	}
	c.line("response_item", `{"type":"message","role":"assistant","content":[{"type":"output_text","text":"`+string(g.p.text(g.r, g.lognorm(600, 0.9, 40, 12000)))+`"}]}`, false)
}

// request writes one API request, which calls a tool, and the tool's result.
func (c *codexSession) request() {
	g := c.g
	c.ts = c.ts.Add(time.Duration(g.lognorm(6000, 0.9, 700, 300000)) * time.Millisecond)
	c.line("response_item", `{"type":"reasoning","summary":[{"type":"summary_text","text":"`+string(g.p.text(g.r, 120))+`"}],"content":null,"encrypted_content":"`+string(g.base64(g.lognorm(1800, 0.7, 400, 30000)))+`"}`, false)
	call := g.id("call_", 24)
	c.line("response_item", `{"type":"function_call","name":"shell","arguments":"{\"command\":[\"bash\",\"-lc\",\"sed -n 1,200p main.go\"]}","call_id":"`+call+`"}`, false)
	out := int64(g.lognorm(220, 1.0, 5, 16000))
	c.last = Tok{Requests: 1, Input: c.ctx, CacheRead: c.cached / 128 * 128, Output: out, Reasoning: out * int64(g.r.IntN(80)) / 100}
	c.cached = c.ctx
	c.tot.add(c.last)
	c.tokenCount(false)
	if g.r.IntN(10) < 3 {
		c.ts = c.ts.Add(time.Duration(100+g.r.IntN(3000)) * time.Millisecond)
		c.tokenCount(true)
	}
	c.ts = c.ts.Add(time.Duration(g.lognorm(400, 1.2, 10, 60000)) * time.Millisecond)
	tx := g.p.text(g.r, g.lognorm(1800, 1.5, 20, 200000))
	c.line("response_item", `{"type":"function_call_output","call_id":"`+call+`","output":"{\"output\":\"`+strings.ReplaceAll(strings.ReplaceAll(string(tx), `\`, `\\`), `\\"`, `\\\"`)+`\",\"metadata\":{\"exit_code\":0}}"}`, false)
	if c.ctx += out + int64(len(tx))/4; c.ctx > 220000 {
		c.compact()
	}
}

// compact empties the context; some versions begin their totals again with it.
func (c *codexSession) compact() {
	c.ctx, c.cached = 20000, 0
	c.line("compacted", `{"message":"compacted"}`, false)
	if c.g.r.IntN(2) == 0 {
		c.tot, c.last = Tok{}, Tok{}
		c.h.Traps["codex_total_restarts"]++
	}
}
