package fetch

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"meterbridge/bridge"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// site is a server that answers for api.example.com and for others that resolve to it.
func site(t *testing.T, handler http.HandlerFunc) (c Client, port string) {
	t.Helper()
	server := httptest.NewTLSServer(handler)
	t.Cleanup(server.Close)
	pool := server.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs
	c = Client{
		Lookup: func(context.Context, string) ([]netip.Addr, error) {
			return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
		},
		TLS:    &tls.Config{RootCAs: pool, ServerName: "example.com"},
		Public: func(netip.Addr) bool { return true },
	}
	return c, server.URL[strings.LastIndex(server.URL, ":")+1:]
}

func hosts(port string, names ...string) []bridge.Permission {
	p := bridge.Permission{ID: "network"}
	for _, name := range names {
		p.Hosts = append(p.Hosts, name+":"+port)
	}
	return []bridge.Permission{p}
}

func code(err error) string {
	var told *bridge.ToolError
	switch {
	case err == nil:
		return ""
	case errors.As(err, &told):
		return told.Code
	}
	return err.Error()
}

// do makes a request and reads its answer.
func do(t *testing.T, c Client, r Request) (status int, body string, err error) {
	t.Helper()
	if r.Method == "" {
		r.Method = http.MethodGet
	}
	if r.Timeout == 0 {
		r.Timeout = 10 * time.Second
	}
	answer, err := c.Do(t.Context(), r)
	if err != nil {
		return 0, "", err
	}
	defer answer.Close()
	text, _, err := answer.Read()
	return answer.Status, string(text), err
}

// Only hosts that were agreed to are asked, over https, and no address.
func TestFetch_Hosts(t *testing.T) {
	c, port := site(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "here") })
	granted := hosts(port, "api.example.com", "*.wild.example.com")
	local := []bridge.Permission{{ID: "network.local"}}
	plain := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "local") }))
	t.Cleanup(plain.Close)
	for _, x := range []struct {
		url     string
		granted []bridge.Permission
		want    string
	}{
		{"https://api.example.com:" + port + "/x", granted, ""},
		{"https://API.example.com.:" + port + "/x", granted, ""},
		{"https://a.b.wild.example.com:" + port, granted, ""},
		{"https://wild.example.com:" + port, granted, CodeHost},
		{"https://api.example.com", granted, CodeHost},
		{"https://other.example.com:" + port, granted, CodeHost},
		{"https://api.example.com.evil.example:" + port, granted, CodeHost},
		{"http://api.example.com:" + port, granted, CodeHost},
		{"https://127.0.0.1:" + port, granted, CodeHost},
		{"https://10.0.0.1", local, CodeHost},
		{"https://[::ffff:127.0.0.1]:" + port, granted, CodeHost},
		{"https://localhost:" + port, granted, CodeHost},
		{"https://user:secret@api.example.com:" + port, granted, bridge.CodeInvalidParams},
		{"ftp://api.example.com", granted, bridge.CodeInvalidParams},
		{"file:///etc/passwd", local, bridge.CodeInvalidParams},
		{"//api.example.com", granted, bridge.CodeInvalidParams},
		{plain.URL, local, ""},
		{strings.Replace(plain.URL, "127.0.0.1", "localhost", 1), local, ""},
		{plain.URL, granted, CodeHost},
	} {
		if _, _, err := do(t, c, Request{URL: x.url, Granted: x.granted}); code(err) != x.want {
			t.Errorf("%s: %v, want %q", x.url, err, x.want)
		}
	}
}

// TestFetch_RebindingResolver: a name that was agreed to and resolves to an address
// inside of a network is not asked.
func TestFetch_RebindingResolver(t *testing.T) {
	asked := false
	c, port := site(t, func(http.ResponseWriter, *http.Request) { asked = true })
	c.Public = nil
	for _, inside := range []string{
		"127.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.0", "224.0.0.1", "255.255.255.255", "::1", "::", "fe80::1", "fc00::1",
		"ff02::1", "::ffff:10.0.0.1", "64:ff9b::a00:1", "2002:a00:1::",
	} {
		c.Lookup = func(context.Context, string) ([]netip.Addr, error) {
			return []netip.Addr{netip.MustParseAddr("93.184.216.34"), netip.MustParseAddr(inside)}, nil
		}
		if _, _, err := do(t, c, Request{URL: "https://api.example.com:" + port, Granted: hosts(port, "api.example.com")}); code(err) != CodeHost {
			t.Errorf("%s: %v", inside, err)
		}
	}
	if asked {
		t.Error("it was asked")
	}
	for _, outside := range []string{"93.184.216.34", "2606:2800:220:1::1"} {
		if !Public(netip.MustParseAddr(outside)) {
			t.Errorf("%s is refused", outside)
		}
	}
}

// TestFetch_RedirectRecheck: a redirect leads nowhere that could not be asked itself,
// and takes no secret to another host.
func TestFetch_RedirectRecheck(t *testing.T) {
	var got http.Header
	c, port := site(t, func(w http.ResponseWriter, r *http.Request) {
		got = r.Header
		switch to := r.URL.Query().Get("to"); to {
		case "":
			fmt.Fprint(w, "there")
		case "loop":
			http.Redirect(w, r, "/?to=loop", http.StatusFound)
		default:
			http.Redirect(w, r, to, http.StatusFound)
		}
	})
	granted := hosts(port, "api.example.com", "two.example.com")
	secret := func(string) (string, bool) { return "s3cret", true }
	for to, want := range map[string]string{
		"https://two.example.com:" + port: "", "/plain": "", "http://two.example.com:" + port: CodeHost, "https://evil.example.org:" + port: CodeHost,
		"http://127.0.0.1:" + port: CodeHost, "https://x:y@two.example.com:" + port: bridge.CodeInvalidParams, "loop": CodeNetwork, "file:///etc/passwd": bridge.CodeInvalidParams,
	} {
		got = nil
		r := Request{URL: "https://api.example.com:" + port + "/?to=" + to, Granted: granted, Secret: secret, Headers: map[string]string{"X-Api-Key": "{{secret:key}}", "X-Plain": "p"}}
		if _, _, err := do(t, c, r); code(err) != want {
			t.Errorf("%s: %v, want %q", to, err, want)
		}
		leaked := got.Get("X-Api-Key") != ""
		if strings.Contains(to, "two.example.com") && want == "" && (leaked || got.Get("X-Plain") != "p") {
			t.Errorf("%s: the other host got %v", to, got)
		}
		if to == "/plain" && !leaked {
			t.Errorf("%s: the same host got no key: %v", to, got)
		}
		if got.Get("Referer") != "" {
			t.Errorf("%s: referer %q", to, got.Get("Referer"))
		}
	}
}

func TestFetch_Headers(t *testing.T) {
	var got string
	c, port := site(t, func(_ http.ResponseWriter, r *http.Request) { got = r.Header.Get("Authorization") })
	secrets := map[string]string{"token": "s3cret", "lines": "a\r\nb: c"}
	for _, x := range []struct {
		name, value, want string
	}{
		{"Authorization", "Bearer {{secret:token}}", ""},
		{"Authorization", "Bearer {{secret:other}}", bridge.CodeInvalidParams},
		{"Authorization", "{{secret:lines}}", bridge.CodeInvalidParams},
		{"X-A", "b\r\nHost: x", bridge.CodeInvalidParams},
		{"X-A", "b\x00", bridge.CodeInvalidParams},
		{"X-A", strings.Repeat("x", 8193), bridge.CodeInvalidParams},
		{"X A", "b", bridge.CodeInvalidParams},
		{"Host", "evil", bridge.CodeInvalidParams},
		{"cookie", "a=b", bridge.CodeInvalidParams},
		{"Sec-Fetch-Mode", "a", bridge.CodeInvalidParams},
		{"Proxy-Authorization", "a", bridge.CodeInvalidParams},
		{"X-Forwarded-For", "a", bridge.CodeInvalidParams},
		{"User-Agent", "a", bridge.CodeInvalidParams},
		{"If-None-Match", `"etag"`, ""},
	} {
		got = ""
		r := Request{
			URL: "https://api.example.com:" + port, Granted: hosts(port, "api.example.com"), Headers: map[string]string{x.name: x.value},
			Secret: func(key string) (string, bool) { v, ok := secrets[key]; return v, ok },
		}
		_, _, err := do(t, c, r)
		if code(err) != x.want || err != nil && strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%s: %q: %v, want %q", x.name, x.value, err, x.want)
		}
		if x.value == "Bearer {{secret:token}}" && got != "Bearer s3cret" {
			t.Errorf("sent %q", got)
		}
	}
}

// Answers are told as they are, whatever their status, and no longer than is allowed.
func TestFetch_Answers(t *testing.T) {
	c, port := site(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/304":
			w.Header().Set("ETag", `"x"`)
			w.WriteHeader(http.StatusNotModified)
		case "/500":
			http.Error(w, "broken", http.StatusInternalServerError)
		case "/long":
			for range 11 {
				_, _ = w.Write(make([]byte, 1<<20))
			}
		case "/slow":
			<-r.Context().Done()
		case "/broken":
			w.Header().Set("Content-Length", "100")
			fmt.Fprint(w, "half")
		case "/stream":
			for _, part := range []string{"a\xc3", "\xa9b", "\xff\xfe"} {
				fmt.Fprint(w, part)
				w.(http.Flusher).Flush()
			}
		}
	})
	ask := func(path string) Request {
		return Request{URL: "https://api.example.com:" + port + path, Granted: hosts(port, "api.example.com")}
	}
	for path, want := range map[string]int{"/304": 304, "/500": 500} {
		if status, _, err := do(t, c, ask(path)); status != want || err != nil {
			t.Errorf("%s: %d %v", path, status, err)
		}
	}
	if _, body, err := do(t, c, ask("/long")); err != nil || len(body) != MaxResponse {
		t.Errorf("long: %d %v", len(body), err)
	}
	slow := ask("/slow")
	slow.Timeout = 50 * time.Millisecond
	if _, _, err := do(t, c, slow); code(err) != bridge.CodeTimeout {
		t.Errorf("slow: %v", err)
	}
	if _, _, err := do(t, c, ask("/broken")); code(err) != CodeNetwork {
		t.Errorf("broken: %v", err)
	}
	r := ask("/stream")
	r.Method, r.Timeout = http.MethodGet, 10*time.Second
	answer, err := c.Do(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Close()
	var text strings.Builder
	if err := answer.Stream(func(p Chunk) { text.WriteString(p.Encoding + ":" + p.Data + " ") }); err != nil {
		t.Error(err)
	}
	if got := text.String(); !strings.Contains(got, "é") || !strings.HasSuffix(got, "base64://4= ") {
		t.Errorf("streamed %q", got)
	}
}

func TestJSON(t *testing.T) {
	for in, want := range map[string]string{"": "null", " \n": "null", `{"a":1}`: `{"a":1}`, "<html>": CodeNetwork, `{}{}`: CodeNetwork} {
		got, err := JSON([]byte(in))
		if err != nil {
			got = json.RawMessage(code(err))
		}
		if diff := cmp.Diff(want, string(got)); diff != "" {
			t.Errorf("%q: %s", in, diff)
		}
	}
}
