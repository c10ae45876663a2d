package hooks

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"meterbridge"
	"meterbridge/agents"
	"meterbridge/agents/status"
	"meterbridge/harnesses/all"
)

const token = "spawn-token"

// world is a desk with one agent, and what was published of it.
type world struct {
	desk  *Desk
	agent agents.Info

	mu    sync.Mutex
	told  []string
	hand  map[string]agents.Info
	bound []string
}

func newWorld(harness string, now func() time.Time) *world {
	w := &world{hand: map[string]agents.Info{}}
	w.agent.Agent = meterbridge.Agent{ID: "ag-1", Harness: harness, Kind: meterbridge.AIAgent, Origin: meterbridge.Started}
	w.desk = New(Options{
		Harnesses: all.Harnesses(), Publisher: w, Registry: w, Now: now, MachineToken: "machine-token", Listen: w.heard,
		Spawn: func(t string) (Spawn, bool) { return Spawn{Agent: "ag-1", Generation: w.agent.Generation}, t == token },
	})
	return w
}

func (w *world) note(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.told = append(w.told, strings.TrimSpace(fmt.Sprintf(format, args...)))
}

// Publish implements Publisher.
func (w *world) Publish(id string, _ int, p agents.Publication) {
	turn := p.Turn
	if i := strings.LastIndexByte(turn, '#'); i >= 0 {
		turn = turn[i+1:] // of session########n
	} else if len(turn) > 4 {
		turn = turn[len(turn)-4:]
	}
	if id != "ag-1" {
		id += " "
	} else {
		id = ""
	}
	w.note("%s%s %s %s", id, p.Status, turn, p.Detail)
}

func (w *world) Exited(id string, _ int, _ time.Time, _ meterbridge.Count) { w.note("%s exited", id) }

func (w *world) Bind(_, session string, _ meterbridge.BindingSource, _ time.Time) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.bound = append(w.bound, session)
	return nil
}

func (w *world) Hooked(harness, session, _, _ string) (agents.Info, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	a, ok := w.hand[session]
	if !ok {
		a.Agent = meterbridge.Agent{
			ID: fmt.Sprintf("hand-%d", len(w.hand)+1), Harness: harness, Kind: meterbridge.AIAgent, Origin: meterbridge.Hooked, Generation: 1,
		}
		a.Bindings = []meterbridge.Binding{{Session: session, Generation: 1}}
		w.hand[session] = a
	}
	return a, nil
}

func (w *world) Get(string) (agents.Info, error) { return w.agent, nil }

func (w *world) heard(e status.Event) {
	if e.Kind == status.PromptTaken && e.Queued && e.Prompt != "" {
		w.note("queued %s", strings.ReplaceAll(e.Prompt, "\n", " "))
	}
}

// spawn begins the agent's next process.
func (w *world) spawn(session string) {
	w.agent.Generation++
	w.agent.Bindings = []meterbridge.Binding{{Session: session, Generation: w.agent.Generation}}
	if session == "" {
		w.agent.Bindings = nil
	}
	w.desk.Heard(agents.Event{Agent: w.agent})
}

func (w *world) post(t *testing.T, harness, bearer string, payload []byte) string {
	t.Helper()
	r := httptest.NewRequest("POST", Prefix+harness, bytes.NewReader(payload))
	r.Header.Set("Authorization", "Bearer "+bearer)
	answer := httptest.NewRecorder()
	w.desk.Handler().ServeHTTP(answer, r)
	if answer.Code != 200 {
		t.Fatalf("POST %s answered %d %s", payload, answer.Code, answer.Body)
	}
	return answer.Body.String()
}

// run runs fn in a bubble of time that begins at the recordings'.
func run(t *testing.T, harness string, begin time.Time, fn func(t *testing.T, w *world)) *world {
	t.Helper()
	var w *world
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		w = newWorld(harness, func() time.Time { return begin.Add(time.Since(start)) })
		ctx, stop := context.WithCancel(t.Context())
		var ended sync.WaitGroup
		ended.Go(func() { w.desk.Run(ctx) })
		fn(t, w)
		synctest.Wait()
		stop()
		ended.Wait()
	})
	return w
}

func payloads(t *testing.T, name string) [][]byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	var list [][]byte
	for s := bufio.NewScanner(bytes.NewReader(text)); s.Scan(); {
		list = append(list, bytes.Clone(s.Bytes()))
	}
	return list
}

// payload is what the replay itself looks at.
type payload struct {
	Event   string `json:"hook_event_name"`
	Source  string `json:"source"`
	Session string `json:"session_id"`
	Command string `json:"-"`
}

// replay posts the payloads of a recording, a second apart; each startup is a
// process of its own, which is given its session only where the harness takes one.
func replay(t *testing.T, w *world, harness string, list [][]byte, gives bool) {
	t.Helper()
	for _, text := range list {
		var p payload
		if err := json.Unmarshal(text, &p); err != nil {
			t.Fatal(err)
		}
		if p.Event == "SessionStart" && p.Source == "startup" || w.agent.Generation == 0 {
			session := p.Session
			if !gives {
				session = ""
			}
			w.spawn(session)
		}
		if got := w.post(t, harness, token, text); got != "{}" {
			t.Errorf("%s answered %s", p.Event, got)
		}
		<-time.After(time.Second)
		synctest.Wait()
	}
}

func TestReplay_OfTheRealHarnesses(t *testing.T) {
	begin := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	const touch = "wants to run: touch created-by-tool.txt"
	for _, c := range []struct {
		harness, file string
		gives         bool
		want, bound   []string
	}{
		{
			"claude-code", "claude-code.jsonl", true,
			[]string{
				"idle", "working ca9c", "finished ca9c", "working 064a", "finished 064a", "working 7a68", "finished 7a68",
				// A prompt that is queued behind a turn has the turn's id, and its own turn a new one.
				"working 51a6", "queued LAB:plain raw1 raw2", "finished 51a6", "working ede5", "finished ede5",
				// An interrupt, which nothing tells.
				"working 1344",
				"idle",
				// A dialog that is answered after the reminder, and one before it.
				"working f42c", "needs-input f42c Claude " + touch, "working f42c", "finished f42c",
				"working e908", "needs-input e908 Claude " + touch, "working e908", "finished e908",
				// A failure of the API, a refusal (which nothing tells), a dialog that is open at the end.
				"working 3669", "finished 3669 Claude stopped: API error (unknown)",
				"working 494d", "needs-input 494d Claude " + touch, "working c480", "needs-input c480 Claude " + touch,
				"idle", "working 5deb", "working ec5a", "finished ec5a", "working d2d8", "finished d2d8", "working 6bd8", "finished 6bd8",
				"working cadc", "finished cadc",
			},
			[]string{
				"99999999-9999-4999-8999-999999999999", "aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa", "bbbbbbbb-bbbb-4bbb-8bbb-bbbbbbbbbbbb",
				"b5e32a18-0be1-4b0c-bbbc-6a348cbf4c47", // after /clear
			},
		},
		{
			"codex-cli", "codex-cli.jsonl", false,
			[]string{
				"idle", "working 8f0e", "finished 8f0e", "idle", "working a101", "finished a101",
				// A turn whose end nothing tells, and a prompt that steers the next one.
				"working 2009", "working 27be", "queued LAB:plain while busy", "finished 27be",
				"working 4da1", "needs-input 4da1 Bash — touch created-by-tool.txt", "working 4da1", "finished 4da1",
				"working 056a", "needs-input 056a Bash — touch created-by-tool.txt",
				"idle", "working 81ab", "finished 81ab", "working 2fda", "finished 2fda", "working 050b", "finished 050b", "working 45d7", "finished 45d7",
			},
			[]string{"01a22c3a-bbb0-72b2-9d2f-a1429965af0e", "01a22c3c-6998-72c3-91de-69245d47bb73", "01a22c41-a95b-7c81-833b-3c11c52f4769"},
		},
		{"codex-cli", "codex-cli-interrupt.jsonl", false, []string{"idle", "working 0a20", "idle 0a20"}, []string{"01a22c45-9cdb-77e2-a0b3-aa97c396fa11"}},
		{
			"qwen-code", "qwen-code.jsonl", true,
			[]string{
				"idle", "working 0", "needs-input 0 Qwen Code " + touch, "working 0", "finished 0",
				"working 1", "finished 1", "working 2", "finished 2", "working 3", "finished 3", "working 4", "finished 4",
			},
			[]string{"78badceb-5ed4-4f9b-be53-713e980038bc"},
		},
		{
			"gemini-cli", "gemini-cli.jsonl", false,
			[]string{
				"idle", "working", "needs-input  Gemini " + touch, "working", "finished",
				"working", "finished", "working", "finished", "working", "finished", "working", "finished",
			},
			[]string{"fd049d0d-e594-400a-ade3-28d5e2ecb54e"},
		},
	} {
		t.Run(c.file, func(t *testing.T) {
			w := run(t, c.harness, begin, func(t *testing.T, w *world) { replay(t, w, c.harness, payloads(t, c.file), c.gives) })
			if diff := cmp.Diff(c.want, w.told); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if diff := cmp.Diff(c.bound, w.bound); diff != "" {
				t.Errorf("bound (-want +got)\n%s", diff)
			}
		})
	}
}
