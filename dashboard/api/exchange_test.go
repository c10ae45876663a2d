package api

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"meterbridge"
	"meterbridge/analytics"
	"meterbridge/dashboard"
	"meterbridge/dashboard/problem"
)

// stub is a meter at whose edge a test decides what happens.
type stub struct {
	dashboard.Meter
	revision atomic.Uint64
	status   string
	usage    func(context.Context, analytics.UsageQuery) (analytics.UsageReport, error)
}

func (m *stub) Usage(ctx context.Context, q analytics.UsageQuery) (analytics.UsageReport, error) {
	return m.usage(ctx, q)
}
func (m *stub) Period() meterbridge.Period { return meterbridge.Period{Zone: time.UTC} }
func (m *stub) Revision() uint64           { return m.revision.Load() }
func (m *stub) Health() dashboard.Health {
	return dashboard.Health{Status: m.status, Warnings: []string{}}
}

// long is an answer that is worth compressing.
func long(context.Context, analytics.UsageQuery) (analytics.UsageReport, error) {
	return analytics.UsageReport{By: "day", Rows: []analytics.UsageRow{}, Timezone: strings.Repeat("x", 4000)}, nil
}

func get(h http.Handler, method, path string, header ...string) *http.Response {
	r := httptest.NewRequest(method, path, nil)
	for i := 0; i < len(header); i += 2 {
		r.Header.Add(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Result()
}

func read(t *testing.T, r *http.Response) []byte {
	t.Helper()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return body
}

func TestETag_IsOfTheLedgerAndTheQuestion(t *testing.T) {
	asked := 0
	m := &stub{usage: func(ctx context.Context, q analytics.UsageQuery) (analytics.UsageReport, error) {
		asked++
		return long(ctx, q)
	}}
	h := New(m, Options{})
	first := get(h, "GET", "/api/v1/usage?by=day&last=3")
	tag := first.Header.Get("ETag")
	if tag == "" || first.Header.Get("Cache-Control") != "private, no-cache" {
		t.Fatalf("headers %v", first.Header)
	}
	for _, c := range []struct {
		name, path, match string
		status            int
	}{
		{"the same", "/api/v1/usage?by=day&last=3", tag, 304},
		{"in another order", "/api/v1/usage?last=3&by=day", tag, 304},
		{"one of several", "/api/v1/usage?by=day&last=3", `"x", ` + tag, 304},
		{"any", "/api/v1/usage?by=day&last=3", "*", 304},
		{"another question", "/api/v1/usage?by=day&last=4", tag, 200},
		{"another tag", "/api/v1/usage?by=day&last=3", `W/"x"`, 200},
		{"a question that is wrong", "/api/v1/usage?by=day&last=-3", tag, 422},
	} {
		before := asked
		got := get(h, "GET", c.path, "If-None-Match", c.match)
		if got.StatusCode != c.status {
			t.Errorf("%s: want %d, got %d", c.name, c.status, got.StatusCode)
		}
		if got.StatusCode == 304 && (len(read(t, got)) > 0 || asked != before || got.Header.Get("ETag") != tag) {
			t.Errorf("%s: a body, an answer that was made, or another tag %q", c.name, got.Header.Get("ETag"))
		}
	}
	m.revision.Add(1)
	if got := get(h, "GET", "/api/v1/usage?by=day&last=3", "If-None-Match", tag); got.StatusCode != 200 || got.Header.Get("ETag") == tag {
		t.Errorf("after a commit: %d", got.StatusCode)
	}
	if got := get(New(m, Options{}), "GET", "/api/v1/usage?by=day&last=3", "If-None-Match", tag); got.StatusCode != 200 {
		t.Errorf("of another process: %d", got.StatusCode)
	}
}

// A question that is asked again is answered with the same bytes and without the
// ledger, until that has changed; what failed is asked again.
func TestAnswer_IsKeptUntilTheLedgerChanges(t *testing.T) {
	asked := 0
	m := &stub{}
	m.usage = func(context.Context, analytics.UsageQuery) (analytics.UsageReport, error) {
		if asked++; asked == 1 {
			return analytics.UsageReport{}, errors.New("not now")
		}
		return analytics.UsageReport{By: "day", Rows: []analytics.UsageRow{}, Timezone: fmt.Sprint(asked)}, nil
	}
	h := New(m, Options{})
	day, model, block := Prefix+"/usage?by=day", Prefix+"/usage?by=model", Prefix+"/usage?by=block"
	for i, step := range []struct {
		path     string
		revision uint64
		want     int // how often the ledger was asked then
	}{
		{day, 0, 1}, {day, 0, 2}, {day, 0, 2}, {model, 0, 3}, {day, 0, 3}, {day, 1, 4}, {day, 1, 4}, {model, 1, 5}, {block, 1, 6}, {block, 1, 7},
	} {
		m.revision.Store(step.revision)
		r := get(h, http.MethodGet, step.path)
		body := read(t, r)
		if asked != step.want {
			t.Fatalf("step %d, %s: the ledger was asked %d times, want %d", i, step.path, asked, step.want)
		}
		if i == 0 {
			continue
		}
		if kind := r.Header.Get("Content-Type"); r.StatusCode != http.StatusOK || kind != "application/json" {
			t.Errorf("step %d: %d %s", i, r.StatusCode, kind)
		}
		var got struct{ Timezone string }
		if err := json.Unmarshal(body, &got); err != nil || got.Timezone == "" {
			t.Errorf("step %d: %v of %s", i, err, body)
		}
	}
}

// A kept answer is packed once, and only for those who take it so.
func TestAnswer_IsKeptPackedAndPlain(t *testing.T) {
	h := New(&stub{usage: long}, Options{})
	var first []byte
	for i, encoding := range []string{"", "gzip", "", "gzip", "gzip"} {
		r := get(h, http.MethodGet, Prefix+"/usage", "Accept-Encoding", encoding)
		if got := r.Header.Get("Content-Encoding"); got != encoding {
			t.Fatalf("answer %d: encoding %q, want %q", i, got, encoding)
		}
		body := read(t, r)
		if encoding == "gzip" {
			z, err := gzip.NewReader(bytes.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			if body, err = io.ReadAll(z); err != nil {
				t.Fatal(err)
			}
		}
		if first == nil {
			first = body
		}
		if !bytes.Equal(body, first) {
			t.Errorf("answer %d is another one: %.80s", i, body)
		}
	}
}

func TestKept_IsBounded(t *testing.T) {
	var k kept
	for i := range 200 {
		k.keep(fmt.Sprint(i), "application/json", make([]byte, 1<<20))
		k.keep("large", "application/json", make([]byte, largestKept+1))
	}
	if _, ok := k.find("large"); ok || k.size != keptBytes || len(k.list) != keptBytes>>20 {
		t.Errorf("%d answers of %d bytes, one too large: %v", len(k.list), k.size, ok)
	}
	k.find("195")
	for i := range 3 * keptAnswers {
		k.keep(fmt.Sprint("small", i), "application/json", []byte("{}"))
		k.find("195")
	}
	if _, ok := k.find("195"); !ok || len(k.list) != keptAnswers {
		t.Errorf("%d answers; the one that is always asked for is kept: %v", len(k.list), ok)
	}
}

func TestETag_OfTheMomentIsOfWhatIsWritten(t *testing.T) {
	zone := "a"
	m := &stub{usage: func(context.Context, analytics.UsageQuery) (analytics.UsageReport, error) {
		return analytics.UsageReport{Timezone: zone, Rows: []analytics.UsageRow{}}, nil
	}}
	h := New(m, Options{})
	for _, path := range []string{"/api/v1/blocks", "/api/v1/usage?by=block"} {
		tag := get(h, "GET", path).Header.Get("ETag")
		if got := get(h, "GET", path, "If-None-Match", tag); got.StatusCode != 304 {
			t.Errorf("%s unchanged: %d", path, got.StatusCode)
		}
		zone += "b"
		if got := get(h, "GET", path, "If-None-Match", tag); got.StatusCode != 200 {
			t.Errorf("%s changed without a commit: %d", path, got.StatusCode)
		}
	}
}

func TestAnswer_IsCompressedWhereAsked(t *testing.T) {
	h := New(&stub{usage: long}, Options{})
	plain := read(t, get(h, "GET", "/api/v1/usage"))
	for accept, zipped := range map[string]bool{
		"gzip": true, "deflate, GZIP;q=0.5": true, "": false, "identity": false, "gzip;q=0": false, "gzip; q=0.0": false, "br": false,
	} {
		got := get(h, "GET", "/api/v1/usage", "Accept-Encoding", accept)
		body := read(t, got)
		if is := got.Header.Get("Content-Encoding") == "gzip"; is != zipped || got.ContentLength != int64(len(body)) || !strings.Contains(got.Header.Get("Vary"), "Accept-Encoding") {
			t.Errorf("%q: %v", accept, got.Header)
			continue
		}
		if zipped {
			z, err := gzip.NewReader(bytes.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			if body, err = io.ReadAll(z); err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.Equal(plain, body) {
			t.Errorf("%q: another body", accept)
		}
	}
	if got := get(h, "GET", "/api/v1/health", "Accept-Encoding", "gzip"); got.Header.Get("Content-Encoding") != "" {
		t.Error("a short answer is compressed")
	}
}

func TestHead_IsGetWithoutABody(t *testing.T) {
	h := New(&stub{usage: long, status: dashboard.StatusOK}, Options{Events: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {})})
	for _, path := range []string{"/api/v1/usage", "/api/v1/health", "/api/v1/openapi.json", "/api/v1/events", "/healthz", "/readyz", "/api/v1/nothing"} {
		want, got := get(h, "GET", path), get(h, "HEAD", path)
		if path != "/healthz" && path != "/readyz" && len(read(t, got)) > 0 {
			t.Errorf("HEAD %s has a body", path)
		}
		if got.StatusCode != want.StatusCode || got.Header.Get("ETag") != want.Header.Get("ETag") || got.Header.Get("Content-Type") != want.Header.Get("Content-Type") ||
			got.Header.Get("Content-Length") != want.Header.Get("Content-Length") {
			t.Errorf("%s: GET %d %v, HEAD %d %v", path, want.StatusCode, want.Header, got.StatusCode, got.Header)
		}
	}
}

func TestProbes_SayNothingElse(t *testing.T) {
	m := &stub{status: dashboard.StatusStarting}
	h := New(m, Options{})
	check := func(path string, status int, body string) {
		t.Helper()
		got := get(h, "GET", path)
		if text := string(read(t, got)); got.StatusCode != status || text != body {
			t.Errorf("%s: want %d %q, got %d %q", path, status, body, got.StatusCode, text)
		}
	}
	check("/healthz", 200, "ok\n")
	check("/readyz", 503, "not ready\n")
	m.status = dashboard.StatusOK
	check("/readyz", 200, "ok\n")
	if got := get(h, "POST", "/healthz"); got.StatusCode != 405 {
		t.Errorf("POST: %d", got.StatusCode)
	}
}

func problemIn(t *testing.T, r *http.Response) problem.Problem {
	t.Helper()
	var p problem.Problem
	if err := json.Unmarshal(read(t, r), &p); err != nil || r.Header.Get("Content-Type") != problem.ContentType || p.Status != r.StatusCode {
		t.Errorf("%d %s: %v %+v", r.StatusCode, r.Header.Get("Content-Type"), err, p)
	}
	return p
}

func TestErrors_BecomeProblems(t *testing.T) {
	for _, c := range []struct {
		err    error
		status int
		hint   string
	}{
		{fmt.Errorf("session %q: %w", "x", analytics.ErrUnknown), 404, ""},
		{&analytics.HintError{Err: &analytics.AmbiguousError{ID: "x", Count: 2, Candidates: []analytics.Candidate{{Harness: "h", Session: "x1"}}}, Hint: "more"}, 409, "more"},
		{fmt.Errorf("%w: usage", analytics.ErrQuery), 422, ""},
		{fmt.Errorf("ask: %w", context.DeadlineExceeded), 503, "ask for a shorter time, or for fewer rows"},
		{errors.New("read /home/someone/ledger: broken"), 500, "the daemon's log tells why"},
	} {
		h := New(&stub{usage: func(context.Context, analytics.UsageQuery) (analytics.UsageReport, error) {
			return analytics.UsageReport{}, c.err
		}}, Options{})
		got := get(h, "GET", "/api/v1/usage")
		p := problemIn(t, got)
		if p.Status != c.status || p.Hint != c.hint || strings.Contains(p.Detail, "someone") || got.Header.Get("ETag") != "" {
			t.Errorf("%v: %+v", c.err, p)
		}
		if c.status == 409 && (len(p.Candidates) != 1 || p.Candidates[0] != "h:x1") {
			t.Errorf("candidates %q", p.Candidates)
		}
	}
}

func TestPanic_IsAnAnswer(t *testing.T) {
	h := New(&stub{usage: func(context.Context, analytics.UsageQuery) (analytics.UsageReport, error) { panic("no") }}, Options{AtOnce: 1})
	for range 3 { // the slot is given back
		if p := problemIn(t, get(h, "GET", "/api/v1/usage")); p.Status != 500 {
			t.Errorf("%+v", p)
		}
	}
}

func TestQuestions_AreBoundedInNumberAndTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var running, most atomic.Int32
		release := make(chan struct{})
		h := New(&stub{usage: func(ctx context.Context, q analytics.UsageQuery) (analytics.UsageReport, error) {
			n := running.Add(1)
			defer running.Add(-1)
			for old := most.Load(); n > old && !most.CompareAndSwap(old, n); old = most.Load() {
			}
			if q.Last == 9 {
				<-release
				return long(ctx, q)
			}
			select {
			case <-ctx.Done():
			case <-time.After(time.Second):
			}
			return long(ctx, q)
		}}, Options{AtOnce: 2, Timeout: 10 * time.Second})
		// Ten of a second each, two at a time.
		statuses := make(chan int, 10)
		start := time.Now()
		for range 10 {
			go func() { statuses <- get(h, "GET", "/api/v1/usage").StatusCode }()
		}
		for range 10 {
			if got := <-statuses; got != 200 {
				t.Errorf("one of ten: %d", got)
			}
		}
		if took := time.Since(start); took != 5*time.Second || most.Load() != 2 {
			t.Errorf("%v, %d at once", took, most.Load())
		}
		// Two that heed no deadline leave no slot for a third before its time is up.
		for range 2 {
			go func() { statuses <- get(h, "GET", "/api/v1/usage?last=9").StatusCode }()
		}
		synctest.Wait()
		start = time.Now()
		if got := problemIn(t, get(h, "GET", "/api/v1/usage?last=8")); got.Status != 503 || time.Since(start) != 10*time.Second {
			t.Errorf("the third: %+v after %v", got, time.Since(start))
		}
		if got := get(h, "GET", "/api/v1/health"); got.StatusCode != 200 {
			t.Errorf("health: %d", got.StatusCode)
		}
		close(release)
		for range 2 {
			if got := <-statuses; got != 200 {
				t.Errorf("one that heeds no deadline: %d", got)
			}
		}
	})
}
