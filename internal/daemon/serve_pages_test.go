package daemon

import (
	"encoding/json"
	"net/http/httptest"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"meterbridge/analytics"
	"meterbridge/dashboard/web"
)

// paged are the pages and the API over the bundled example.
func paged(t *testing.T) (pages, api *httptest.Server) {
	t.Helper()
	m, api := served(t)
	site, err := m.Pages(web.Options{})
	if err != nil {
		t.Fatal(err)
	}
	pages = httptest.NewServer(site)
	t.Cleanup(pages.Close)
	return pages, api
}

func TestPages_ShowTheNumbersOfTheAPI(t *testing.T) {
	pages, api := paged(t)
	for _, query := range []string{"by=day", "by=month", "by=harness", "by=model", "by=project", "by=agent", "by=day&cost=list", "by=day&harness=codex-cli"} {
		var want struct {
			Rows   []json.RawMessage
			Totals analytics.Numbers
		}
		if err := json.Unmarshal(ask(t, "GET", api.URL+"/api/v1/usage?"+query).body, &want); err != nil {
			t.Fatal(err)
		}
		got := ask(t, "GET", pages.URL+"/usage?range=all&"+query)
		text := string(got.body)
		if got.status != 200 {
			t.Fatalf("%s: status %d:\n%s", query, got.status, text)
		}
		if n := strings.Count(text, "<tr data-key="); n != len(want.Rows) {
			t.Errorf("%s: %d rows, want %d", query, n, len(want.Rows))
		}
		for id, n := range map[string]*int64{"total-cost": want.Totals.CostMicroUSD, "total-tokens": want.Totals.TotalTokens, "total-requests": &want.Totals.Requests} {
			shown := regexp.MustCompile(`id="` + id + `"[^>]*>\s*<data value="(-?\d+)"`).FindStringSubmatch(text)
			if shown == nil || shown[1] != strconv.FormatInt(*n, 10) {
				t.Errorf("%s: %s shows %v, want %d", query, id, shown, *n)
			}
		}
	}
}

func TestPages_HaveNothingInline(t *testing.T) {
	pages, _ := paged(t)
	for _, path := range []string{"/", "/usage", "/usage?range=all", "/sessions", "/sessions/claude-code:aaaa1111-0000-4000-8000-000000000001", "/explain/2026-10-05", "/prices", "/prices?model=gpt-5-codex", "/health", "/agents", "/links", "/tools", "/queue", "/nowhere"} {
		got := ask(t, "GET", pages.URL+path)
		text := string(got.body)
		for _, wrong := range []string{" style=", "<style", " onclick", " onload", "javascript:"} {
			if strings.Contains(text, wrong) {
				t.Errorf("%s holds %q", path, wrong)
			}
		}
		for _, script := range regexp.MustCompile(`<script[^>]*>`).FindAllString(text, -1) {
			if !strings.Contains(script, ` src="/assets/`) {
				t.Errorf("%s: %s", path, script)
			}
		}
		policy := got.header.Get("Content-Security-Policy")
		if !strings.Contains(policy, "script-src 'self';") || strings.Contains(policy, "unsafe") {
			t.Errorf("%s: policy %q", path, policy)
		}
	}
}

func TestPages_FirstIsSmall(t *testing.T) {
	pages, _ := paged(t)
	first := ask(t, "GET", pages.URL+"/", "Accept-Encoding", "gzip")
	size := len(first.body)
	plain := string(ask(t, "GET", pages.URL+"/").body)
	for _, m := range regexp.MustCompile(`(?:src|href)="(/assets/[^"]+)"`).FindAllStringSubmatch(plain, -1) {
		size += len(ask(t, "GET", pages.URL+m[1], "Accept-Encoding", "gzip").body)
	}
	if size >= 60_000 {
		t.Errorf("the first page is %d bytes packed, want less than 60000", size)
	}
}

func TestPages_RefuseWhatTheyCannotRead(t *testing.T) {
	pages, _ := paged(t)
	for path, want := range map[string]string{
		"/usage?since=yesterday": "neither a day nor an instant", "/usage?by=colour": "is none of", "/usage?timezone=Mars/Olympus": "is not known",
	} {
		got := ask(t, "GET", pages.URL+path)
		if got.status != 422 || !strings.Contains(string(got.body), want) {
			t.Errorf("%s: status %d, want 422 and %q:\n%s", path, got.status, want, got.body)
		}
	}
}

func TestPages_ShowASessionAsTheAPIDoes(t *testing.T) {
	pages, api := paged(t)
	const id = "claude-code:aaaa1111-0000-4000-8000-000000000001"
	var want struct{ Usage analytics.WindowUsage }
	if err := json.Unmarshal(ask(t, "GET", api.URL+"/api/v1/sessions/"+id).body, &want); err != nil {
		t.Fatal(err)
	}
	got := ask(t, "GET", pages.URL+"/sessions/"+id)
	for name, n := range map[string]*int64{"session-cost": want.Usage.CostMicroUSD, "session-tokens": want.Usage.TotalTokens, "session-requests": want.Usage.Requests} {
		shown := regexp.MustCompile(`id="` + name + `"[^>]*>\s*<data value="(-?\d+)"`).FindSubmatch(got.body)
		if shown == nil || n == nil || string(shown[1]) != strconv.FormatInt(*n, 10) {
			t.Errorf("%s shows %s, want %v", name, shown, n)
		}
	}
	for path, status := range map[string]int{
		"/sessions": 200, "/sessions?search=checkout": 200, "/sessions/" + id + "/agents": 200, "/explain/" + id: 200, "/explain/2026-10-05": 200,
		"/sessions/nobody": 404, "/agents": 200, "/links": 200, "/agents/nobody": 404, "/explain/nobody": 404, "/sessions?cursor=zzz": 422,
	} {
		if got := ask(t, "GET", pages.URL+path); got.status != status {
			t.Errorf("%s: status %d, want %d:\n%s", path, got.status, status, got.body)
		}
	}
}

func TestPages_NameWhatIsNotReported(t *testing.T) {
	pages, api := paged(t)
	report := ask(t, "GET", api.URL+"/api/v1/usage?by=day&since=2025-12-01&until=2025-12-01")
	if !strings.Contains(string(report.body), `"cacheWriteTokens": null`) {
		t.Fatalf("the example has a number that is not reported: %s", report.body)
	}
	got := ask(t, "GET", pages.URL+"/usage?by=day&since=2025-12-01&until=2025-12-01")
	if !strings.Contains(string(got.body), `<span class="sr">not reported</span>`) {
		t.Errorf("the page does not say so:\n%s", got.body)
	}
}
