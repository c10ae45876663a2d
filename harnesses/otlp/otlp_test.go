package otlp

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"meterbridge"
	"meterbridge/harnesses"
	"meterbridge/harnesses/claudecode"
)

var (
	at    = time.Date(2026, 10, 5, 8, 0, 10, 0, time.UTC)
	exact = cmpopts.EquateComparable(meterbridge.PicoUSD{})
)

func stamp(t time.Time) pcommon.Timestamp { return pcommon.NewTimestampFromTime(t) }

func decoder() *Decoder { return New([]harnesses.Harness{claudecode.Harness()}) }

// event is a log record of an api_request, changed by change.
func event(change func(plog.ResourceLogs, plog.LogRecord)) plog.Logs {
	all := plog.NewLogs()
	resource := all.ResourceLogs().AppendEmpty()
	resource.Resource().Attributes().PutStr("service.name", "claude-code")
	scope := resource.ScopeLogs().AppendEmpty()
	l := scope.LogRecords().AppendEmpty()
	l.SetTimestamp(stamp(at))
	l.Attributes().PutStr("event.name", "api_request")
	for name, value := range map[string]string{"request_id": "req_1", "session.id": "s", "model": "m", "output_tokens": "9"} {
		l.Attributes().PutStr(name, value)
	}
	change(resource, l)
	return all
}

func request(change func(*meterbridge.Request)) []Told {
	r := meterbridge.Request{
		Harness: "claude-code", Store: "transcripts", NativeID: "otel:req_1", RequestID: "req_1", Session: "s", Model: "m", EndedAt: at,
		Tokens: meterbridge.Tokens{Output: meterbridge.Reported(9)}, Precision: meterbridge.PerRequest, Rule: meterbridge.RuleTelemetry,
	}
	change(&r)
	return []Told{{Request: r}}
}

func TestDecode_ReadsEventsAsTheyAreWritten(t *testing.T) {
	same := func(*meterbridge.Request) {}
	put := func(name, value string) func(plog.ResourceLogs, plog.LogRecord) {
		return func(_ plog.ResourceLogs, l plog.LogRecord) { l.Attributes().PutStr(name, value) }
	}
	rename := func(service, scope, attribute, field, body string) func(plog.ResourceLogs, plog.LogRecord) {
		return func(r plog.ResourceLogs, l plog.LogRecord) {
			r.Resource().Attributes().PutStr("service.name", service)
			r.ScopeLogs().At(0).Scope().SetName(scope)
			l.Attributes().Remove("event.name")
			if attribute != "" {
				l.Attributes().PutStr("event.name", attribute)
			}
			l.SetEventName(field)
			l.Body().SetStr(body)
		}
	}
	cases := []struct {
		name     string
		change   func(plog.ResourceLogs, plog.LogRecord)
		want     []Told
		rejected string
	}{
		{"by the service", func(plog.ResourceLogs, plog.LogRecord) {}, request(same), ""},
		{"by the scope", rename("mine", "com.anthropic.claude_code.events", "api_request", "", ""), request(same), ""},
		{"by the event's field", rename("mine", "", "", "claude_code.api_request", ""), request(same), ""},
		{"by the body", rename("", "", "", "", "claude_code.api_request"), request(same), ""},
		{"of another program", rename("codex", "", "api_request", "", ""), nil, ""},
		{"another event", put("event.name", "tool_result"), nil, ""},
		{"numbers that are numbers", func(_ plog.ResourceLogs, l plog.LogRecord) {
			l.Attributes().PutInt("input_tokens", 3)
			l.Attributes().PutDouble("cache_read_tokens", 7000)
			l.Attributes().PutInt("duration_ms", 2500)
			l.Attributes().PutDouble("cost_usd", 0.0123)
		}, request(func(r *meterbridge.Request) {
			r.Tokens.Input, r.Tokens.CacheRead = meterbridge.Reported(3), meterbridge.Reported(7000)
			r.StartedAt, r.Recorded = at.Add(-2500*time.Millisecond), meterbridge.SomePico(meterbridge.Pico(12_300_000_000))
		}), ""},
		{"a cost of zero is none", put("cost_usd", "0"), request(same), ""},
		{"cache writes have no lifetime", put("cache_creation_tokens", "90"), request(func(r *meterbridge.Request) {
			r.Tokens.CacheWrite5m = meterbridge.Reported(90)
		}), ""},
		{
			"without a session", func(_ plog.ResourceLogs, l plog.LogRecord) { l.Attributes().Remove("session.id") },
			request(func(r *meterbridge.Request) { r.Session = "telemetry" }), "",
		},
		{"a time that is a text", func(_ plog.ResourceLogs, l plog.LogRecord) {
			l.SetTimestamp(0)
			l.Attributes().PutStr("event.timestamp", "2026-10-05T08:00:10.000Z")
		}, request(same), ""},
		{"a time of who noticed", func(_ plog.ResourceLogs, l plog.LogRecord) {
			l.SetTimestamp(0)
			l.SetObservedTimestamp(stamp(at))
		}, request(same), ""},
		{"no time", func(_ plog.ResourceLogs, l plog.LogRecord) { l.SetTimestamp(0) }, nil, "no time (1)"},
		{"a time beyond time", func(_ plog.ResourceLogs, l plog.LogRecord) { l.SetTimestamp(1<<64 - 1) }, nil, "no time (1)"},
		{"a duration beyond time", put("duration_ms", "9007199254740992"), request(same), ""},
		{"no tokens", func(_ plog.ResourceLogs, l plog.LogRecord) { l.Attributes().Remove("output_tokens") }, nil, "no counts of tokens (1)"},
		{"nothing spent", put("output_tokens", "0"), nil, ""},
		{"tokens below zero", put("output_tokens", "-1"), nil, "a count is wrong (1)"},
		{"half a token", put("output_tokens", "0.5"), nil, "a count is wrong (1)"},
		{"tokens beyond counting", put("output_tokens", "1e300"), nil, "a count is wrong (1)"},
		{"tokens that are a list", func(_ plog.ResourceLogs, l plog.LogRecord) { l.Attributes().PutEmptySlice("output_tokens") }, nil, "a count is wrong (1)"},
		{"an endless id", put("request_id", strings.Repeat("r", 600)), nil, "no id of the request (1)"},
		{"an id that is no text", put("request_id", "req\x001"), nil, "no id of the request (1)"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			logs := event(c.change)
			proto, err := (&plog.ProtoMarshaler{}).MarshalLogs(logs)
			if err != nil {
				t.Fatal(err)
			}
			text, err := (&plog.JSONMarshaler{}).MarshalLogs(logs)
			if err != nil {
				t.Fatal(err)
			}
			for json, body := range map[bool][]byte{false: proto, true: text} {
				got, err := decoder().decode(Logs, json, body)
				if err != nil {
					t.Fatalf("json %v: %v", json, err)
				}
				if diff := cmp.Diff(c.want, got.Requests, exact); diff != "" || got.Reason != c.rejected {
					t.Errorf("json %v: rejected %q, want %q; requests (-want +got):\n%s", json, got.Reason, c.rejected, diff)
				}
			}
		})
	}
}

// Spans of requests have both times; classes by the conventions are converted:
// 16 in of which 7 were read and 4 written are 5 of ours.
func TestDecode_ReadsSpans(t *testing.T) {
	all := ptrace.NewTraces()
	resource := all.ResourceSpans().AppendEmpty()
	resource.Resource().Attributes().PutStr("host.name", "build-7")
	spans := resource.ScopeSpans().AppendEmpty().Spans()
	add := func(name string, attributes map[string]any) {
		s := spans.AppendEmpty()
		s.SetName(name)
		s.SetStartTimestamp(stamp(at.Add(-3 * time.Second)))
		s.SetEndTimestamp(stamp(at))
		if err := s.Attributes().FromRaw(attributes); err != nil {
			t.Fatal(err)
		}
	}
	const prefix = "gen_ai.usage."
	add("claude_code.interaction", map[string]any{"request_id": "req_0", "output_tokens": 1})
	add("claude_code.llm_request", map[string]any{"request_id": "req_0", "output_tokens": 1, "success": false})
	add("claude_code.llm_request", map[string]any{
		"request_id": "req_1", "session.id": "s", "model": "m", prefix + "input_tokens": 16, prefix + "cache_read.input_tokens": 7,
		prefix + "cache_creation.input_tokens": 4, prefix + "output_tokens": 9, prefix + "reasoning.output_tokens": 2, "success": true,
	})
	add("claude_code.llm_request", map[string]any{"request_id": "req_2", prefix + "input_tokens": 3, prefix + "cache_read.input_tokens": 7})
	body, err := (&ptrace.ProtoMarshaler{}).MarshalTraces(all)
	if err != nil {
		t.Fatal(err)
	}
	got, err := decoder().decode(Traces, false, body)
	if err != nil {
		t.Fatal(err)
	}
	want := request(func(r *meterbridge.Request) {
		r.StartedAt = at.Add(-3 * time.Second)
		r.Tokens = meterbridge.Tokens{
			Input: meterbridge.Reported(5), CacheRead: meterbridge.Reported(7), CacheWrite5m: meterbridge.Reported(4),
			Output: meterbridge.Reported(9), Reasoning: meterbridge.Reported(2),
		}
	})
	want[0].Machine = "build-7"
	if diff := cmp.Diff(want, got.Requests, exact); diff != "" || got.Reason != "a count is wrong (1)" {
		t.Errorf("rejected %q; requests (-want +got):\n%s", got.Reason, diff)
	}
}

// point is one point of token.usage.
type point struct {
	model, kind  string
	since, until time.Time
	n            float64
}

func counters(temporality pmetric.AggregationTemporality, host string, list ...point) pmetric.Metrics {
	all := pmetric.NewMetrics()
	resource := all.ResourceMetrics().AppendEmpty()
	resource.Resource().Attributes().PutStr("service.name", "claude-code")
	resource.Resource().Attributes().PutStr("host.name", host)
	metrics := resource.ScopeMetrics().AppendEmpty().Metrics()
	other := metrics.AppendEmpty()
	other.SetName("claude_code.lines_of_code.count")
	other.SetEmptySum().SetAggregationTemporality(temporality)
	other.Sum().DataPoints().AppendEmpty().SetIntValue(99)
	m := metrics.AppendEmpty()
	m.SetName("claude_code.token.usage")
	m.SetEmptySum().SetAggregationTemporality(temporality)
	for _, p := range list {
		d := m.Sum().DataPoints().AppendEmpty()
		d.SetStartTimestamp(stamp(p.since))
		d.SetTimestamp(stamp(p.until))
		d.SetDoubleValue(p.n)
		d.Attributes().PutStr("session.id", "s")
		d.Attributes().PutStr("model", p.model)
		d.Attributes().PutStr("type", p.kind)
	}
	return all
}

func read(t *testing.T, m pmetric.Metrics) []meterbridge.Reading {
	t.Helper()
	body, err := (&pmetric.JSONMarshaler{}).MarshalMetrics(m)
	if err != nil {
		t.Fatal(err)
	}
	got, err := decoder().decode(Metrics, true, body)
	if err != nil {
		t.Fatal(err)
	}
	return got.Readings
}

// Points of deltas are known again by what they tell, those of a running total by
// its start, whoever hands them on.
func TestDecode_KnowsReadingsAgain(t *testing.T) {
	p := point{"m", "cacheCreation", at, at.Add(time.Minute), 40}
	later, restarted, other := p, p, p
	later.until, later.n = at.Add(2*time.Minute), 70
	restarted.since, restarted.until = at.Add(time.Hour), at.Add(61*time.Minute)
	other.kind = "input"
	const delta, total = pmetric.AggregationTemporalityDelta, pmetric.AggregationTemporalityCumulative
	first := read(t, counters(delta, "a", p))
	want := []meterbridge.Reading{{Harness: "claude-code", Session: "s", Model: "m", Kind: "cacheWrite", Since: p.since, Until: p.until, N: 40, Key: first[0].Key}}
	if diff := cmp.Diff(want, first); diff != "" {
		t.Errorf("a delta (-want +got):\n%s", diff)
	}
	cases := []struct {
		name        string
		temporality pmetric.AggregationTemporality
		a, b        point
		same        bool
	}{
		{"a delta again", delta, p, p, true},
		{"the next delta", delta, p, later, false},
		{"a total that grows", total, p, later, true},
		{"a total that starts anew", total, p, restarted, false},
		{"another class", total, p, other, false},
	}
	for _, c := range cases {
		a, b := read(t, counters(c.temporality, "a", c.a)), read(t, counters(c.temporality, "b", c.b))
		if same := a[0].Key == b[0].Key; same != c.same {
			t.Errorf("%s: known again %v, want %v", c.name, same, c.same)
		}
	}
	if got := read(t, counters(pmetric.AggregationTemporalityUnspecified, "a", p)); len(got) != 0 {
		t.Errorf("a sum that says not how it adds up: %+v", got)
	}
}

func TestDecode_RefusesWhatIsTooHeavy(t *testing.T) {
	nested := []byte{}
	for range 60 { // an AnyValue with a list of one AnyValue
		nested = field1(5, field1(1, nested))
	}
	records := make([]byte, 0, 3<<20)
	for range 1 << 20 {
		records = append(records, 2<<3|2, 0)
	}
	for name, body := range map[string][]byte{
		"nested":  field1(1, field1(2, field1(2, field1(5, nested)))),
		"crowded": field1(1, field1(2, records)),
	} {
		if _, err := decoder().decode(Logs, false, body); !errors.Is(err, ErrTooLarge) {
			t.Errorf("%s: %v, want %v", name, err, ErrTooLarge)
		}
	}
	if _, err := decoder().decode(Logs, false, []byte{0xff}); !errors.Is(err, ErrMalformed) {
		t.Errorf("half a tag: %v", err)
	}
}

// field1 is a field of protobuf that holds a message.
func field1(number byte, message []byte) []byte {
	out := []byte{number<<3 | 2}
	for n := len(message); ; n >>= 7 {
		if n < 128 {
			out = append(out, byte(n))
			break
		}
		out = append(out, byte(n)|128)
	}
	return append(out, message...)
}

// FuzzDecode holds the decoder to its errors: nothing that comes makes it panic,
// and what it makes of it is sound.
func FuzzDecode(f *testing.F) {
	logs := event(func(plog.ResourceLogs, plog.LogRecord) {})
	proto, _ := (&plog.ProtoMarshaler{}).MarshalLogs(logs)
	text, _ := (&plog.JSONMarshaler{}).MarshalLogs(logs)
	sums := counters(pmetric.AggregationTemporalityDelta, "a", point{"m", "input", at, at.Add(time.Minute), 4})
	protoSums, _ := (&pmetric.ProtoMarshaler{}).MarshalMetrics(sums)
	textSums, _ := (&pmetric.JSONMarshaler{}).MarshalMetrics(sums)
	f.Add(0, false, proto)
	f.Add(0, true, text)
	f.Add(1, false, protoSums)
	f.Add(1, true, textSums)
	f.Add(2, true, []byte(`{"resourceSpans":[{"scopeSpans":[{"spans":[{"name":"claude_code.llm_request","endTimeUnixNano":"1"}]}]}]}`))
	d := decoder()
	f.Fuzz(func(t *testing.T, signal int, json bool, body []byte) {
		got, err := d.decode(Signal(uint(signal)%3), json, body)
		if err != nil && !errors.Is(err, ErrMalformed) && !errors.Is(err, ErrTooLarge) {
			t.Errorf("error %v is none of the two", err)
		}
		for i := range got.Requests {
			r := &got.Requests[i].Request
			if r.RequestID == "" || r.Session == "" || r.EndedAt.IsZero() || r.Tokens.Total() <= 0 || !r.StartedAt.Before(r.EndedAt) || !r.FromTelemetry() {
				t.Errorf("request %s", fmt.Sprintf("%+v", r))
			}
		}
		for _, r := range got.Readings {
			if r.N <= 0 || r.Until.Before(r.Since) || r.Kind == "" {
				t.Errorf("reading %+v", r)
			}
		}
	})
}
