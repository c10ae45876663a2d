package imported

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestCheckURL(t *testing.T) {
	for address, want := range map[string]bool{
		"https://a.example.com/mcp": true, "http://localhost:1/mcp": true, "http://127.0.0.1/mcp": true, "http://[::1]/mcp": true,
		"http://a.example.com/mcp": false, "https://user:pass@a.example.com": false, "ftp://a.example.com": false, "": false, "https://": false,
	} {
		if got := CheckURL(address) == nil; got != want {
			t.Errorf("%q: %v, want %v", address, got, want)
		}
	}
}

// A server that ends at once leaves nothing behind, and its last words are heard.
func TestConnect_HearsTheLastWords(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("there is no shell")
	}
	var said bytes.Buffer
	c, err := Connect(t.Context(), Server{Command: []string{sh, "-c", "echo no desk >&2; exit 1"}, Env: os.Environ(), Dir: t.TempDir(), Stderr: &said})
	if err == nil || c != nil || strings.TrimSpace(said.String()) != "no desk" {
		t.Errorf("%v, said %q", err, said.String())
	}
}
