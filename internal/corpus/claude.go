package corpus

import (
	"fmt"
	"math"
	"path/filepath"
	"strconv"
	"time"
)

type weighted struct {
	name string
	w    int
}

func claudeModels() []weighted {
	return []weighted{{"claude-sonnet-4-5-20250929", 55}, {"claude-opus-4-5-20251101", 35}, {"claude-haiku-4-5-20251001", 10}}
}

func (g *gen) claudeModel() string {
	k := g.r.IntN(100)
	for _, m := range claudeModels() {
		if k -= m.w; k < 0 {
			return m.name
		}
	}
	return claudeModels()[0].name
}

type claudeState struct {
	sid, cwd, branch, version, agent string
	side                             bool
	parent                           string
	ts                               time.Time
	ctx                              int64 // tokens in the context
	cached                           int64 // tokens of it already in the cache
}

func (g *gen) claudeHead(s *claudeState) []byte {
	var b []byte
	if s.parent == "" {
		b = append(b, `{"parentUuid":null,"isSidechain":`...)
	} else {
		b = append(b, `{"parentUuid":"`...)
		b = append(b, s.parent...)
		b = append(b, `","isSidechain":`...)
	}
	b = strconv.AppendBool(b, s.side)
	if s.agent != "" {
		b = append(b, `,"agentId":"`...)
		b = append(b, s.agent...)
		b = append(b, '"')
	}
	b = append(b, `,"userType":"external","cwd":"`...)
	b = append(b, s.cwd...)
	b = append(b, `","sessionId":"`...)
	b = append(b, s.sid...)
	b = append(b, `","version":"`...)
	b = append(b, s.version...)
	b = append(b, `","gitBranch":"`...)
	b = append(b, s.branch...)
	b = append(b, '"', ',')
	return b
}

func (g *gen) claudeTail(b []byte, s *claudeState) []byte {
	s.parent = g.uuid()
	b = append(b, `,"uuid":"`...)
	b = append(b, s.parent...)
	b = append(b, `","timestamp":"`...)
	b = s.ts.AppendFormat(b, iso)
	return append(b, `"}`...)
}

func usageJSON(b []byte, in, w5, w1, rd, out int64) []byte {
	return fmt.Appendf(b, `"usage":{"input_tokens":%d,"cache_creation_input_tokens":%d,"cache_read_input_tokens":%d,"cache_creation":{"ephemeral_5m_input_tokens":%d,"ephemeral_1h_input_tokens":%d},"output_tokens":%d,"service_tier":"standard"}`, in, w5+w1, rd, w5, w1, out)
}

type kept struct {
	b     []byte
	usage bool
	t     Tok
}

// claudeSession is one file of a session that is being written.
type claudeSession struct {
	*claudeState
	g     *gen
	h     *Part
	l     *lw
	pr    projInfo
	model string
	// keep are its lines, while they are few.
	keep []kept
}

// mostKept is how many lines of a session a resume copies at most.
const mostKept = 400

func (g *gen) claude(h *Part, target int64, projs []projInfo) {
	root := filepath.Join(g.out, ".claude", "projects")
	var donor []kept // lines of a finished session, to be copied by a resume
	for h.Bytes < target {
		pr := projs[int(math.Pow(g.r.Float64(), 2)*float64(len(projs)))]
		s := &claudeState{
			sid: g.uuid(), cwd: pr.cwd, branch: []string{"main", "feat/usage", "fix/parse-42"}[g.r.IntN(3)],
			version: "2.0." + strconv.Itoa(g.r.IntN(80)), ts: g.sessionStart(),
		}
		c := &claudeSession{claudeState: s, g: g, h: h, pr: pr, l: h.create(filepath.Join(root, pr.slug, s.sid+".jsonl"))}
		if g.r.IntN(3) == 0 {
			c.l.line(fmt.Appendf(nil, `{"type":"summary","summary":"%s","leafUuid":"%s"}`, "Refactor "+g.word(), g.uuid()), false)
		}
		if donor != nil && g.r.IntN(20) == 0 {
			c.resume(donor)
			donor = nil
		}
		c.requests(target, filepath.Join(root, pr.slug, s.sid, "subagents"))
		c.ending()
		c.l.close()
		if g.r.IntN(10) == 0 && len(c.keep) < mostKept {
			donor = c.keep
		}
	}
}

func (c *claudeSession) put(b []byte, usage bool) {
	c.l.line(b, usage)
	if len(c.keep) < mostKept {
		c.keep = append(c.keep, kept{append([]byte(nil), b...), usage, c.g.last})
	}
}

// resume copies the lines of an earlier session.
func (c *claudeSession) resume(donor []kept) {
	for _, k := range donor {
		c.l.line(k.b, k.usage)
		if k.usage {
			c.h.Naive.add(k.t)
			c.h.Traps["claude_resume_copied_usage_lines"]++
		}
	}
	c.h.Traps["claude_resumed_files"]++
}

// requests writes the requests of the session, with what comes between them.
func (c *claudeSession) requests(target int64, agents string) {
	g := c.g
	n := g.lognorm(26, 1.15, 1, 900)
	c.model = g.claudeModel()
	c.ctx, c.cached = int64(g.lognorm(16000, 0.25, 9000, 40000)), 0
	for i := 0; i < n && c.h.Bytes < target; i++ {
		if i == 0 || g.r.IntN(7) == 0 {
			c.prompt()
		}
		t := g.claudeRequest(c.h, c.claudeState, c.model, c.put)
		c.h.count(g.at, c.model, c.pr.slug, c.sid, t)
		if g.r.IntN(60) == 0 && c.agent == "" {
			g.subagent(c.h, agents, c.claudeState, c.pr, c.put)
		}
		if c.ctx > 165000 { // compaction
			c.ctx, c.cached = int64(g.lognorm(24000, 0.2, 12000, 40000)), 0
			b := g.claudeHead(c.claudeState)
			b = append(b, `"type":"system","subtype":"compact_boundary","content":"Conversation compacted","isMeta":false,"level":"info","compactMetadata":{"trigger":"auto","preTokens":165432}`...)
			c.put(g.claudeTail(b, c.claudeState), false)
		}
	}
}

// prompt writes a prompt by the person, who may choose another model with it.
func (c *claudeSession) prompt() {
	g := c.g
	if g.r.IntN(3) == 0 {
		c.l.line(fmt.Appendf(nil, `{"type":"file-history-snapshot","messageId":"%s","snapshot":{"messageId":"%s","trackedFileBackups":{},"timestamp":"%s"},"isSnapshotUpdate":false}`, g.uuid(), g.uuid(), c.ts.Format(iso)), false)
	}
	c.ts = c.ts.Add(time.Duration(20+g.r.IntN(240)) * time.Second)
	b := g.claudeHead(c.claudeState)
	b = append(b, `"type":"user","message":{"role":"user","content":"`...)
	b = append(b, g.p.text(g.r, g.lognorm(180, 1.2, 20, 20000))...)
	b = append(b, `"}`...)
	c.put(g.claudeTail(b, c.claudeState), false)
	if g.r.IntN(10) == 0 {
		c.model = g.claudeModel()
	}
}

// ending writes what now and then stands at the end of a file: an error of the API,
// an empty line, a line that was cut.
func (c *claudeSession) ending() {
	g := c.g
	if g.r.IntN(50) == 0 {
		b := g.claudeHead(c.claudeState)
		b = append(b, `"message":{"id":"`+g.uuid()+`","model":"<synthetic>","role":"assistant","stop_reason":"stop_sequence","stop_sequence":"","type":"message",`...)
		b = usageJSON(b, 0, 0, 0, 0, 0)
		b = append(b, `,"content":[{"type":"text","text":"API Error: 529 overloaded"}]},"isApiErrorMessage":true,"type":"assistant"`...)
		c.l.line(g.claudeTail(b, c.claudeState), true)
		c.h.Traps["claude_synthetic_lines"]++
	}
	if g.r.IntN(40) == 0 {
		c.l.raw([]byte("\n"))
		c.h.Traps["claude_blank_lines"]++
	}
	if g.r.IntN(50) == 0 {
		b := g.claudeHead(c.claudeState)
		b = append(b, `"message":{"model":"`+c.model+`","id":"msg_torn","type":"message","role":"assistant","content":[{"type":"text","text":"abc`...)
		c.l.raw(b)
		c.h.Traps["claude_torn_last_lines"]++
	}
}
