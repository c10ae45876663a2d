package forward

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func none(string) string { return "" }

func variables(pairs ...string) func(string) string {
	return func(name string) string {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1]
			}
		}
		return ""
	}
}

// server takes payloads and answers with what it is given.
func server(t *testing.T, answer func(w http.ResponseWriter, path, auth, body string)) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		answer(w, r.URL.Path, r.Header.Get("Authorization"), string(body))
	}))
	t.Cleanup(s.Close)
	return s
}

func TestCommand_AnswersWhateverHappens(t *testing.T) {
	yes := server(t, func(w http.ResponseWriter, path, auth, body string) {
		if path != "/hooks/codex-cli" || auth != "Bearer tok" {
			w.WriteHeader(401)
			return
		}
		fmt.Fprintf(w, `{"echo":%s}`, body)
	})
	down := "http://127.0.0.1:1/hooks"
	for _, c := range []struct {
		name    string
		args    []string
		env     func(string) string
		in      string
		want    string
		spooled int
	}{
		{"an agent", []string{"codex-cli"}, variables("METERBRIDGE_HOOK_URL", yes.URL+"/hooks", "METERBRIDGE_HOOK_TOKEN", "tok"), `{"a":1}`, `{"echo":{"a":1}}`, 0},
		{"a wrong token", []string{"codex-cli"}, variables("METERBRIDGE_HOOK_URL", yes.URL+"/hooks", "METERBRIDGE_HOOK_TOKEN", "no"), `{}`, "{}", 0},
		{"no daemon", []string{"codex-cli"}, variables("METERBRIDGE_HOOK_URL", down, "METERBRIDGE_HOOK_TOKEN", "tok"), `{"a":1}`, "{}", 1},
		{"no address", []string{"codex-cli"}, none, `{"a":1}`, "{}", 1},
		{"a broken address", []string{"codex-cli"}, variables("METERBRIDGE_HOOK_URL", "::", "METERBRIDGE_HOOK_TOKEN", "tok"), `{}`, "{}", 1},
		{"no harness", nil, none, `{}`, "{}", 0},
		{"no id", []string{"../x y"}, none, `{}`, "{}", 0},
		{"a user's entry in an agent of ours", []string{"codex-cli", "--user"}, variables("METERBRIDGE_AGENT", "ag-1"), `{}`, "{}", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := Places{Socket: filepath.Join(t.TempDir(), "no.sock"), Token: filepath.Join(t.TempDir(), "none"), Spool: filepath.Join(t.TempDir(), "spool")}
			var out bytes.Buffer
			Command(c.args, p, c.env, strings.NewReader(c.in), &out)
			if got := strings.TrimSpace(out.String()); got != c.want {
				t.Errorf("printed %s, want %s", got, c.want)
			}
			list, err := Take(p.Spool)
			if err != nil || len(list) != c.spooled {
				t.Errorf("spooled %d (%v), want %d", len(list), err, c.spooled)
			}
		})
	}
}

func TestCommand_UsesTheSocketWithTheMachinesToken(t *testing.T) {
	dir, err := os.MkdirTemp("", "mb")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	p := Places{Socket: filepath.Join(dir, "s"), Token: filepath.Join(dir, "t"), Spool: filepath.Join(dir, "spool")}
	if err := os.WriteFile(p.Token, []byte("machine\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	l, err := (&net.ListenConfig{}).Listen(context.Background(), "unix", p.Socket)
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, `{"auth":%q,"path":%q}`, r.Header.Get("Authorization"), r.URL.Path)
	}))
	_ = s.Listener.Close()
	s.Listener = l
	s.Start()
	defer s.Close()
	var out bytes.Buffer
	Command([]string{"qwen-code", "--user"}, p, none, strings.NewReader("{}"), &out)
	if want := `{"auth":"Bearer machine","path":"/hooks/qwen-code"}` + "\n"; out.String() != want {
		t.Errorf("printed %s, want %s", out.String(), want)
	}
}

func TestSpool_DropsTheOldest(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "spool")
	payload := bytes.Repeat([]byte("x"), 100<<10)
	for range 20 {
		payload[0]++
		keep(path, "h", none, payload, noTime())
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if info.Size() > mostSpool || info.Mode().Perm() != 0o600 {
		t.Errorf("the spool has %d bytes and mode %v", info.Size(), info.Mode())
	}
	list, err := Take(path)
	if err != nil || len(list) == 0 {
		t.Fatalf("took %d, %v", len(list), err)
	}
	if diff := cmp.Diff(payload, list[len(list)-1].Payload); diff != "" {
		t.Errorf("the newest is not there\n%s", diff)
	}
	if again, err := Take(path); err != nil || len(again) != 0 {
		t.Errorf("took %d again, %v", len(again), err)
	}
	keep(path, "h", none, make([]byte, mostSpooled+1), noTime())
	if again, _ := Take(path); len(again) != 0 {
		t.Error("a payload that is too large was kept")
	}
}

func noTime() (t time.Time) { return t }
