package corpus

import (
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// claudeCall is one API request of Claude Code.
type claudeCall struct {
	id, requestID, model string
	in, w5, w1, rd, out  int64
	// blocks are the lines of its answer.
	blocks int
}

func (c *claudeCall) tok(out int64) Tok {
	return Tok{
		Requests: 1, Input: c.in, Output: out, CacheRead: c.rd, CacheWrite: c.w5 + c.w1, Write5m: c.w5, Write1h: c.w1,
		Total: c.in + out + c.rd + c.w5 + c.w1,
	}
}

// claudeRequest writes the lines of one API request and its tool result.
func (g *gen) claudeRequest(h *Part, s *claudeState, model string, put func([]byte, bool)) Tok {
	s.ts = s.ts.Add(time.Duration(g.lognorm(9000, 0.9, 900, 400000)) * time.Millisecond)
	c := &claudeCall{id: g.id("msg_01", 22), requestID: g.id("req_011C", 20), model: model, in: int64(1 + g.r.IntN(12))}
	if g.r.IntN(25) == 0 { // cache expired
		s.cached = 0
	}
	if wr := s.ctx - s.cached; g.r.IntN(5) == 0 {
		c.w1 = wr
	} else {
		c.w5 = wr
	}
	c.rd = s.cached
	c.out = int64(g.lognorm(260, 1.1, 8, 24000)) // at least the placeholder
	s.cached = s.ctx
	if c.blocks = 1 + g.r.IntN(4); c.blocks == 4 {
		c.blocks = 2
	}
	var toolID string
	for k := range c.blocks {
		toolID = g.claudeLine(h, s, c, k, put)
	}
	s.ctx += c.out
	if toolID != "" {
		g.claudeProgress(s, toolID, put)
		g.claudeResult(s, toolID, put)
	}
	return c.tok(c.out)
}

// claudeLine writes block k of an answer; toolID is that of the call which it holds.
func (g *gen) claudeLine(h *Part, s *claudeState, c *claudeCall, k int, put func([]byte, bool)) (toolID string) {
	o := c.out
	if k < c.blocks-1 {
		o = int64(1 + g.r.IntN(7)) // placeholder while streaming
		s.ts = s.ts.Add(time.Duration(200+g.r.IntN(2500)) * time.Millisecond)
	}
	b := g.claudeHead(s)
	b = append(b, `"message":{"model":"`+c.model+`","id":"`+c.id+`","type":"message","role":"assistant","content":[`...)
	b, stop, toolID := g.claudeBlock(b, h, c, k)
	b = append(b, `],"stop_reason":`+stop+`,"stop_sequence":null,`...)
	b = usageJSON(b, c.in, c.w5, c.w1, c.rd, o)
	b = append(b, `},"requestId":"`+c.requestID+`","type":"assistant"`...)
	g.last, g.at = c.tok(o), s.ts
	put(g.claudeTail(b, s), true)
	h.Naive.add(g.last)
	if k == 0 {
		h.FirstWins.add(g.last)
	} else {
		h.Traps["claude_streaming_duplicate_lines"]++
	}
	return toolID
}

// claudeBlock writes what block k says, and tells the reason to stop after it.
func (g *gen) claudeBlock(b []byte, h *Part, c *claudeCall, k int) (line []byte, stop, toolID string) {
	last := k == c.blocks-1
	switch {
	case last && g.r.IntN(6) != 0:
		toolID = g.id("toolu_01", 22)
		tool := []string{"Read", "Bash", "Edit", "Grep", "Write"}[g.r.IntN(5)]
		b = append(b, `{"type":"tool_use","id":"`+toolID+`","name":"`+tool+`","input":{`...)
		if g.r.IntN(200) == 0 {
			b = append(b, `"payload":{"type":"assistant","message":{"id":"msg_decoy","usage":{"input_tokens":999999,"output_tokens":999999}}},`...)
			h.Traps["claude_decoy_usage_in_tool_input"]++
		}
		b = append(b, `"command":"`...)
		b = append(b, g.p.text(g.r, g.lognorm(220, 1.3, 30, 30000))...)
		return append(b, `","description":"run"}}`...), `"tool_use"`, toolID
	case k == 0 && c.blocks > 1:
		b = append(b, `{"type":"thinking","thinking":"`...)
		b = append(b, g.p.text(g.r, g.lognorm(500, 0.9, 60, 20000))...)
		b = append(b, `","signature":"`...)
		b = append(b, g.base64(g.lognorm(500, 0.5, 200, 4000))...)
		return append(b, `"}`...), `null`, ""
	}
	b = append(b, `{"type":"text","text":"`...)
	b = append(b, g.p.text(g.r, g.lognorm(350, 1.0, 20, 20000))...)
	if stop = `null`; last {
		stop = `"end_turn"`
	}
	return append(b, `"}`...), stop, ""
}

// claudeProgress writes the lines of a tool that tells how far it is.
func (g *gen) claudeProgress(s *claudeState, toolID string, put func([]byte, bool)) {
	for g.r.IntN(3) == 0 {
		s.ts = s.ts.Add(time.Duration(300+g.r.IntN(2000)) * time.Millisecond)
		b := g.claudeHead(s)
		b = append(b, `"type":"progress","data":{"type":"bash_progress","output":"`...)
		b = append(b, g.p.text(g.r, g.lognorm(300, 0.8, 30, 4000))...)
		b = append(b, `","elapsedTimeSeconds":3},"toolUseID":"`+toolID+`"`...)
		put(g.claudeTail(b, s), false)
	}
}

// claudeResult writes the result of a tool: a text, now and then a picture.
func (g *gen) claudeResult(s *claudeState, toolID string, put func([]byte, bool)) {
	s.ts = s.ts.Add(time.Duration(g.lognorm(700, 1.2, 20, 120000)) * time.Millisecond)
	n := g.lognorm(1400, 1.55, 20, 600000)
	if g.r.IntN(300) == 0 {
		n = 400000 + g.r.IntN(1200000) // a picture
	}
	b := g.claudeHead(s)
	b = append(b, `"type":"user","message":{"role":"user","content":[{"tool_use_id":"`+toolID...)
	if n >= 400000 {
		d := g.base64(n)
		b = append(b, `","type":"tool_result","content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"`...)
		b = append(b, d...)
		b = append(b, `"}}]}]},"toolUseResult":{"type":"image","file":{"base64":"`...)
		b = append(b, d...)
		b = append(b, `"}}`...)
		s.ctx += 1600
	} else {
		tx := g.p.text(g.r, n)
		b = append(b, `","type":"tool_result","content":"`...)
		b = append(b, tx...)
		b = append(b, `"}]},"toolUseResult":{"stdout":"`...)
		b = append(b, tx...)
		b = append(b, `","stderr":"","interrupted":false,"isImage":false}`...)
		s.ctx += int64(len(tx)) / 4
	}
	put(g.claudeTail(b, s), false)
}

func (g *gen) subagent(h *Part, dir string, ps *claudeState, pr projInfo, put func([]byte, bool)) {
	s := &claudeState{sid: ps.sid, cwd: ps.cwd, branch: ps.branch, version: ps.version, agent: g.hex(8), side: true, ts: ps.ts}
	l := h.create(filepath.Join(dir, "agent-"+s.agent+".jsonl"))
	b := g.claudeHead(s)
	b = append(b, `"type":"user","message":{"role":"user","content":"`...)
	b = append(b, g.p.text(g.r, 900)...)
	b = append(b, `"}`...)
	l.line(g.claudeTail(b, s), false)
	s.ctx = int64(g.lognorm(9000, 0.2, 5000, 20000))
	n := g.lognorm(9, 0.8, 1, 80)
	var total Tok
	model := "claude-haiku-4-5-20251001"
	if g.r.IntN(2) == 0 {
		model = "claude-sonnet-4-5-20250929"
	}
	var lastLine []byte
	for range n {
		t := g.claudeRequest(h, s, model, func(b []byte, u bool) {
			l.line(b, u)
			if u {
				lastLine = b
			}
		})
		h.count(g.at, model, pr.slug, s.sid, t)
		total.add(t)
		if lastLine != nil && len(lastLine) < 20000 && g.r.IntN(4) == 0 { // a nested copy in the parent: not a request
			b := g.claudeHead(ps)
			b = append(b, `"type":"progress","data":{"type":"agent_progress","agentId":"`+s.agent+`","message":`...)
			b = append(b, lastLine...)
			b = append(b, `},"toolUseID":"toolu_parent"`...)
			put(g.claudeTail(b, ps), false)
			h.Traps["claude_nested_progress_usage"]++
		}
	}
	if lastLine != nil && g.r.IntN(12) == 0 { // replay under another request id, in a second sidechain file
		i := strings.Index(string(lastLine), `"requestId":"`)
		if i > 0 {
			c := append([]byte(nil), lastLine...)
			copy(c[i+len(`"requestId":"req_011C`):], "REPLAY")
			l2 := h.create(filepath.Join(dir, "agent-aside-"+g.hex(8)+".jsonl"))
			l2.line(c, true)
			h.Naive.add(g.last)
			l2.close()
			h.Traps["claude_sidechain_replays"]++
		}
	}
	l.close()
	ps.ts = s.ts
	b = g.claudeHead(ps)
	b = append(b, `"type":"user","message":{"role":"user","content":[{"tool_use_id":"toolu_parent","type":"tool_result","content":[{"type":"text","text":"`...)
	b = append(b, g.p.text(g.r, 1500)...)
	b = append(b, `"}]}]},"toolUseResult":{"status":"completed","agentId":"`+s.agent+`","totalDurationMs":12345,"totalTokens":`...)
	b = strconv.AppendInt(b, total.Total, 10)
	b = append(b, `,"totalToolUseCount":3,`...)
	b = usageJSON(b, total.Input, total.CacheWrite, 0, total.CacheRead, total.Output)
	b = append(b, `}`...)
	put(g.claudeTail(b, ps), false)
	h.Traps["claude_tool_result_usage"]++
}
