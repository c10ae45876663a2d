package corpus

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

func (g *gen) opencode(h *Part, target int64, projs []projInfo) {
	root := filepath.Join(g.out, ".local", "share", "opencode")
	w := newStore(filepath.Join(root, "opencode.db"))
	write := func(path, s string) {
		must(os.MkdirAll(filepath.Dir(path), 0o755))
		must(os.WriteFile(path, []byte(s), 0o644))
		h.Files++
		h.Bytes += int64(len(s))
	}
	models := [][2]string{{"anthropic", "claude-sonnet-4-5"}, {"openai", "gpt-5.1-codex"}, {"opencode", "glm-4.6"}, {"openrouter", "qwen/qwen3-coder"}}
	seq := 0
	for h.Bytes < target {
		ts := g.sessionStart()
		pr := projs[g.r.IntN(len(projs))]
		seq++
		sid := fmt.Sprintf("ses_%012x%s", ts.UnixMilli(), g.id("", 14))
		legacy := g.r.IntN(4) == 0
		both := legacy && g.r.IntN(4) == 0
		pid := g.hex(40)
		title := "New session - " + ts.Format(iso)
		if legacy {
			write(filepath.Join(root, "storage", "session", pid, sid+".json"), fmt.Sprintf(`{"id":"%s","version":"1.0.85","projectID":"%s","directory":"%s","title":"%s","time":{"created":%d,"updated":%d}}`, sid, pid, pr.cwd, title, ts.UnixMilli(), ts.UnixMilli()))
		}
		if !legacy || both {
			w.session(sid, pid, "s"+strconv.Itoa(seq), pr.cwd, title, ts.UnixMilli())
		}
		m := models[g.r.IntN(len(models))]
		ctx := int64(g.lognorm(10000, 0.3, 5000, 20000))
		var cached int64
		n := g.lognorm(14, 1.0, 1, 300)
		for i := 0; i < n && h.Bytes < target; i++ {
			emit := func(mid, data string, parts []string, usage bool) {
				ms := ts.UnixMilli()
				if legacy {
					write(filepath.Join(root, "storage", "message", sid, mid+".json"), `{"id":"`+mid+`","sessionID":"`+sid+`",`+data[1:])
					for _, p := range parts {
						id := g.id("prt_", 26)
						write(filepath.Join(root, "storage", "part", mid, id+".json"), `{"id":"`+id+`","messageID":"`+mid+`","sessionID":"`+sid+`",`+p[1:])
					}
				}
				if !legacy || both {
					w.message(mid, sid, ms, data)
					for _, p := range parts {
						w.part(g.id("prt_", 26), mid, sid, ms, p)
						h.Bytes += int64(len(p)) + 150
					}
					h.Bytes += int64(len(data)) + 120
					if both && usage {
						h.Traps["opencode_in_both_stores"]++
					}
				}
				h.Lines++
				if usage {
					h.UsageLines++
					h.UsageBytes += int64(len(data))
				}
			}
			if i == 0 || g.r.IntN(6) == 0 {
				ts = ts.Add(time.Duration(20+g.r.IntN(200)) * time.Second)
				emit(fmt.Sprintf("msg_%012x%s", ts.UnixMilli(), g.id("", 14)), fmt.Sprintf(`{"role":"user","time":{"created":%d},"agent":"build","model":{"providerID":"%s","modelID":"%s"}}`, ts.UnixMilli(), m[0], m[1]),
					[]string{`{"type":"text","text":"` + string(g.p.text(g.r, g.lognorm(200, 1, 20, 9000))) + `"}`}, false)
			}
			ts = ts.Add(time.Duration(g.lognorm(8000, 0.9, 700, 300000)) * time.Millisecond)
			out := int64(g.lognorm(240, 1.0, 4, 16000))
			var rs int64
			if m[0] == "openai" {
				rs = out * int64(g.r.IntN(70)) / 100
			}
			in, rd, wr := ctx-cached, cached, int64(0)
			if m[0] == "anthropic" {
				in, wr = int64(3+g.r.IntN(9)), ctx-cached
			}
			cached = ctx
			mid := fmt.Sprintf("msg_%012x%s", ts.UnixMilli(), g.id("", 14))
			tx := g.p.text(g.r, g.lognorm(2200, 1.4, 20, 120000))
			done := ts.UnixMilli() + int64(g.r.IntN(9000))
			if done/864e5 != ts.UnixMilli()/864e5 { // keep the UTC day of a request free of doubt
				done = ts.UnixMilli()
			}
			// OpenCode logs output without reasoning
			data := fmt.Sprintf(`{"role":"assistant","time":{"created":%d,"completed":%d},"parentID":"msg_x","modelID":"%s","providerID":"%s","mode":"build","agent":"build","path":{"cwd":"%s","root":"%s"},"cost":%.6f,"tokens":{"input":%d,"output":%d,"reasoning":%d,"cache":{"read":%d,"write":%d}},"finish":"tool-calls"}`,
				ts.UnixMilli(), done, m[1], m[0], pr.cwd, pr.cwd, float64(in*3+out*15)/1e6, in, out-rs, rs, rd, wr)
			emit(mid, data, []string{
				`{"type":"step-start","snapshot":"` + g.hex(40) + `"}`,
				`{"type":"tool","callID":"` + g.id("call_", 20) + `","tool":"read","state":{"status":"completed","input":{"filePath":"` + pr.cwd + `/main.go"},"output":"` + string(tx) + `","title":"main.go","metadata":{"preview":"` + string(g.p.text(g.r, 200)) + `"},"time":{"start":` + strconv.FormatInt(ts.UnixMilli(), 10) + `,"end":` + strconv.FormatInt(ts.UnixMilli()+40, 10) + `}}}`,
				fmt.Sprintf(`{"type":"step-finish","reason":"tool-calls","cost":0.01,"tokens":{"input":%d,"output":%d,"reasoning":%d,"cache":{"read":%d,"write":%d}}}`, in, out-rs, rs, rd, wr),
			}, true)
			t := Tok{Requests: 1, Input: in, Output: out, Reasoning: rs, CacheRead: rd, CacheWrite: wr, Total: in + out + rd + wr}
			h.count(ts, m[1], pr.cwd, sid, t)
			h.Naive.add(t)
			h.FirstWins.add(t)
			if both {
				h.Naive.add(t)
			}
			ctx += out + int64(len(tx))/4
			if ctx > 170000 {
				ctx, cached = 15000, 0
			}
		}
	}
	w.close()
	h.Files++
}
