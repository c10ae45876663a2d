package daemon

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"meterbridge/dashboard/api"
	"meterbridge/internal/daemon/fleet"
)

// documented are the paths of docs/openapi.json with their methods, as the daemon
// serves them.
func documented(t *testing.T) map[string][]string {
	t.Helper()
	raw := struct {
		Paths map[string]map[string]any
	}{}
	text, err := os.ReadFile(openAPIFile)
	if err == nil {
		err = json.Unmarshal(text, &raw)
	}
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]string{}
	for path, item := range raw.Paths {
		if item["servers"] == nil {
			path = api.Prefix + path
		}
		for method := range item {
			if method != "servers" {
				all[path] = append(all[path], strings.ToUpper(method))
			}
		}
	}
	return all
}

// Every path that the daemon serves to programs is described, with its method, and
// everything that is described is served by what it says. Pages, which are for
// people, are not.
func TestRoutes_AreThoseOfTheDocument(t *testing.T) {
	m, err := OpenDemo(t.Context(), Options{Getenv: func(string) string { return "" }, OS: "linux", Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	s := m.newServer(ServeOptions{Addr: "127.0.0.1:0"}, func() {})
	s.guard, m.fleet = nil, new(fleet.Fleet)
	doc, pages := documented(t), []string{"/", "GET /assets/"}
	mux := http.NewServeMux()
	for _, r := range s.routes() {
		mux.Handle(r.path, http.NotFoundHandler())
		if slices.Contains(pages, r.path) {
			continue
		}
		method, path, ok := strings.Cut(r.path, " ")
		if !ok {
			method, path = "", r.path
		}
		described := false
		for at, methods := range doc {
			same := at == path || strings.HasSuffix(path, "/") && strings.HasPrefix(at, path)
			described = described || same && (method == "" || slices.Contains(methods, method))
		}
		if !described {
			t.Errorf("docs/openapi.json does not describe %q", r.path)
		}
	}
	for path, methods := range doc {
		for _, method := range methods {
			_, got := mux.Handler(httptest.NewRequest(method, strings.NewReplacer("{", "", "}", "").Replace(path), nil))
			if slices.Contains(append(pages, ""), got) {
				t.Errorf("%s %s is described and leads to %q", method, path, got)
			}
			// What the API itself does not answer, it must not be thought to.
			if got == api.Prefix+"/" && method != http.MethodGet {
				t.Errorf("%s %s is described and not served: the API is read only", method, path)
			}
		}
	}
	if diff := cmp.Diff([]string{"DELETE", "PATCH"}, slices.Sorted(slices.Values(doc["/api/v1/queue/{prompt}"]))); diff != "" {
		t.Errorf("the test reads the document wrongly (-want +got)\n%s", diff)
	}
}
