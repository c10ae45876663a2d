package daemon

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"meterbridge/dashboard/guard"
	"meterbridge/dashboard/telemetry"
	"meterbridge/internal/config"
	"meterbridge/scanner"
)

// exporter sends telemetry to a running daemon as Claude Code does.
type exporter struct {
	t     *testing.T
	meter *Meter
	url   string
	token string
}

// exporting runs a daemon over an empty home.
func exporting(t *testing.T) *exporter {
	t.Helper()
	home, began := t.TempDir(), time.Now()
	m, err := Open(t.Context(), Options{
		Home: home, OS: "linux", Getenv: func(string) string { return "" },
		Now:   func() time.Time { return finishedAt(0).Add(time.Hour + time.Since(began)) }, // readings are kept for some weeks
		Paths: &config.Paths{Data: filepath.Join(home, "meterbridge"), Config: filepath.Join(home, "meterbridge")},
	})
	if err != nil {
		t.Fatal(err)
	}
	c, end := startDaemon(t, m)
	t.Cleanup(func() {
		c.Close()
		if err := end(); err != nil {
			t.Error(err)
		}
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	})
	s, err := c.Status(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return &exporter{t: t, meter: m, url: s.Addresses[0] + telemetry.Prefix, token: newToken(t, m, guard.ScopeOTLP)}
}

func newToken(t *testing.T, m *Meter, scope Scope) string {
	t.Helper()
	secret, _, err := OpenTokens(m.opts).Create(string(scope), []Scope{scope})
	if err != nil {
		t.Fatal(err)
	}
	return secret
}

// post sends a body and returns the status and the answer; headers are names and values.
func (x *exporter) post(signal string, body []byte, headers ...string) (int, string) {
	x.t.Helper()
	r, err := http.NewRequestWithContext(x.t.Context(), http.MethodPost, x.url+signal, bytes.NewReader(body))
	if err != nil {
		x.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+x.token)
	r.Header.Set("Content-Type", "application/x-protobuf")
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	got, err := http.DefaultClient.Do(r)
	if err != nil {
		x.t.Fatal(err)
	}
	defer got.Body.Close()
	answer, err := io.ReadAll(got.Body)
	if err != nil {
		x.t.Fatal(err)
	}
	return got.StatusCode, string(answer)
}

// send sends a body that must be taken as a whole.
func (x *exporter) send(signal string, body []byte, headers ...string) {
	x.t.Helper()
	if status, answer := x.post(signal, body, headers...); status != http.StatusOK || strings.Trim(answer, "{}") != "" {
		x.t.Fatalf("export of %s: %d %q, want 200 and nothing rejected", signal, status, answer)
	}
}

// call is an api_request event: request req_<name> that ended at second 10 + n
// and took 1.5 s, with these tokens.
type call struct {
	name, session, model string
	second               int
	in, out, read, write int64
}

// finishedAt is when a call ended.
func finishedAt(second int) time.Time { return time.Date(2026, 10, 5, 8, 0, second, 0, time.UTC) }

// exported are logs as Claude Code exports them: numbers are texts, the text of a
// prompt is beside them.
func exported(host string, calls ...call) plog.Logs {
	all := plog.NewLogs()
	resource := all.ResourceLogs().AppendEmpty()
	resource.Resource().Attributes().PutStr("service.name", "claude-code")
	if host != "" {
		resource.Resource().Attributes().PutStr("host.name", host)
	}
	scope := resource.ScopeLogs().AppendEmpty()
	scope.Scope().SetName("com.anthropic.claude_code.events")
	prompt := scope.LogRecords().AppendEmpty()
	prompt.Body().SetStr("claude_code.user_prompt")
	prompt.Attributes().PutStr("event.name", "user_prompt")
	prompt.Attributes().PutStr("prompt", secretPrompt)
	for _, c := range calls {
		l := scope.LogRecords().AppendEmpty()
		l.SetTimestamp(pcommon.NewTimestampFromTime(finishedAt(c.second)))
		l.Body().SetStr("claude_code.api_request")
		for name, value := range map[string]string{
			"event.name": "api_request", "session.id": c.session, "model": c.model, "request_id": "req_" + c.name, "speed": "standard",
			"cost_usd": "0.5", "duration_ms": "1500", "input_tokens": fmt.Sprint(c.in), "output_tokens": fmt.Sprint(c.out),
			"cache_read_tokens": fmt.Sprint(c.read), "cache_creation_tokens": fmt.Sprint(c.write),
		} {
			l.Attributes().PutStr(name, value)
		}
	}
	return all
}

const secretPrompt = "the prompt that nobody may keep"

func protobuf(t *testing.T, l plog.Logs) []byte {
	t.Helper()
	b, err := (&plog.ProtoMarshaler{}).MarshalLogs(l)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func asJSON(t *testing.T, l plog.Logs) []byte {
	t.Helper()
	b, err := (&plog.JSONMarshaler{}).MarshalLogs(l)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func zipped(t *testing.T, b []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if _, err := w.Write(b); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// log appends a record of the call to the transcript of its session.
func (x *exporter) log(c call) {
	x.t.Helper()
	dir := filepath.Join(x.meter.opts.Home, ".claude", "projects", "-srv-shop")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		x.t.Fatal(err)
	}
	f, err := os.OpenFile(filepath.Join(dir, c.session+".jsonl"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		x.t.Fatal(err)
	}
	defer f.Close()
	line, err := json.Marshal(map[string]any{
		"type": "assistant", "uuid": "u-" + c.name, "sessionId": c.session, "cwd": "/srv/shop", "version": "2.0.0", "requestId": "req_" + c.name,
		"timestamp": finishedAt(c.second).Format(time.RFC3339Nano),
		"message": map[string]any{
			"id": "msg_" + c.name, "role": "assistant", "model": c.model, "content": []any{map[string]any{"type": "text", "text": "done"}},
			"usage": map[string]any{"input_tokens": c.in, "output_tokens": c.out, "cache_read_input_tokens": c.read, "cache_creation_input_tokens": c.write},
		},
	})
	if err != nil {
		x.t.Fatal(err)
	}
	if _, err := f.Write(append(line, '\n')); err != nil {
		x.t.Fatal(err)
	}
}

// scan reads what is on disk.
func (x *exporter) scan() {
	x.t.Helper()
	if _, err := x.meter.Scan(x.t.Context(), nil); err != nil {
		x.t.Fatal(err)
	}
}

// rows are the ledger's requests as text.
func (x *exporter) rows() []string {
	x.t.Helper()
	r, err := x.meter.SQL(x.t.Context(), `SELECT request_id || ' ' || session || ' ' || input_tokens || '/' || output_tokens || '/' || cache_read_tokens || '/' || cache_write_5m_tokens
		|| ' ' || coalesce(date_diff('millisecond', started_at, ended_at), -1) || ' ' || coalesce(speed, '-') || ' ' || rule || ' ' || coalesce(machine, '-') AS row FROM requests ORDER BY request_id`, SQLLimits{})
	if err != nil {
		x.t.Fatal(err)
	}
	var out []string
	for _, row := range r.Rows {
		out = append(out, fmt.Sprint(row[0]))
	}
	return out
}

// sums are what every report says of tokens and requests, which must be the same.
func (x *exporter) sums() Numbers {
	x.t.Helper()
	var first *Numbers
	for _, by := range []string{"day", "week", "month", "hour", "session", "project", "model", "harness", "block"} {
		r, err := x.meter.Usage(x.t.Context(), UsageQuery{By: by, Zone: time.UTC, Cost: "list"})
		if err != nil {
			x.t.Fatal(err)
		}
		if first == nil {
			first = &r.Totals
		}
		if diff := cmp.Diff(*first, r.Totals); diff != "" {
			x.t.Errorf("totals by %s are not those by day:\n%s", by, diff)
		}
	}
	return *first
}

// proved holds the ledger against its laws, and its numbers against their sources.
func (x *exporter) proved() {
	x.t.Helper()
	r, err := x.meter.Reconcile(x.t.Context(), ReconcileOptions{})
	if err != nil || !r.OK {
		x.t.Errorf("reconcile: %+v, %v", r.Checks, err)
	}
	e, err := x.meter.Explain(x.t.Context(), "2026-10-05", time.UTC)
	if err != nil || !e.AddsUp {
		x.t.Errorf("explain: difference %+v, %v", e.Difference, err)
	}
}

func theCalls() (call, call) {
	a := call{"a", "s-1", "claude-sonnet-4-5", 10, 3, 50, 7000, 90}
	b := call{"b", "s-1", "claude-sonnet-4-5", 20, 4, 60, 8000, 0}
	return a, b
}

// The rows by hand: 1,500 ms before the end, at the speed that telemetry tells,
// with the tokens of the log.
const (
	rowA = "req_a s-1 3/50/7000/90 1500 standard "
	rowB = "req_b s-1 4/60/8000/0 1500 standard "
)

func TestTelemetry_FillsInWhatTheLogLacks(t *testing.T) {
	a, b := theCalls()
	for name, do := range map[string]func(*exporter){
		"telemetry first, protobuf": func(x *exporter) {
			x.send("logs", protobuf(t, exported("", a, b)))
			if diff := cmp.Diff([]string{rowA + "telemetry -", rowB + "telemetry -"}, x.rows()); diff != "" {
				t.Errorf("before the log (-want +got):\n%s", diff)
			}
			x.log(a)
			x.log(b)
			x.scan()
		},
		"the log first, JSON": func(x *exporter) {
			x.log(a)
			x.log(b)
			x.scan()
			x.send("logs", asJSON(t, exported("", a, b)), "Content-Type", "application/json; charset=utf-8")
		},
		"in between, packed, again and in another order, by two exporters": func(x *exporter) {
			x.send("logs", zipped(t, protobuf(t, exported("", b))), "Content-Encoding", "gzip")
			x.log(a)
			x.log(b)
			x.send("logs", protobuf(t, exported("", b, a)))
			x.scan()
			x.send("logs", protobuf(t, exported("", a, b)))
			x.send("logs", asJSON(t, exported("build-7", a)), "Content-Type", "application/json")
		},
	} {
		t.Run(name, func(t *testing.T) {
			x := exporting(t)
			x.t = t
			do(x)
			if diff := cmp.Diff([]string{rowA + "finished-record -", rowB + "finished-record -"}, x.rows()); diff != "" {
				t.Errorf("rows (-want +got):\n%s", diff)
			}
			n := x.sums()
			if n.Requests != 2 || *n.InputTokens != 7 || *n.OutputTokens != 110 || *n.CacheReadTokens != 15000 || *n.CacheWriteTokens != 90 {
				t.Errorf("totals %+v, want 2 requests, 7/110/15000/90", n)
			}
			x.proved()
		})
	}
}

// Requests of a machine whose logs are not here count, at what the harness said
// they cost, and are known after a restart.
func TestTelemetry_CountsWhatNoLogHas(t *testing.T) {
	x := exporting(t)
	a, b := theCalls()
	b.session = "s-2"
	x.log(a)
	x.scan()
	x.send("logs", protobuf(t, exported("", a)))
	x.send("logs", protobuf(t, exported("build-7", b)))
	again := newReceiver(x.meter, func(scanner.Committed) {}) // as after a restart
	if _, err := again.Receive(t.Context(), telemetry.Export{Signal: telemetry.Logs, Body: protobuf(t, exported("build-7", b))}); err != nil {
		t.Fatal(err)
	}
	want := []string{rowA + "finished-record -", strings.Replace(rowB, "s-1", "s-2", 1) + "telemetry build-7"}
	if diff := cmp.Diff(want, x.rows()); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	if r, err := x.meter.SQL(t.Context(), "SELECT count(*) FROM sources", SQLLimits{}); err != nil || fmt.Sprint(r.Rows[0][0]) != "3" {
		t.Errorf("sources %v, %v, want the log and one for each machine that told", r.Rows, err)
	}
	u, err := x.meter.Usage(t.Context(), UsageQuery{By: "session", Zone: time.UTC, Cost: "auto"})
	if err != nil || len(u.Rows) != 2 {
		t.Fatalf("%+v, %v", u.Rows, err)
	}
	for _, row := range u.Rows {
		if row.Key == "s-2" && (*row.TotalTokens != 8064 || *row.CostMicroUSD != 500_000) {
			t.Errorf("session of telemetry: %+v, want 8064 tokens and 0.5 USD", row.Numbers)
		}
	}
	x.proved()
	e, err := x.meter.Explain(t.Context(), "s-2", time.UTC)
	if err != nil || !e.AddsUp || len(e.Kept) != 1 || !strings.Contains(e.Kept[0].Why, "telemetry") {
		t.Errorf("explain of the session: %+v, %v", e, err)
	}
}

// A request of a log costs and counts the same, whether telemetry tells of it or not.
func TestTelemetry_ChangesNoSum(t *testing.T) {
	x := exporting(t)
	a, b := theCalls()
	x.log(a)
	x.log(b)
	x.scan()
	before := x.sums()
	x.send("logs", protobuf(t, exported("", a, b)))
	if diff := cmp.Diff(before, x.sums()); diff != "" {
		t.Errorf("sums before (-) and after (+):\n%s", diff)
	}
	if before.CostMicroUSD == nil {
		t.Error("the requests have no price, so the test proves little")
	}
}

// What a person wrote is in the events, and neither in the ledger nor in its files.
func TestTelemetry_KeepsNoPrompt(t *testing.T) {
	x := exporting(t)
	a, _ := theCalls()
	x.send("logs", protobuf(t, exported("", a)))
	if err := x.meter.ledger.Idle(t.Context()); err != nil {
		t.Fatal(err)
	}
	err := filepath.WalkDir(x.meter.opts.Home, func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		content, err := os.ReadFile(path)
		if bytes.Contains(content, []byte(secretPrompt)) {
			t.Errorf("%s holds the prompt", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestTelemetry_RefusesAsTheProtocolSays(t *testing.T) {
	x := exporting(t)
	a, _ := theCalls()
	good := protobuf(t, exported("", a))
	const asType, asEncoding, as = "Content-Type", "Content-Encoding", "Authorization"
	nested := bytes.Repeat([]byte(`{"resourceLogs":[`), 100)
	empty := []byte(`{"resourceLogs":[{"scopeLogs":[{"logRecords":[` + strings.Repeat("{},", 2_000_000) + `{}]}]}]}`)
	cases := []struct {
		name    string
		signal  string
		body    []byte
		headers []string
		status  int
		says    string
	}{
		{"no credential", "logs", good, []string{as, ""}, 401, "\x08\x10\x12"}, // code 16, then the message
		{"no credential, JSON", "logs", good, []string{as, "", asType, "application/json"}, 401, `{"code":16,"message":"`},
		{"an unknown one", "logs", good, []string{as, "Bearer nonsense"}, 401, "\x08\x10\x12"},
		{"one for something else", "logs", good, []string{as, "Bearer " + newToken(t, x.meter, guard.ScopeRead)}, 403, "\x08\x07\x12"},
		{"another host", "logs", good, []string{"Origin", "https://attacker.example"}, 403, "\x08\x07\x12"},
		{"another type", "logs", good, []string{asType, "text/plain"}, 415, "\x08\x03\x12"},
		{"no type", "logs", nil, []string{asType, ""}, 415, "Content-Type"},
		{"another encoding", "logs", good, []string{asEncoding, "br"}, 415, "gzip"},
		{"another signal", "profiles", good, nil, 404, "signal"},
		{"no protobuf", "logs", []byte("nonsense"), nil, 400, "not what its content type says"},
		{"cut short", "logs", good[:len(good)-3], nil, 400, "not what"},
		{"no JSON", "logs", []byte(`{"resourceLogs":`), []string{asType, "application/json"}, 400, `"code":3`},
		{"no gzip", "logs", good, []string{asEncoding, "gzip"}, 400, "not what"},
		{"gzip cut short", "logs", zipped(t, good)[:30], []string{asEncoding, "gzip"}, 400, "not what"},
		{"too large", "logs", make([]byte, telemetry.MaxBody+1), nil, 413, "\x08\x08\x12"},
		{"a bomb", "logs", zipped(t, make([]byte, telemetry.MaxBody+1)), []string{asEncoding, "gzip"}, 413, "too large"},
		{"millions of empty records", "logs", empty, []string{asType, "application/json"}, 413, "too large"},
		{"nested too deeply", "logs", nested, []string{asType, "application/json"}, 413, "too large"},
	}
	for _, c := range cases {
		if status, answer := x.post(c.signal, c.body, c.headers...); status != c.status || !strings.Contains(answer, c.says) {
			t.Errorf("%s: %d %.200q, want %d with %q", c.name, status, answer, c.status, c.says)
		}
	}
	if got, err := http.Get(x.url + "logs"); err != nil || got.StatusCode != http.StatusUnauthorized {
		t.Errorf("GET: %v, %v", got, err)
	} else {
		got.Body.Close()
	}
	if rows := x.rows(); len(rows) != 0 {
		t.Errorf("rows %q, want none", rows)
	}
	x.send("logs", nil)
	x.send("metrics", nil)
	x.send("traces", []byte("{}"), asType, "application/json")
}

// Events that tell of a request and cannot be used are told apart from those that
// can, which count.
func TestTelemetry_TakesWhatItCan(t *testing.T) {
	x := exporting(t)
	a, b := theCalls()
	all := exported("", a, b)
	records := all.ResourceLogs().At(0).ScopeLogs().At(0).LogRecords()
	records.At(2).Attributes().Remove("request_id")
	status, answer := x.post("logs", asJSON(t, all), "Content-Type", "application/json")
	const want = `{"partialSuccess":{"errorMessage":"no id of the request (1)","rejectedLogRecords":"1"}}`
	if status != http.StatusOK || answer != want {
		t.Errorf("answer %d %s, want 200 %s", status, answer, want)
	}
	status, answer = x.post("logs", protobuf(t, all))
	if want := "\x0a\x1c\x08\x01\x12\x18no id of the request (1)"; status != http.StatusOK || answer != want {
		t.Errorf("answer %d %q, want 200 %q", status, answer, want)
	}
	if diff := cmp.Diff([]string{rowA + "telemetry -"}, x.rows()); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
}

// Counters are held against the ledger by doctor, and are in no sum.
func TestTelemetry_CountersAreNeverAdded(t *testing.T) {
	x := exporting(t)
	a, b := theCalls()
	x.log(a)
	x.log(b)
	x.scan()
	before := x.sums()
	all := pmetric.NewMetrics()
	metrics := all.ResourceMetrics().AppendEmpty().ScopeMetrics().AppendEmpty().Metrics()
	for _, temporality := range []pmetric.AggregationTemporality{pmetric.AggregationTemporalityDelta, pmetric.AggregationTemporalityCumulative} {
		m := metrics.AppendEmpty()
		m.SetName("claude_code.token.usage")
		m.SetEmptySum().SetAggregationTemporality(temporality)
		kind := map[pmetric.AggregationTemporality]string{pmetric.AggregationTemporalityDelta: "output", pmetric.AggregationTemporalityCumulative: "cacheRead"}[temporality]
		for i, n := range []int64{50, 61} {
			p := m.Sum().DataPoints().AppendEmpty()
			p.SetStartTimestamp(pcommon.NewTimestampFromTime(finishedAt(0)))
			p.SetTimestamp(pcommon.NewTimestampFromTime(finishedAt(15 + 10*i)))
			p.SetIntValue(n)
			p.Attributes().PutStr("session.id", "s-1")
			p.Attributes().PutStr("model", "claude-sonnet-4-5")
			p.Attributes().PutStr("type", kind)
		}
	}
	body, err := (&pmetric.ProtoMarshaler{}).MarshalMetrics(all)
	if err != nil {
		t.Fatal(err)
	}
	x.send("metrics", body)
	x.send("metrics", zipped(t, body), "Content-Encoding", "gzip")
	if diff := cmp.Diff(before, x.sums()); diff != "" {
		t.Errorf("sums before (-) and after (+):\n%s", diff)
	}
	d, err := x.meter.Doctor(t.Context(), time.UTC)
	if err != nil || d.Telemetry == nil {
		t.Fatalf("doctor: %+v, %v", d.Telemetry, err)
	}
	got := map[string][2]int64{}
	for _, c := range d.Telemetry.Rows {
		got[c.Kind] = [2]int64{c.TelemetryTokens, c.LedgerTokens}
	}
	// The deltas 50 and 61 are added, of the total 50, then 61, the last counts.
	want := map[string][2]int64{"input": {0, 7}, "output": {111, 110}, "cacheRead": {61, 15000}, "cacheWrite": {0, 90}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("told and in the ledger (-want +got):\n%s", diff)
	}
}

// Telemetry and logs that come at the same time end in one row for each request.
func TestTelemetry_BesideALiveScanner(t *testing.T) {
	x := exporting(t)
	const calls = 40
	var want []string
	var all []call
	for i := range calls {
		c := call{fmt.Sprintf("%03d", i), fmt.Sprintf("s-%d", i%3), "claude-sonnet-4-5", i, 1, int64(i + 1), 2, 3}
		all = append(all, c)
		want = append(want, fmt.Sprintf("req_%s %s 1/%d/2/3 1500 standard finished-record -", c.name, c.session, i+1))
	}
	var bodies [][]byte
	for i := range all {
		bodies = append(bodies, protobuf(t, exported("", all[i], all[calls-1-i])))
	}
	told, to := make(chan error, 1), newReceiver(x.meter, func(scanner.Committed) {})
	go func() {
		var errs []error
		for _, body := range bodies { // as the handler does, from another goroutine than the scanner's
			_, err := to.Receive(context.Background(), telemetry.Export{Signal: telemetry.Logs, Body: body})
			errs = append(errs, err)
		}
		told <- errors.Join(errs...)
	}()
	for _, c := range all {
		x.log(c)
	}
	if err := <-told; err != nil {
		t.Error(err)
	}
	x.scan()
	if diff := cmp.Diff(want, x.rows()); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	x.proved()
}
