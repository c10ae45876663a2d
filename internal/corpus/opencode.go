package corpus

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

func opencodeModels() [][2]string {
	return [][2]string{{"anthropic", "claude-sonnet-4-5"}, {"openai", "gpt-5.1-codex"}, {"opencode", "glm-4.6"}, {"openrouter", "qwen/qwen3-coder"}}
}

// opencodeSession is a session that is being written.
type opencodeSession struct {
	g    *gen
	h    *Part
	w    *store
	root string
	ts   time.Time
	pr   projInfo
	sid  string
	// legacy: its messages are files; both: and rows of the database too.
	legacy, both bool
	// provider and model answer.
	provider, model string
	// ctx are the tokens in the context, cached those of them that are in the cache.
	ctx, cached int64
}

func (g *gen) opencode(h *Part, target int64, projs []projInfo) {
	root := filepath.Join(g.out, ".local", "share", "opencode")
	w := newStore(filepath.Join(root, "opencode.db"))
	for seq := 1; h.Bytes < target; seq++ {
		s := &opencodeSession{g: g, h: h, w: w, root: root, ts: g.sessionStart(), pr: projs[g.r.IntN(len(projs))]}
		s.sid = s.id("ses_")
		s.legacy = g.r.IntN(4) == 0
		s.both = s.legacy && g.r.IntN(4) == 0
		s.begin(seq)
		models := opencodeModels()
		m := models[g.r.IntN(len(models))]
		s.provider, s.model = m[0], m[1]
		s.ctx = int64(g.lognorm(10000, 0.3, 5000, 20000))
		n := g.lognorm(14, 1.0, 1, 300)
		for i := 0; i < n && h.Bytes < target; i++ {
			if i == 0 || g.r.IntN(6) == 0 {
				s.prompt()
			}
			s.request()
		}
	}
	w.close()
	h.Files++
}

// id is one that begins with the session's time.
func (s *opencodeSession) id(prefix string) string {
	return fmt.Sprintf("%s%012x%s", prefix, s.ts.UnixMilli(), s.g.id("", 14))
}

// begin writes the session itself.
func (s *opencodeSession) begin(seq int) {
	pid, title, ms := s.g.hex(40), "New session - "+s.ts.Format(iso), s.ts.UnixMilli()
	if s.legacy {
		s.file(filepath.Join("session", pid, s.sid), fmt.Sprintf(`{"id":"%s","version":"1.0.85","projectID":"%s","directory":"%s","title":"%s","time":{"created":%d,"updated":%d}}`, s.sid, pid, s.pr.cwd, title, ms, ms))
	}
	if !s.legacy || s.both {
		s.w.session(s.sid, pid, "s"+strconv.Itoa(seq), s.pr.cwd, title, ms)
	}
}

// file writes a document of the older store.
func (s *opencodeSession) file(name, text string) {
	path := filepath.Join(s.root, "storage", name+".json")
	must(os.MkdirAll(filepath.Dir(path), 0o755))
	must(os.WriteFile(path, []byte(text), 0o644))
	s.h.Files++
	s.h.Bytes += int64(len(text))
}

// message writes a message and its parts into the stores of the session.
func (s *opencodeSession) message(mid, data string, parts []string, usage bool) {
	g, h, ms := s.g, s.h, s.ts.UnixMilli()
	if s.legacy {
		s.file(filepath.Join("message", s.sid, mid), `{"id":"`+mid+`","sessionID":"`+s.sid+`",`+data[1:])
		for _, p := range parts {
			id := g.id("prt_", 26)
			s.file(filepath.Join("part", mid, id), `{"id":"`+id+`","messageID":"`+mid+`","sessionID":"`+s.sid+`",`+p[1:])
		}
	}
	if !s.legacy || s.both {
		s.w.message(mid, s.sid, ms, data)
		for _, p := range parts {
			s.w.part(g.id("prt_", 26), mid, s.sid, ms, p)
			h.Bytes += int64(len(p)) + 150
		}
		h.Bytes += int64(len(data)) + 120
		if s.both && usage {
			h.Traps["opencode_in_both_stores"]++
		}
	}
	h.Lines++
	if usage {
		h.UsageLines++
		h.UsageBytes += int64(len(data))
	}
}

func (s *opencodeSession) prompt() {
	g := s.g
	s.ts = s.ts.Add(time.Duration(20+g.r.IntN(200)) * time.Second)
	s.message(s.id("msg_"), fmt.Sprintf(`{"role":"user","time":{"created":%d},"agent":"build","model":{"providerID":"%s","modelID":"%s"}}`, s.ts.UnixMilli(), s.provider, s.model),
		[]string{`{"type":"text","text":"` + string(g.p.text(g.r, g.lognorm(200, 1, 20, 9000))) + `"}`}, false)
}

// request writes one API request, which calls a tool, with the tool's result.
func (s *opencodeSession) request() {
	g, h := s.g, s.h
	s.ts = s.ts.Add(time.Duration(g.lognorm(8000, 0.9, 700, 300000)) * time.Millisecond)
	t := s.spend()
	mid := s.id("msg_")
	tx := g.p.text(g.r, g.lognorm(2200, 1.4, 20, 120000))
	ms := s.ts.UnixMilli()
	done := ms + int64(g.r.IntN(9000))
	if done/864e5 != ms/864e5 { // keep the UTC day of a request free of doubt
		done = ms
	}
	// OpenCode logs output without reasoning
	tokens := fmt.Sprintf(`"tokens":{"input":%d,"output":%d,"reasoning":%d,"cache":{"read":%d,"write":%d}}`, t.Input, t.Output-t.Reasoning, t.Reasoning, t.CacheRead, t.CacheWrite)
	data := fmt.Sprintf(`{"role":"assistant","time":{"created":%d,"completed":%d},"parentID":"msg_x","modelID":"%s","providerID":"%s","mode":"build","agent":"build","path":{"cwd":"%s","root":"%s"},"cost":%.6f,%s,"finish":"tool-calls"}`,
		ms, done, s.model, s.provider, s.pr.cwd, s.pr.cwd, float64(t.Input*3+t.Output*15)/1e6, tokens)
	s.message(mid, data, []string{
		`{"type":"step-start","snapshot":"` + g.hex(40) + `"}`,
		`{"type":"tool","callID":"` + g.id("call_", 20) + `","tool":"read","state":{"status":"completed","input":{"filePath":"` + s.pr.cwd + `/main.go"},"output":"` + string(tx) + `","title":"main.go","metadata":{"preview":"` + string(g.p.text(g.r, 200)) + `"},"time":{"start":` + strconv.FormatInt(ms, 10) + `,"end":` + strconv.FormatInt(ms+40, 10) + `}}}`,
		`{"type":"step-finish","reason":"tool-calls","cost":0.01,` + tokens + `}`,
	}, true)
	h.count(s.ts, s.model, s.pr.cwd, s.sid, t)
	h.Naive.add(t)
	h.FirstWins.add(t)
	if s.both {
		h.Naive.add(t)
	}
	if s.ctx += t.Output + int64(len(tx))/4; s.ctx > 170000 {
		s.ctx, s.cached = 15000, 0
	}
}

// spend is what a request of the context as it is now takes.
func (s *opencodeSession) spend() Tok {
	g := s.g
	t := Tok{Requests: 1, Output: int64(g.lognorm(240, 1.0, 4, 16000)), Input: s.ctx - s.cached, CacheRead: s.cached}
	if s.provider == "openai" {
		t.Reasoning = t.Output * int64(g.r.IntN(70)) / 100
	}
	if s.provider == "anthropic" {
		t.Input, t.CacheWrite = int64(3+g.r.IntN(9)), s.ctx-s.cached
	}
	s.cached = s.ctx
	t.Total = t.Input + t.Output + t.CacheRead + t.CacheWrite
	return t
}
