package hooks

import (
	"fmt"
	"io"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"meterbridge/internal/hooks/forward"
)

var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

func claude(event, session, rest string) []byte {
	return []byte(fmt.Sprintf(`{"hook_event_name":%q,"session_id":%q%s}`, event, session, rest))
}

func TestEndpoint_RefusesAndTolerates(t *testing.T) {
	w := newWorld("claude-code", time.Now)
	defer w.desk.close()
	w.spawn("s")
	for _, c := range []struct {
		name, method, path, auth, body string
		code                           int
		answer                         string
	}{
		{"no token", "POST", "/hooks/claude-code", "", "{}", 401, ""},
		{"another token", "POST", "/hooks/claude-code", "Bearer x", "{}", 401, ""},
		{"the machine's token", "POST", "/hooks/claude-code", "Bearer machine-token", "{}", 200, "{}"},
		{"a good one", "POST", "/hooks/claude-code", "Bearer " + token, "{}", 200, "{}"},
		{"no JSON", "POST", "/hooks/claude-code", "Bearer " + token, "not json", 200, "{}"},
		{"nothing", "POST", "/hooks/claude-code", "Bearer " + token, "", 200, "{}"},
		{"a byte order mark", "POST", "/hooks/claude-code", "Bearer " + token, "\ufeff" + string(claude("UserPromptSubmit", "s", `,"prompt_id":"p"`)), 200, "{}"},
		{"a harness without hooks", "POST", "/hooks/unheard-of", "Bearer " + token, "{}", 200, "{}"},
		{"another method", "GET", "/hooks/claude-code", "Bearer " + token, "", 405, ""},
		{"too much", "POST", "/hooks/claude-code", "Bearer " + token, strings.Repeat(" ", MaxBody+1), 413, ""},
		{"as much as there may be", "POST", "/hooks/claude-code", "Bearer " + token, strings.Repeat(" ", MaxBody), 200, "{}"},
	} {
		r := httptest.NewRequest(c.method, c.path, strings.NewReader(c.body))
		if c.auth != "" {
			r.Header.Set("Authorization", c.auth)
		}
		got := httptest.NewRecorder()
		w.desk.Handler().ServeHTTP(got, r)
		if got.Code != c.code || c.answer != "" && got.Body.String() != c.answer {
			t.Errorf("%s: answered %d %s, want %d %s", c.name, got.Code, got.Body, c.code, c.answer)
		}
	}
	if i, _ := w.desk.Info("ag-1"); i.Status != "working" {
		t.Errorf("after the byte order mark the status is %s, want working", i.Status)
	}
}

func TestEndpoint_AnEarlierProcessSaysNothingAndIsAnswered(t *testing.T) {
	w := run(t, "claude-code", noon, func(t *testing.T, w *world) {
		w.agent.Dangerous = true
		w.spawn("s")
		w.agent.Generation++ // the token is of the first process
		w.agent.Bindings[0].Generation = 2
		w.desk.o.Spawn = func(string) (Spawn, bool) { return Spawn{"ag-1", 1}, true }
		ask := w.post(t, "claude-code", token, claude("PermissionRequest", "s", `,"prompt_id":"p","tool_name":"Bash"`))
		if !strings.Contains(ask, `"allow"`) {
			t.Errorf("a dangerous agent's permission was answered %s", ask)
		}
		w.post(t, "claude-code", token, claude("UserPromptSubmit", "s", `,"prompt_id":"p"`))
	})
	if diff := cmp.Diff([]string{"idle", "idle"}, w.told); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestEndpoint_ADangerousAgentIsAllowedAndNobodyAsked(t *testing.T) {
	w := run(t, "claude-code", noon, func(t *testing.T, w *world) {
		w.agent.Dangerous = true
		w.spawn("s")
		w.post(t, "claude-code", token, claude("UserPromptSubmit", "s", `,"prompt_id":"pppp"`))
		if got := w.post(t, "claude-code", token, claude("PermissionRequest", "s", `,"prompt_id":"pppp","tool_name":"Bash","permission_mode":"default"`)); got == "{}" {
			t.Error("the permission was not given")
		}
		w.post(t, "claude-code", token, claude("Notification", "s", `,"prompt_id":"pppp","notification_type":"permission_prompt","message":"m"`))
	})
	if diff := cmp.Diff([]string{"idle", "working pppp"}, w.told); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// A child that inherits the agent's environment must not flip its status
// (asheshgoplani/agent-deck, change #1481).
func TestEndpoint_AChildWithTheSameTokenIsAnotherAgent(t *testing.T) {
	w := run(t, "claude-code", noon, func(t *testing.T, w *world) {
		w.spawn("own-session")
		w.post(t, "claude-code", token, claude("UserPromptSubmit", "own-session", `,"prompt_id":"pppp"`))
		w.post(t, "claude-code", token, claude("SessionStart", "child", `,"source":"startup"`))
		w.post(t, "claude-code", token, claude("UserPromptSubmit", "child", `,"prompt_id":"cccc"`))
		w.post(t, "claude-code", token, claude("Stop", "child", `,"prompt_id":"cccc"`))
		w.post(t, "claude-code", token, claude("SessionEnd", "child", `,"reason":"other"`))
	})
	want := []string{"idle", "working pppp", "hand-1 idle", "hand-1 working cccc", "hand-1 finished cccc", "hand-1 exited"}
	if diff := cmp.Diff(want, w.told); diff != "" && !sameWords(want, w.told) {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// sameWords forgives the order between agents: an end is told at once, the rest by
// the desk's own loop.
func sameWords(want, got []string) bool {
	if len(want) != len(got) {
		return false
	}
	count := map[string]int{}
	for i := range want {
		count[want[i]]++
		count[got[i]]--
	}
	for _, n := range count {
		if n != 0 {
			return false
		}
	}
	return true
}

func TestEndpoint_TheMachinesTokenLetsTheSessionDecide(t *testing.T) {
	w := run(t, "qwen-code", noon, func(t *testing.T, w *world) {
		w.post(t, "qwen-code", "machine-token", claude("UserPromptSubmit", "a", `,"prompt_id":"a########0"`))
		synctest.Wait()
		w.post(t, "qwen-code", "machine-token", claude("UserPromptSubmit", "b", `,"prompt_id":"b########0"`))
		synctest.Wait()
		w.post(t, "qwen-code", "machine-token", claude("Stop", "a", `,"prompt_id":"a########0"`))
		w.post(t, "qwen-code", "machine-token", claude("Stop", "", ""))
	})
	want := []string{"hand-1 idle", "hand-1 working 0", "hand-2 idle", "hand-2 working 0", "hand-1 finished 0"}
	if diff := cmp.Diff(want, w.told); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// transcriptUntil is the recorded transcript up to the n-th line that contains mark.
func transcriptUntil(t *testing.T, mark string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "claude-code-transcript.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	i := strings.Index(string(text), mark)
	if i < 0 {
		t.Fatalf("%q is not in the transcript", mark)
	}
	return text[:i+strings.IndexByte(string(text[i:]), '\n')+1]
}

// An interrupt sends no hook: the recorded transcript alone shows it.
func TestEndpoint_TheTranscriptShowsAnInterrupt(t *testing.T) {
	const session = "bbbbbbbb-bbbb-4bbb-8bbb-bbbbbbbbbbbb"
	begin := time.Date(2026, 11, 30, 11, 32, 52, 900e6, time.UTC) // the prompt is of 11:32:52.949
	dir := filepath.Join(t.TempDir(), "projects", "-home-dev-demo")
	path := filepath.Join(dir, session+".jsonl")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	w := run(t, "claude-code", begin, func(t *testing.T, w *world) {
		w.spawn(session)
		prompt := claude("UserPromptSubmit", session, fmt.Sprintf(`,"prompt_id":"175a9036-258e-4ef6-8787-caeba00d5deb","transcript_path":%q`, path))
		w.post(t, "claude-code", token, prompt)
		if err := os.WriteFile(path, transcriptUntil(t, "LAB:slow esc then wait"), 0o600); err != nil {
			t.Fatal(err)
		}
		<-time.After(1900 * time.Millisecond) // interrupted at 11:32:54.968
		if err := os.WriteFile(path, transcriptUntil(t, "[Request interrupted by user]"), 0o600); err != nil {
			t.Fatal(err)
		}
		<-time.After(2 * time.Second)
	})
	if diff := cmp.Diff([]string{"idle", "working 5deb", "idle 5deb"}, w.told); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// Vector 63 of the specification: an end that was held back while the transcript
// showed the turn is dropped when the next turn has begun.
func TestEndpoint_AHeldEndIsDroppedByANewTurn(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "projects", "p")
	path := filepath.Join(dir, "s.jsonl")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	var text string
	add := func(t *testing.T, ms int, rest string) {
		text += fmt.Sprintf(`{"timestamp":%q,%s}`+"\n", noon.Add(time.Duration(ms)*time.Millisecond).Format("2006-01-02T15:04:05.000Z"), rest)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	w := run(t, "claude-code", noon, func(t *testing.T, w *world) {
		hook := func(event, turn string) {
			w.post(t, "claude-code", token, claude(event, "s", fmt.Sprintf(`,"prompt_id":%q,"transcript_path":%q`, turn, path)))
			synctest.Wait()
		}
		w.spawn("s")
		hook("UserPromptSubmit", "one1")
		add(t, 10, `"type":"user","promptId":"one1","message":{"content":"one"}`)
		<-time.After(600 * time.Millisecond)
		hook("Stop", "one1")
		add(t, 900, `"type":"system","subtype":"turn_duration"`)
		<-time.After(500 * time.Millisecond) // the poll at 1,000
		hook("UserPromptSubmit", "two2")
		<-time.After(2 * time.Second) // the held end comes due
		add(t, 1300, `"type":"user","promptId":"two2","message":{"content":"two"}`)
		add(t, 3200, `"type":"assistant","message":{"stop_reason":"end_turn","content":[]}`)
		hook("Stop", "two2")
	})
	want := []string{"idle", "working one1", "finished one1", "working two2", "finished two2"}
	if diff := cmp.Diff(want, w.told); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// In modes that mostly answer by themselves a permission counts when it stays open.
func TestEndpoint_APermissionInAutoModeCountsAfterASecond(t *testing.T) {
	ask := `,"prompt_id":"pppp","tool_name":"Bash","tool_input":{"command":"ls"},"permission_mode":"auto"`
	w := run(t, "claude-code", noon, func(t *testing.T, w *world) {
		w.spawn("s")
		w.post(t, "claude-code", token, claude("UserPromptSubmit", "s", `,"prompt_id":"pppp"`))
		w.post(t, "claude-code", token, claude("PermissionRequest", "s", ask))
		<-time.After(900 * time.Millisecond)
		w.post(t, "claude-code", token, claude("PostToolUse", "s", ask)) // answered by itself
		<-time.After(5 * time.Second)
		w.post(t, "claude-code", token, claude("PermissionRequest", "s", ask))
		<-time.After(1100 * time.Millisecond)
	})
	if diff := cmp.Diff([]string{"idle", "working pppp", "needs-input pppp Claude wants to run: ls"}, w.told); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// While a question is open another tool may end, and a sub-agent's may too.
func TestEndpoint_AnotherToolsEndAnswersNoQuestion(t *testing.T) {
	w := run(t, "claude-code", noon, func(t *testing.T, w *world) {
		tool := func(event, command, rest string) {
			w.post(t, "claude-code", token, claude(event, "s", fmt.Sprintf(
				`,"prompt_id":"pppp","permission_mode":"default","tool_name":"Bash","tool_input":{"command":%q}%s`, command, rest)))
			synctest.Wait()
		}
		w.spawn("s")
		tool("UserPromptSubmit", "", "")
		tool("PermissionRequest", "rm x", "")
		tool("PostToolUse", "ls", "")
		tool("PostToolUse", "rm x", `,"agent_id":"sub","agent_type":"general"`)
		w.note("still open")
		tool("PostToolUse", "rm x", "")
	})
	want := []string{"idle", "working pppp", "needs-input pppp Claude wants to run: rm x", "still open", "working pppp"}
	if diff := cmp.Diff(want, w.told); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// What an agent's hooks told while the daemon was down is taken by the next one: a
// turn that ended meanwhile would seem to run for ever.
func TestSpool_OfAnAgentThatRunsOn(t *testing.T) {
	spool := filepath.Join(t.TempDir(), "spool")
	env := func(name string) string {
		return map[string]string{"METERBRIDGE_AGENT": "ag-1", "METERBRIDGE_GENERATION": "1"}[name]
	}
	forward.Command([]string{"claude-code"}, forward.Places{Spool: spool}, env, strings.NewReader(string(claude("Stop", "s", `,"prompt_id":"pppp"`))), io.Discard)
	forward.Command([]string{"claude-code", "x"}, forward.Places{Spool: spool}, func(string) string { return "" }, strings.NewReader(string(claude("UserPromptSubmit", "hand", `,"prompt_id":"hhhh"`))), io.Discard)
	w := run(t, "claude-code", noon, func(t *testing.T, w *world) {
		w.agent.Status, w.agent.StatusAt = "working", noon.Add(-time.Hour)
		w.spawn("s")
		if err := w.desk.TakeSpool(spool); err != nil {
			t.Fatal(err)
		}
	})
	if diff := cmp.Diff([]string{"working pppp", "finished pppp", "hand-1 idle", "hand-1 working hhhh"}, w.told); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
