package analytics

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// causeWords are the causes of a report as "key/model: cause(!)".
func (r CompareReport) causeWords() []string {
	var out []string
	add := func(where string, causes []Cause) {
		for _, c := range causes {
			word := where + ": " + c.Cause
			if c.Certain {
				word += "!"
			}
			out = append(out, word)
		}
	}
	for _, row := range r.Rows {
		add(row.Key, row.Causes)
		for _, m := range row.Models {
			add(row.Key+"/"+m.Model, m.Causes)
		}
	}
	return out
}

// rowsAgree: every row that both have is the same.
func (r CompareReport) rowsAgree() bool {
	for _, row := range r.Rows {
		if !row.Agree {
			return false
		}
	}
	return true
}

// Two sides agree only where neither lacks what the other has. The ledger has
// claude-code on 30 September and 5 October, codex-cli on 6 October.
func TestCompare_NeverAgreesWithWhatIsMissing(t *testing.T) {
	w := shop(t)
	before, fifth := peerDay("2026-09-30", september), peerDay("2026-10-05", opus, newcomer)
	sessions := func(ids ...string) string {
		all := map[string]string{
			"aaaa-1": `{"sessionId":"aaaa-1","inputTokens":35,"outputTokens":240,"cacheCreationTokens":760,"cacheReadTokens":18600,"totalCost":0.000003234568}`,
			"aaaa-2": `{"sessionId":"aaaa-2","inputTokens":12,"outputTokens":60,"cacheCreationTokens":300,"cacheReadTokens":9700,"totalCost":5e-06}`,
			"cccc-1": `{"sessionId":"cccc-1","inputTokens":1,"outputTokens":2,"cacheCreationTokens":0,"cacheReadTokens":0,"totalCost":1e-12}`,
		}
		var rows []string
		for _, id := range ids {
			rows = append(rows, all[id])
		}
		return `{"sessions":[` + strings.Join(rows, ",") + `]}`
	}
	tests := []struct {
		why, report, harness string
		agree                bool
		missing              []string
	}{
		{"all of one harness", daily(before, fifth), "claude-code", true, []string{}},
		{"the first day is missing", daily(fifth), "claude-code", false, []string{"2026-09-30"}},
		{"the last day is missing", daily(before), "claude-code", false, []string{"2026-10-05"}},
		{"a day between", daily(peerDay("2026-09-29", "opus 0 0 0 0 0"), before, peerDay("2026-10-07", "opus 0 0 0 0 0")), "claude-code", false, []string{"2026-10-05"}},
		{"nothing at all", `{"daily":[],"totals":{}}`, "", false, []string{"2026-09-30", "2026-10-05", "2026-10-06"}},
		{"null", `{"daily":null}`, "", false, []string{"2026-09-30", "2026-10-05", "2026-10-06"}},
		{"nothing of one harness", `{"monthly":[]}`, "codex-cli", false, []string{"2026-10-06"}},
		{"a day that only they have", daily(before, fifth, peerDay("2026-10-09", "opus 1 0 0 0 0")), "claude-code", false, []string{}},
		{"a month without the one before", `{"monthly":[{"month":"2026-10","inputTokens":47,"outputTokens":300,"cacheCreationTokens":1060,"cacheReadTokens":28300,"totalCost":0.000008234568}]}`, "claude-code", false, []string{"2026-09-30"}},
		{"all sessions", sessions("aaaa-1", "aaaa-2", "cccc-1"), "claude-code", true, []string{}},
		{"a session is missing", sessions("aaaa-1", "cccc-1"), "claude-code", false, []string{"aaaa-2"}},
	}
	for _, tt := range tests {
		got, err := w.l.Compare(t.Context(), []byte(tt.report), CompareOptions{Zone: time.UTC, Harness: tt.harness})
		if err != nil {
			t.Errorf("%s: %v", tt.why, err)
			continue
		}
		if d := cmp.Diff(tt.missing, got.Missing); d != "" || got.Agree != tt.agree {
			t.Errorf("%s: agree %v, want %v; missing (-want +got):\n%s", tt.why, got.Agree, tt.agree, d)
		}
		hint := strings.Join(got.Hints, "\n")
		for _, key := range tt.missing {
			if !strings.Contains(hint, key) {
				t.Errorf("%s: the hints %q do not name %s", tt.why, hint, key)
			}
		}
	}
}

// peerDay writes a row of a daily report with its models; each is "name in out
// write read cost".
func peerDay(date string, models ...string) string {
	var sum [4]int64
	var cost float64
	var list []string
	for _, m := range models {
		var name string
		var n [4]int64
		var usd float64
		if _, err := fmt.Sscanf(m, "%s %d %d %d %d %g", &name, &n[0], &n[1], &n[2], &n[3], &usd); err != nil {
			panic(err)
		}
		for i := range n {
			sum[i] += n[i]
		}
		cost += usd
		list = append(list, fmt.Sprintf(`{"modelName":%q,"inputTokens":%d,"outputTokens":%d,"cacheCreationTokens":%d,"cacheReadTokens":%d,"cost":%g}`, name, n[0], n[1], n[2], n[3], usd))
	}
	return fmt.Sprintf(`{"date":%q,"inputTokens":%d,"outputTokens":%d,"cacheCreationTokens":%d,"cacheReadTokens":%d,"totalCost":%g,"modelsUsed":[],"modelBreakdowns":[%s]}`,
		date, sum[0], sum[1], sum[2], sum[3], cost, strings.Join(list, ","))
}

func daily(rows ...string) string {
	return `{"daily":[` + strings.Join(rows, ",") + `],"totals":{}}`
}

// The ledger's 5 October: opus r1+r2+r4 = 42 in, 260 out, 1000 written, 28200
// read, 8.234568 micro-USD; newcomer r3 = 5/40/60/100 without a price. Its 6th:
// gpt r5 = 100/10/0/50, 4 of the 10 reasoning, 7 micro-USD recorded.
const (
	opus      = "opus 42 260 1000 28200 8.234568e-06"
	newcomer  = "newcomer 5 40 60 100 0"
	september = "opus 1 2 0 0 1e-12"
)

func TestCompare_Causes(t *testing.T) {
	w := shop(t)
	w.request(requestRow{native: "r7", harness: "codex-cli", session: 4, project: "/srv/other", model: "gpt", end: at("2026-10-06T09:00:10Z"), in: 7, source: 4, line: 9, recorded: 0})
	tests := []struct {
		why, report string
		want        []string
	}{
		{"the same", daily(peerDay("2026-10-05", opus, newcomer)), nil},
		{"sub-agents are missing", daily(peerDay("2026-10-05", opus)), []string{"2026-10-05/newcomer: sub-agents!"}},
		{"one line is missing", daily(peerDay("2026-10-05", "opus 22 180 1000 18700 6.2e-06", newcomer)), []string{"2026-10-05/opus: request-missing!"}},
		{"two lines are missing", daily(peerDay("2026-10-05", "opus 20 80 0 9500 2e-06", newcomer)), []string{"2026-10-05/opus: requests-missing"}},
		{"a copy is counted", daily(peerDay("2026-10-05", "opus 52 380 1700 37200 1e-05", newcomer)), []string{"2026-10-05/opus: copies!"}},
		{
			"a line is missing and a copy is counted", daily(peerDay("2026-10-05", "opus 32 300 1700 27700 1e-05", newcomer)),
			[]string{"2026-10-05/opus: request-missing!", "2026-10-05/opus: copies!"},
		},
		{"an early snapshot", daily(peerDay("2026-10-05", "opus 42 199 1000 28200 8e-06", newcomer)), []string{"2026-10-05/opus: early-snapshot"}},
		{"a price", daily(peerDay("2026-10-05", "opus 42 260 1000 28200 6e-06", newcomer)), []string{"2026-10-05/opus: one-hour-writes"}},
		{"a price there, none here", daily(peerDay("2026-10-05", opus, "newcomer 5 40 60 100 3e-05")), []string{"2026-10-05/newcomer: unpriced-here!"}},
		{"nobody knows", daily(peerDay("2026-10-05", "opus 42 261 999 28200 8.234568e-06", newcomer)), []string{"2026-10-05/opus: unknown"}},
		{"a model that is not here", daily(peerDay("2026-10-05", opus, newcomer, "stranger 1 1 0 0 0")), []string{"2026-10-05/stranger: model"}},
		{"a label before the name", daily(peerDay("2026-10-05", "x/"+opus, newcomer)), nil},
		{"a day whose log is gone", daily(peerDay("2026-09-29", "opus 0 0 0 0 0"), peerDay("2026-10-05", opus, newcomer)), []string{"2026-09-30: kept-after-deletion!"}},
		{"reasoning is left out", daily(peerDay("2026-10-06", "gpt 107 6 0 50 7e-06")), []string{"2026-10-06/gpt: reasoning!"}},
		{"reasoning is added", daily(peerDay("2026-10-06", "gpt 107 14 0 50 7e-06")), []string{"2026-10-06/gpt: reasoning!"}},
		{"input includes cache reads", daily(peerDay("2026-10-06", "gpt 157 10 0 50 7e-06")), []string{"2026-10-06/gpt: classes!"}},
		{"the recorded cost is not used", daily(peerDay("2026-10-06", "gpt 107 10 0 50 9e-06")), []string{"2026-10-06/gpt: recorded-cost"}},
		{"no cost there", daily(peerDay("2026-10-06", "gpt 107 10 0 50 0")), []string{"2026-10-06/gpt: unpriced-there"}},
	}
	for _, tt := range tests {
		got, err := w.l.Compare(t.Context(), []byte(tt.report), CompareOptions{Zone: time.UTC})
		if err != nil {
			t.Errorf("%s: %v", tt.why, err)
			continue
		}
		if d := cmp.Diff(tt.want, got.causeWords()); d != "" || got.rowsAgree() != (tt.want == nil) {
			t.Errorf("%s: rows agree %v, %s\n(-want +got):\n%s", tt.why, got.rowsAgree(), pretty(got.Rows), d)
		}
	}
}

// A model that only has another name there is named, and agrees.
func TestCompare_OtherNames(t *testing.T) {
	w := shop(t)
	report := daily(peerDay("2026-10-05", "claude-opus 42 260 1000 28200 8.234568e-06", newcomer))
	got, err := w.l.Compare(t.Context(), []byte(report), CompareOptions{Zone: time.UTC})
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"2026-10-05/claude-opus: model-name!"}, got.causeWords()); d != "" || !got.rowsAgree() {
		t.Errorf("rows agree %v (-want +got):\n%s", got.rowsAgree(), d)
	}
}

func TestCompare_NamesTheLine(t *testing.T) {
	w := shop(t)
	got, err := w.l.Compare(t.Context(), []byte(daily(peerDay("2026-10-05", "opus 22 180 1000 18700 6.2e-06", newcomer))), CompareOptions{Zone: time.UTC})
	if err != nil {
		t.Fatal(err)
	}
	detail := got.Rows[0].Models[0].Causes[0].Detail
	if want := "request " + hexID(id("claude-code", "r2")) + " (/srv/logs/a.jsonl:9)"; !strings.HasPrefix(detail, want) {
		t.Errorf("detail %q, want it to begin with %q", detail, want)
	}
	if !got.Guessed || !cmp.Equal(got.Harnesses, []string{"claude-code"}) {
		t.Errorf("harnesses %v, guessed %v; want claude-code, guessed", got.Harnesses, got.Guessed)
	}
	outside := []OutsideSums{{Where: "before its first row", Requests: 1, Kept: 1, CompareSums: CompareSums{InputTokens: 1, OutputTokens: 2, TotalTokens: 3, CostMicroUSD: ptr[int64](1)}}}
	if d := cmp.Diff(outside, got.Outside); d != "" {
		t.Errorf("outside (-want +got):\n%s", d)
	}
}

// Every form of report, each in agreement with the ledger.
func TestCompare_Forms(t *testing.T) {
	w := shop(t)
	october := `"inputTokens":47,"outputTokens":300,"cacheCreationTokens":1060,"cacheReadTokens":28300,"totalTokens":29707,"totalCost":0.000008234568`
	tests := []struct{ why, kind, report string }{
		{"weekly, from a Sunday", "weekly", `{"weekly":[{"week":"2026-10-04",` + october + `}]}`},
		{"monthly", "monthly", `{"monthly":[{"month":"2026-10",` + october + `}]}`},
		{"by project", "daily", `{"projects":{"-srv-a":[` + peerDay("2026-10-05", opus) + `],"-srv-b":[` + peerDay("2026-10-05", newcomer) + `]}}`},
		{"sessions", "session", `{"sessions":[{"sessionId":"aaaa-2","projectPath":"p","inputTokens":12,"outputTokens":60,"cacheCreationTokens":300,"cacheReadTokens":9700,"totalCost":5e-06}]}`},
		{"sessions with their sub-agents", "session", `{"sessions":[{"sessionId":"aaaa-1","inputTokens":35,"outputTokens":240,"cacheCreationTokens":760,"cacheReadTokens":18600,"totalCost":0.000003234568}]}`},
		{"a session behind a path", "session", `{"sessions":[{"sessionId":"2026/10/06/rollout-2026-10-06T09-00-00-bbbb-1","inputTokens":100,"outputTokens":10,"cacheCreationTokens":0,"cacheReadTokens":50,"costUSD":7e-06,"models":{"gpt":{"inputTokens":100,"outputTokens":10,"cacheReadTokens":50}}}]}`},
		{"unified sessions", "session", `{"session":[{"agent":"codex","period":"bbbb-1","inputTokens":100,"outputTokens":10,"cacheReadTokens":50,"totalCost":7e-06,"metadata":{"lastActivity":"x"}}]}`},
		{"unified days of two harnesses", "daily", `{"daily":[{"agent":"all","period":"2026-10-05","metadata":{"agents":["claude","codex"]},` + october + `},{"agent":"all","period":"2026-10-06","metadata":{"agents":["codex"]},"inputTokens":100,"outputTokens":10,"cacheReadTokens":50,"totalCost":7e-06}]}`},
		{"Codex before version 20", "daily", `{"daily":[{"date":"Oct 06, 2026","inputTokens":150,"cachedInputTokens":50,"outputTokens":10,"reasoningOutputTokens":4,"totalTokens":160,"costUSD":0.000007,"models":{"gpt":{"inputTokens":150,"cachedInputTokens":50,"outputTokens":10,"isFallback":false}}}]}`},
		{"blocks", "blocks", `{"blocks":[{"id":"x","startTime":"2026-10-05T08:00:00.000Z","endTime":"2026-10-05T13:00:00.000Z","isGap":false,"costUSD":0.000008234568,"tokenCounts":{"inputTokens":47,"outputTokens":300,"cacheCreationInputTokens":1060,"cacheReadInputTokens":28300},"models":["opus"]},{"isGap":true,"startTime":"2026-10-05T13:00:00.000Z"}]}`},
	}
	for _, tt := range tests {
		got, err := w.l.Compare(t.Context(), []byte(tt.report), CompareOptions{Zone: time.UTC})
		if err != nil || got.Kind != tt.kind || len(got.Rows) == 0 {
			t.Errorf("%s: kind %q, %d rows, %v; want %q", tt.why, got.Kind, len(got.Rows), err, tt.kind)
			continue
		}
		for _, r := range got.Rows {
			if r.Ours == nil || r.Theirs == nil || r.Ours.TotalTokens != r.Theirs.TotalTokens {
				t.Errorf("%s: row %s: ours %s, theirs %s", tt.why, r.Key, pretty(r.Ours), pretty(r.Theirs))
			}
		}
	}
}

// Requests at 23:30Z on the 5th and the 6th lie on the 6th and the 7th one hour east.
func TestCompare_HintsAtTheZone(t *testing.T) {
	w := newWorld(t, Options{ReportZone: time.UTC})
	w.source(1, "claude-code", "/srv/logs/a.jsonl", "", false)
	w.session(sessionRow{id: 1, harness: "claude-code", native: "s", first: at("2026-10-05T23:30:00Z"), last: at("2026-10-06T23:30:00Z")})
	w.request(requestRow{native: "a", harness: "claude-code", session: 1, model: "opus", end: at("2026-10-05T23:30:00Z"), in: 1, source: 1, line: 1})
	w.request(requestRow{native: "b", harness: "claude-code", session: 1, model: "opus", end: at("2026-10-06T23:30:00Z"), in: 10, source: 1, line: 2})
	report := daily(peerDay("2026-10-06", "opus 1 0 0 0 0"), peerDay("2026-10-07", "opus 10 0 0 0 0"))
	got, err := w.l.Compare(t.Context(), []byte(report), CompareOptions{Zone: time.UTC})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(got.Hints); n != 2 || !strings.HasPrefix(got.Hints[n-1], "with days of UTC+01:00 2 of 2 days have the same tokens, with those of UTC 0") {
		t.Errorf("hints %q, want one of a missing day and one of UTC+01:00", got.Hints)
	}
	east := time.FixedZone("UTC+1", 3600)
	if got, err = w.l.Compare(t.Context(), []byte(report), CompareOptions{Zone: east}); err != nil || !got.Agree || len(got.Hints) != 0 {
		t.Errorf("in that zone: agree %v, hints %q, %v", got.Agree, got.Hints, err)
	}
}

func TestCompare_Refuses(t *testing.T) {
	w := newWorld(t, Options{})
	for _, report := range []string{
		"", "[]", "{}", "null", `{"daily":5}`, `{"daily":[{"date":"yesterday"}]}`, `{"daily":[{}]}`, `{"sessions":[{}]}`,
		`{"blocks":[{"startTime":"x"}]}`, `{"projects":[]}`, `{"daily":[{"date":"2026-10-05","models":{"a":1}}]}`, "\xff\xfe",
	} {
		_, err := w.l.Compare(t.Context(), []byte(report), CompareOptions{})
		if !errors.Is(err, ErrReport) {
			t.Errorf("Compare(%q) = %v, want ErrReport", report, err)
		}
	}
	if got, err := w.l.Compare(t.Context(), []byte(`{"daily":[]}`), CompareOptions{}); err != nil || !got.Agree {
		t.Errorf("an empty report of an empty ledger: agree %v, %v", got.Agree, err)
	}
}

func FuzzReadPeer(f *testing.F) {
	f.Add([]byte(daily(peerDay("2026-10-05", opus))))
	f.Add([]byte(`{"blocks":[{"startTime":"2026-10-05T08:00:00.000Z","endTime":"2026-10-05T13:00:00.000Z","tokenCounts":{"inputTokens":1}}]}`))
	f.Add([]byte(`{"projects":{"a":[{"date":"Oct 06, 2026","models":{"gpt":{"inputTokens":150}}}]}}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		p, err := readPeer(b)
		if err == nil && !json.Valid([]byte(strings.TrimPrefix(string(b), "\ufeff"))) {
			t.Errorf("readPeer(%q) = %v, though it is no JSON", b, p)
		}
	})
}
