package daemon

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"meterbridge"
	"meterbridge/dashboard/api"
	"meterbridge/dashboard/problem"
	"meterbridge/internal/daemon/extensions"
)

// served is the API over a ledger that holds the bundled example.
func served(t *testing.T) (*Meter, *httptest.Server) {
	t.Helper()
	m, err := OpenDemo(t.Context(), Options{Getenv: func(string) string { return "UTC" }, OS: "linux", Now: time.Now, Version: "test"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	})
	if _, err := m.Scan(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(m.API(api.Options{}))
	t.Cleanup(s.Close)
	return m, s
}

// reply is an answer read to its end.
type reply struct {
	status int
	header http.Header
	body   []byte
}

func ask(t *testing.T, method, url string, header ...string) reply {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	// Without a header of ours the client would ask for gzip and unpack it in silence.
	if r.Header.Get("Accept-Encoding") == "" {
		r.Header.Set("Accept-Encoding", "identity")
	}
	got, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer got.Body.Close()
	body, err := io.ReadAll(got.Body)
	if err != nil {
		t.Fatal(err)
	}
	return reply{got.StatusCode, got.Header, body}
}

// openAPI is docs/openapi.json.
type openAPI struct {
	Paths map[string]struct {
		Servers []any
		Get     struct {
			OperationID string `json:"operationId"`
			Parameters  []struct {
				Name, In string
				Required bool
				Schema   struct {
					Type any
					Enum []any
				}
			}
			Responses map[string]struct {
				Content map[string]any
			}
		}
	}
}

const openAPIFile = "../../docs/openapi.json"

// strict makes every object of a schema closed: what the document does not name
// must not be sent.
func strict(v any) {
	switch v := v.(type) {
	case map[string]any:
		if v["properties"] != nil && v["additionalProperties"] == true {
			v["additionalProperties"] = false
		}
		for _, e := range v {
			strict(e)
		}
	case []any:
		for _, e := range v {
			strict(e)
		}
	}
}

// description is the document, and what validates an answer of a path.
func description(t *testing.T) (openAPI, func(path, status, media string) *jsonschema.Schema) {
	t.Helper()
	doc, schema := describedAnswers(t)
	return doc, func(path, status, media string) *jsonschema.Schema { return schema("get", path, status, media) }
}

// describedAnswers is the document, and what validates an answer to a method.
func describedAnswers(t *testing.T) (openAPI, func(method, path, status, media string) *jsonschema.Schema) {
	t.Helper()
	text, err := os.ReadFile(openAPIFile)
	if err != nil {
		t.Fatal(err)
	}
	var doc openAPI
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	raw, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	strict(raw)
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.AssertFormat()
	if err := c.AddResource("file:///openapi.json", raw); err != nil {
		t.Fatal(err)
	}
	return doc, func(method, path, status, media string) *jsonschema.Schema {
		escape := strings.NewReplacer("~", "~0", "/", "~1")
		at := fmt.Sprintf("file:///openapi.json#/paths/%s/%s/responses/%s/content/%s/schema", url.PathEscape(escape.Replace(path)), method, status, escape.Replace(media))
		s, err := c.Compile(at)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
}

// check holds an answer against its schema.
func check(t *testing.T, s *jsonschema.Schema, what string, body []byte) {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	if err != nil {
		t.Errorf("%s: %v in %.200s", what, err, body)
		return
	}
	if err := s.Validate(v); err != nil {
		t.Errorf("%s: %v", what, err)
	}
}

func TestAPI_AnswersEveryPathOfTheDocument(t *testing.T) {
	m, server := served(t)
	doc, schema := description(t)
	list, err := m.Sessions(t.Context(), SessionFilter{})
	if err != nil {
		t.Fatal(err)
	}
	agents, extension := withAgents(t, m, list), withExtension(t, m)
	for path, item := range doc.Paths {
		// A stream: TestEvents_…; a live terminal: dashboard/terminals; the queue and other
		// methods: TestQueue_AnswersAsTheDocumentSays; protocols of their own: TestRoutes_…
		if path == "/events" || path == "/openapi.json" || onTerminal(path) || onQueue(path) || item.Servers != nil || item.Get.OperationID == "" {
			continue
		}
		ok := schema(path, "200", "application/json")
		for i, target := range targets(path, list, agents, extension) {
			queries := []string{""}
			for _, p := range item.Get.Parameters {
				if p.In == "query" && i == 0 {
					queries = append(queries, values(p.Name, p.Schema.Type, p.Schema.Enum)...)
				}
			}
			for _, q := range queries {
				if path == "/prices" && !strings.HasPrefix(q, "model=") {
					q = strings.TrimPrefix("model=claude-sonnet-4-5&"+q, "&")
				}
				got := ask(t, http.MethodGet, server.URL+api.Prefix+target+"?"+q)
				what := target + "?" + q
				if got.status != http.StatusOK {
					t.Errorf("%s: %d %s", what, got.status, got.body)
					continue
				}
				check(t, ok, what, got.body)
			}
		}
		notFound := ask(t, http.MethodGet, server.URL+api.Prefix+path+"?nonsense=1")
		if notFound.status != http.StatusUnprocessableEntity || notFound.header.Get("Content-Type") != problem.ContentType {
			t.Errorf("%s?nonsense=1: %d %s", path, notFound.status, notFound.body)
			continue
		}
		check(t, schema(path, "422", problem.ContentType), path+"?nonsense=1", notFound.body)
	}
}

// withAgents keeps an agent for each session, as an earlier daemon would have, and
// returns their ids.
func withAgents(t *testing.T, m *Meter, list SessionList) (ids []string) {
	t.Helper()
	now := time.Now()
	for i, s := range list.Sessions {
		a := meterbridge.Agent{
			ID: fmt.Sprint("ag-", i), Name: fmt.Sprint("agent ", i), Harness: s.Harness, Kind: meterbridge.AIAgent, Origin: meterbridge.Started,
			Workspace: "default", Dir: "/srv", Generation: 1, PID: 7, CreatedAt: now, StartedAt: now,
		}
		bound := []meterbridge.Binding{{Agent: a.ID, Harness: s.Harness, Session: s.Session, Source: meterbridge.BoundGiven, Generation: 1}}
		idle := meterbridge.StatusSpan{Agent: a.ID, Generation: 1, Span: meterbridge.Span{Status: meterbridge.Idle, From: now}, Source: "process", Confidence: "exact"}
		if err := errors.Join(m.ledger.SaveAgent(t.Context(), a, bound), m.ledger.SaveSpan(t.Context(), idle)); err != nil {
			t.Fatal(err)
		}
		ids = append(ids, a.ID)
	}
	return ids
}

// withExtension installs an extension and returns its name.
func withExtension(t *testing.T, m *Meter) string {
	t.Helper()
	plan, err := m.Extensions().Prepare(t.Context(), "../../sdk/examples/ticket-desk", false)
	if err == nil {
		err = m.Extensions().Install(plan, extensions.Choice{Approve: true, By: "test"})
	}
	if err != nil {
		t.Fatal(err)
	}
	return "ticket-desk"
}

// onTerminal: the path is answered by a terminal that runs.
func onTerminal(path string) bool {
	return strings.HasSuffix(path, "/attach") || strings.HasSuffix(path, "/screen") || strings.HasSuffix(path, "/runs")
}

// onQueue: the path is answered by the prompt queue.
func onQueue(path string) bool {
	return strings.HasPrefix(path, "/queue") || strings.HasSuffix(path, "/prompts")
}

// targets are the paths to ask for: one for each session, agent or extension where
// the path names one.
func targets(path string, list SessionList, agents []string, extension string) []string {
	if strings.Contains(path, "{name}") {
		return []string{strings.ReplaceAll(path, "{name}", extension)}
	}
	if !strings.Contains(path, "{id}") {
		return []string{path}
	}
	var all []string
	if strings.HasPrefix(path, "/agents/") {
		for _, id := range agents {
			all = append(all, strings.ReplaceAll(path, "{id}", id))
		}
		return all
	}
	for _, s := range list.Sessions {
		all = append(all, strings.ReplaceAll(path, "{id}", url.PathEscape(s.Harness+":"+s.Session)))
	}
	return all
}

// values are queries that give a parameter a good value.
func values(name string, kind any, enum []any) []string {
	if len(enum) > 0 {
		var all []string
		for _, v := range enum {
			all = append(all, name+"="+fmt.Sprint(v)+"&")
		}
		return all
	}
	good := map[string]string{
		"since": "2026-01-01", "until": "2026-12-31T23:59:59Z", "timezone": "Asia/Kolkata", "weekStart": "sunday", "harness": "claude-code",
		"at": "2026-10-01", "provider": "anthropic", "model": "claude-sonnet-4-5",
	}
	switch kind {
	case "boolean":
		return []string{name + "=true", name + "=false"}
	case "integer":
		return []string{name + "=1", name + "=3"}
	}
	if v, ok := good[name]; ok {
		return []string{name + "=" + url.QueryEscape(v)}
	}
	return nil
}

func TestAPI_UsageIsThatOfTheCommand(t *testing.T) {
	m, server := served(t)
	for _, by := range []string{"day", "week", "month", "hour", "session", "project", "model", "harness", "agent", "block"} {
		r, err := m.Usage(t.Context(), UsageQuery{By: by, Zone: time.UTC, WeekStart: time.Monday, Cost: "auto", Breakdown: true, SinceText: "2026-01-01", Filter: Filter{Since: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}})
		if err != nil {
			t.Fatal(err)
		}
		// As cmd/meterbridge prints it.
		var want bytes.Buffer
		e := json.NewEncoder(&want)
		e.SetEscapeHTML(false)
		e.SetIndent("", "  ")
		if err := e.Encode(r); err != nil {
			t.Fatal(err)
		}
		got := ask(t, http.MethodGet, server.URL+"/api/v1/usage?timezone=UTC&since=2026-01-01&breakdown=true&by="+by)
		if !bytes.Equal(want.Bytes(), got.body) {
			t.Errorf("by %s:\nwant %s\ngot  %s", by, want.Bytes(), got.body)
		}
	}
}

func TestAPI_FindsSessionsWhoseIDHoldsASlash(t *testing.T) {
	m, server := served(t)
	list, err := m.Sessions(t.Context(), SessionFilter{})
	if err != nil {
		t.Fatal(err)
	}
	asked := 0
	for _, s := range list.Sessions {
		full, err := m.Session(t.Context(), s.Harness+":"+s.Session, time.Time{}, time.Time{})
		if err != nil {
			t.Fatal(err)
		}
		for _, sub := range full.Subagents {
			if !strings.Contains(sub.Session, "/") {
				continue
			}
			asked++
			got := ask(t, http.MethodGet, server.URL+"/api/v1/sessions/"+url.PathEscape(sub.Session))
			var answer struct{ Session string }
			if err := json.Unmarshal(got.body, &answer); err != nil || answer.Session != sub.Session {
				t.Errorf("%s: %d, session %q, %v", sub.Session, got.status, answer.Session, err)
			}
			// Unescaped it is another path.
			if got := ask(t, http.MethodGet, server.URL+"/api/v1/sessions/"+sub.Session); got.status != http.StatusNotFound {
				t.Errorf("%s unescaped: %d", sub.Session, got.status)
			}
		}
	}
	if asked == 0 {
		t.Fatal("the example has no session with a / in its id")
	}
}

func TestAPI_SaysWhatIsWrong(t *testing.T) {
	_, server := served(t)
	for _, c := range []struct {
		method, path string
		status       int
		parameter    string
	}{
		{"GET", "/api/v1/usage?by=year", 422, "by"},
		{"GET", "/api/v1/usage?since=yesterday", 422, "since"},
		{"GET", "/api/v1/usage?since=2026-12-01&until=2026-11-01", 422, "since"},
		{"GET", "/api/v1/usage?until=2026-13-01", 422, "until"},
		{"GET", "/api/v1/usage?timezone=Mars/Base", 422, "timezone"},
		{"GET", "/api/v1/usage?weekStart=someday", 422, "weekStart"},
		{"GET", "/api/v1/usage?cost=free", 422, "cost"},
		{"GET", "/api/v1/usage?last=-1", 422, "last"},
		{"GET", "/api/v1/usage?last=many", 422, "last"},
		{"GET", "/api/v1/usage?breakdown=perhaps", 422, "breakdown"},
		{"GET", "/api/v1/usage?harness=nobody", 422, "harness"},
		{"GET", "/api/v1/usage?week-start=monday", 422, "week-start"},
		{"GET", "/api/v1/usage?by=day&by=week", 422, "by"},
		{"GET", "/api/v1/usage?model=%ff", 422, "model"},
		{"GET", "/api/v1/usage?%zz", 422, ""},
		{"GET", "/api/v1/usage?since=2026-11-01;until=2026-11-02&by=%2", 422, ""},
		{"GET", "/api/v1/sessions/%ff", 422, ""},
		{"GET", "/api/v1/prices", 422, "model"},
		{"GET", "/api/v1/usage?session=no-such", 404, ""},
		{"GET", "/api/v1/sessions/no-such", 404, ""},
		{"GET", "/api/v1/sessions/no-such/timeline", 404, ""},
		{"GET", "/api/v1/nothing", 404, ""},
		{"GET", "/api/v2/usage", 404, ""},
		{"POST", "/api/v1/usage", 405, ""},
		{"DELETE", "/api/v1/sessions/x", 405, ""},
		{"OPTIONS", "/api/v1/usage", 405, ""},
	} {
		got := ask(t, c.method, server.URL+c.path)
		var p problem.Problem
		if err := json.Unmarshal(got.body, &p); err != nil {
			t.Errorf("%s %s: %d, %v in %s", c.method, c.path, got.status, err, got.body)
			continue
		}
		named := c.parameter == "" || slices.ContainsFunc(p.Parameters, func(q problem.Parameter) bool { return q.Name == c.parameter })
		if got.status != c.status || p.Status != c.status || !named || p.Detail == "" || p.Hint == "" || got.header.Get("Content-Type") != problem.ContentType {
			t.Errorf("%s %s: want %d about %q, got %d %+v (%s)", c.method, c.path, c.status, c.parameter, got.status, p, got.header.Get("Content-Type"))
		}
		if c.status == 405 && got.header.Get("Allow") == "" {
			t.Errorf("%s %s: no Allow", c.method, c.path)
		}
		if cors := got.header.Get("Access-Control-Allow-Origin"); cors != "" {
			t.Errorf("%s %s: CORS %q", c.method, c.path, cors)
		}
	}
}

func TestAPI_PagesThroughSessionsAndRecords(t *testing.T) {
	m, server := served(t)
	whole, err := m.Sessions(t.Context(), SessionFilter{})
	if err != nil {
		t.Fatal(err)
	}
	var want, got []string
	for _, s := range whole.Sessions {
		want = append(want, s.Harness+":"+s.Session)
	}
	pages := 0
	for cursor := ""; ; pages++ {
		page := decode[struct {
			Sessions   []struct{ Harness, Session string }
			NextCursor *string
		}](t, ask(t, "GET", server.URL+"/api/v1/sessions?limit=2&cursor="+cursor))
		for _, s := range page.Sessions {
			got = append(got, s.Harness+":"+s.Session)
		}
		if page.NextCursor == nil {
			break
		}
		cursor = *page.NextCursor
	}
	if !slices.Equal(want, got) || pages < 2 {
		t.Errorf("%d more pages:\nwant %q\ngot  %q", pages, want, got)
	}
	id := url.PathEscape(want[0])
	all, err := m.Explain(t.Context(), want[0], time.UTC)
	if err != nil {
		t.Fatal(err)
	}
	records := 0
	for cursor := ""; ; {
		page := decode[struct {
			Records    []any
			AddsUp     bool
			NextCursor *string
		}](t, ask(t, "GET", server.URL+"/api/v1/sessions/"+id+"/explain?limit=1&cursor="+cursor))
		if records += len(page.Records); !page.AddsUp {
			t.Error("a page does not add up")
		}
		if page.NextCursor == nil {
			break
		}
		cursor = *page.NextCursor
	}
	if records != len(all.Records) || records < 2 {
		t.Errorf("%d records in pages, %d in all", records, len(all.Records))
	}
}

func decode[T any](t *testing.T, r reply) T {
	t.Helper()
	var v T
	if err := json.Unmarshal(r.body, &v); err != nil || r.status != http.StatusOK {
		t.Fatalf("%d %v: %s", r.status, err, r.body)
	}
	return v
}

// FuzzAPI asks with any path and any query: whatever comes, it is no fault of the
// server, and an error is a problem document.
func FuzzAPI(f *testing.F) {
	for _, seed := range [][2]string{
		{"usage", "by=session&since=2026-10-05&until=2026-10-05&timezone=America/New_York"},
		{"usage", "since=0001-01-01&until=9999-12-31&by=hour"},
		{"usage", "since=-9999-01-01T00:00:00Z"},
		{"usage", "since=292277026596-12-04"},
		{"usage", "session=%25%27%3B--&project=%00&model=%F0%9F%92%A9"},
		{"usage", "session=:&breakdown=1&last=1000000&cost=list"},
		{"usage", "by=block&weekStart=Sunday&last=99999999999999999999"},
		{"blocks", "harness=codex-cli"},
		{"budgets", "timezone=../../etc/passwd"},
		{"sessions", "limit=1&cursor=eyJhIjoxLCJoIjoiIiwicyI6IngifQ"},
		{"sessions", "cursor=bnVsbA&search=%25_\\"},
		{"sessions/%2e%2e/usage", ""},
		{"sessions/a%2Fb%00/timeline", "since=1970-01-01T00:00:00-23:59"},
		{"sessions/" + strings.Repeat("x", 5000), ""},
		{"sessions/2026-10-05/explain", "cursor=LTE&timezone=UTC"},
		{"sessions//usage", ""},
		{"prices", "model=&provider=%20&at=2026-02-30"},
		{"prices", "model=claude&at=9999-12-31T23:59:60Z"},
		{"harnesses", "x"},
		{"%zz", ";;&&==%"},
	} {
		f.Add(seed[0], seed[1])
	}
	m, err := OpenDemo(f.Context(), Options{Getenv: func(string) string { return "UTC" }, OS: "linux", Now: time.Now})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { m.Close() })
	if _, err := m.Scan(f.Context(), nil); err != nil {
		f.Fatal(err)
	}
	h := m.API(api.Options{})
	f.Fuzz(func(t *testing.T, path, query string) {
		target := "http://localhost/api/v1/" + path + "?" + query
		u, err := url.Parse(target)
		if err != nil || strings.ContainsAny(target, " \r\n\t") {
			return // what no client can send
		}
		r := httptest.NewRequest(http.MethodGet, "http://localhost/", nil)
		r.URL = u
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		switch {
		case w.Code >= 500:
			t.Errorf("%q ? %q: %d %s", path, query, w.Code, w.Body)
		case w.Code >= 400 && w.Header().Get("Content-Type") != problem.ContentType:
			t.Errorf("%q ? %q: %d %s", path, query, w.Code, w.Header().Get("Content-Type"))
		}
	})
}
