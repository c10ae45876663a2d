package daemon

import (
	"bufio"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"meterbridge/dashboard"
	"meterbridge/dashboard/events"
)

// nextEvent reads events until one of that type comes.
func nextEvent(t *testing.T, r *bufio.Reader, kind events.Type) []byte {
	t.Helper()
	is := false
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			t.Fatalf("wait for %s: %v", kind, err)
		}
		if name, ok := strings.CutPrefix(line, "event: "); ok {
			is = strings.TrimSpace(name) == string(kind)
		}
		if data, ok := strings.CutPrefix(line, "data: "); ok && is {
			return []byte(data)
		}
	}
}

// What an agent writes to its log is told to a client that listens, and an answer
// that is asked for then has it.
func TestServe_TellsOfWhatIsAppended(t *testing.T) {
	m, err := OpenDemo(t.Context(), Options{Getenv: func(string) string { return "" }, OS: "linux", Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	c, end := startDaemon(t, m)
	defer func() {
		if err := end(); err != nil {
			t.Error(err)
		}
	}()
	defer c.Close()
	got, err := c.HTTP().Get("http://daemon/api/v1/events")
	if err != nil || got.StatusCode != http.StatusOK {
		t.Fatal(got, err)
	}
	defer got.Body.Close()
	r := bufio.NewReader(got.Body)
	if _, err := m.Scan(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	var health dashboard.Health
	for health.Status != dashboard.StatusOK {
		if err := json.Unmarshal(nextEvent(t, r, events.Health), &health); err != nil {
			t.Fatal(err)
		}
	}
	const id = "cccc9999-0000-4000-8000-000000000009"
	dir := filepath.Join(m.opts.Home, ".claude", "projects", "-srv-new")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	line := `{"type":"assistant","uuid":"u9","parentUuid":null,"isSidechain":false,"sessionId":"` + id + `","cwd":"/srv/new","version":"2.0.0",` +
		`"timestamp":"2026-10-06T10:00:00.000Z","requestId":"req_9","message":{"id":"msg_9","type":"message","role":"assistant",` +
		`"model":"claude-sonnet-4-5","stop_reason":"end_turn","content":[{"type":"text","text":"done"}],` +
		`"usage":{"input_tokens":11,"output_tokens":22,"cache_read_input_tokens":33,"cache_creation_input_tokens":44}}}` + "\n"
	if err := os.WriteFile(filepath.Join(dir, id+".jsonl"), []byte(line), 0o600); err != nil {
		t.Fatal(err)
	}
	var change events.UsageChange
	for !slices.Contains(change.Sessions, id) {
		if err := json.Unmarshal(nextEvent(t, r, events.Usage), &change); err != nil {
			t.Fatal(err)
		}
	}
	answer, err := c.HTTP().Get("http://daemon/api/v1/sessions/" + id + "/usage")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	var spent struct{ TotalTokens int64 }
	if err := json.NewDecoder(answer.Body).Decode(&spent); err != nil || spent.TotalTokens != 110 {
		t.Errorf("total %d, %v", spent.TotalTokens, err)
	}
	if change.Harness != "claude-code" || change.Revision == 0 || change.Revision > m.Revision() {
		t.Errorf("change %+v, revision %d", change, m.Revision())
	}
}
