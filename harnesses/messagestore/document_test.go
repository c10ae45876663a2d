package messagestore

import (
	"fmt"
	"io/fs"
	"path"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"meterbridge"
	"meterbridge/harnesses"
)

// folder is a store of files; read parses every source in it.
type folder map[string]string

func (f folder) fs() fs.FS {
	m := fstest.MapFS{}
	for name, text := range f {
		m[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return m
}

func (f folder) read(siblings fs.FS) *meterbridge.Batch {
	var b meterbridge.Batch
	h := product.Harness()
	for name, text := range f {
		if kind, ok := h.Claim(name); ok {
			h.Document(kind, harnesses.Options{Rel: name, Trace: true, Siblings: siblings}).Document([]byte(text), &b)
		}
	}
	return &b
}

// made is an id of a message or, inverted, of a session made at a time.
func made(prefix string, ms, n int64) string {
	bits := (ms*4096 + n) & (1<<48 - 1)
	if prefix == "ses" {
		bits = ^bits & (1<<48 - 1)
	}
	return fmt.Sprintf("%s_%012xAbCdEfGhIjKlMn", prefix, bits)
}

func (f folder) session(project, id string, created int64) {
	f[path.Join("storage/session", project, id+".json")] = fmt.Sprintf(`{"id":%q,"projectID":%q,"directory":"/srv/demo","title":"T","time":{"created":%d}}`, id, project, created)
}

func (f folder) message(session, id, text string) {
	f[path.Join("storage/message", session, id+".json")] = strings.Replace(text, "{", fmt.Sprintf(`{"id":%q,"sessionID":%q,`, id, session), 1)
}

func user(created int64) string {
	return fmt.Sprintf(`{"role":"user","time":{"created":%d}}`, created)
}

// forked is a store with a session and two forks of it, the second a fork of the
// first. name makes the ids.
func forked(name func(prefix string, ms, n int64) string) (f folder, a1, b1, c1 string) {
	const hour = int64(3_600_000)
	f = folder{}
	s1, s2, s3 := name("ses", t0, 1), name("ses", t0+hour, 1), name("ses", t0+2*hour, 1)
	f.session("p", s1, t0)
	f.session("p", s2, t0+hour)
	f.session("p", s3, t0+2*hour)
	u1 := name("msg", t0, 1)
	a1, b1, c1 = name("msg", t0+10, 2), name("msg", t0+hour+5000, 1), name("msg", t0+2*hour+5000, 1)
	f.message(s1, u1, user(t0))
	f["storage/part/"+u1+"/prt_1.json"] = `{"id":"prt_1","type":"text","text":"Go"}`
	f.message(s1, a1, answer(t0+10, t0+20, 5))
	copied := name("msg", t0+hour, 2)
	f.message(s2, copied, user(t0))
	f["storage/part/"+copied+"/prt_2.json"] = `{"id":"prt_2","type":"text","text":"Go"}`
	f.message(s2, name("msg", t0+hour, 3), answer(t0+10, t0+20, 5))
	f.message(s2, b1, answer(t0+hour+5000, t0+hour+6000, 6))
	f.message(s3, name("msg", t0+2*hour, 1), answer(t0+10, t0+20, 5))
	f.message(s3, name("msg", t0+2*hour, 2), answer(t0+hour+5000, t0+hour+6000, 6))
	f.message(s3, c1, answer(t0+2*hour+5000, t0+2*hour+6000, 7))
	return f, a1, b1, c1
}

func TestDocument_ForksCountOnce(t *testing.T) {
	n := 0
	plain := map[string]string{}
	makers := map[string]func(string, int64, int64) string{
		"ids with times": made,
		"ids with plain milliseconds": func(prefix string, ms, i int64) string {
			return fmt.Sprintf("%s_%012x%dXyZ", prefix, ms, i)
		},
		"ids without times": func(prefix string, ms, i int64) string {
			key := fmt.Sprint(prefix, ms, i)
			if plain[key] == "" {
				n++
				plain[key] = fmt.Sprintf("%s_q%d", prefix, n)
			}
			return plain[key]
		},
	}
	for name, maker := range makers {
		f, a1, b1, c1 := forked(maker)
		b := f.read(f.fs())
		want := map[string]int64{a1: 5, b1: 6, c1: 7}
		got := map[string]int64{}
		for _, r := range b.Requests {
			got[r.NativeID] += r.Tokens.Output.N
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got)\n%s", name, diff)
		}
		if len(b.Prompts) != 1 || b.Prompts[0].Preview != "Go" {
			t.Errorf("%s: prompts %v, want one", name, b.Prompts)
		}
	}
}

func TestDocument_WithoutNeighbours(t *testing.T) {
	f, _, _, _ := forked(made)
	b := f.read(nil)
	if len(b.Requests) != 6 || len(b.Prompts) != 0 || len(b.Problems) != 0 || len(b.Sessions) != 3 {
		t.Errorf("%d requests, %d prompts, %d problems, %d sessions", len(b.Requests), len(b.Prompts), len(b.Problems), len(b.Sessions))
	}
}

func TestDocument_PromptsOfSubAgentsAreTasks(t *testing.T) {
	f := folder{}
	f.session("p", "ses_1", t0)
	f["storage/session/q/ses_2.json"] = `{"id":"ses_2","parentID":"ses_1","title":"Look (@general subagent)","time":{"created":1}}`
	for _, ses := range []string{"ses_1", "ses_2", "ses_gone"} {
		f.message(ses, "msg_"+ses, user(t0))
		f["storage/part/msg_"+ses+"/prt_1.json"] = `{"type":"text","text":"from ` + ses + `"}`
	}
	got := map[string]bool{}
	for _, p := range f.read(f.fs()).Prompts {
		got[p.Preview] = true
	}
	if diff := cmp.Diff(map[string]bool{"from ses_1": true, "from ses_gone": true}, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestDocument_IdsOfTheFileStandInForThoseOfTheRecord(t *testing.T) {
	f := folder{"storage/message/ses_1/msg_1.json": "\xef\xbb\xbf" + answer(t0, t0+1, 5), "storage/session/p/ses_1.json": `{"title":"T"}`}
	b := f.read(f.fs())
	if len(b.Requests) != 1 || b.Requests[0].NativeID != "msg_1" || b.Requests[0].Session != "ses_1" || b.Sessions[0].ID != "ses_1" {
		t.Errorf("got %+v %+v", b.Requests, b.Sessions)
	}
}

func TestDocument_CutAnywhereIsAProblem(t *testing.T) {
	whole := answer(t0, t0+1, 5)
	for n := range whole {
		var b meterbridge.Batch
		newDocument(product, newKnown(), harnesses.Options{Rel: "storage/message/s/m.json"}).Document([]byte(whole[:n]), &b)
		if b.Len() != 0 || len(b.Problems) != 1 || b.Problems[0].Reason != "malformed-json" {
			t.Fatalf("cut at %d: %+v", n, b)
		}
	}
}

func TestDocument_PartsBesideADatabase(t *testing.T) {
	tool := `{"type":"tool","tool":"bash","callID":"c","state":{"status":"completed","time":{"start":1,"end":2}}}`
	f := folder{"storage/part/msg_1/prt_1.json": tool, "storage/part/msg_2/prt_2.json": tool}
	f.message("ses_1", "msg_1", strings.Replace(answer(t0, t0+1, 5), "{", `{"finish":"tool-calls",`, 1))
	f.message("ses_1", "msg_2", answer(t0, t0+1, 5))
	beside := folder{"demo-dev.db": ""}
	for name, text := range f {
		beside[name] = text
	}
	b := f.read(beside.fs())
	if len(b.ToolCalls) != 2 || len(b.Requests) != 2 {
		t.Errorf("beside one %d tool calls and %d requests, want 2 and 2", len(b.ToolCalls), len(b.Requests))
	}
}
