package status

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"meterbridge"
)

// The vectors of the specification, in its notation: w hook working, w? working
// resume only, n needs-input, f finished, "x" typed, CR ESC ^C keys, q quiet, t:
// a transcript's phase with the time of its entry, sub{} the set of sub-agents,
// settle the clock, same the transcript again; @ is in milliseconds.
func vectors() []struct{ signals, want string } {
	return []struct{ signals, want string }{
		{`spawn@0 w@1000 n(Claude wants to run: touch a.txt)@7000 CR@9000 w?@10300 f@10500`, "working, needs-input, working user @9000, finished; since 10500; nothing pending"},
		{`spawn@0 w@0 n@6000 "1"@7000`, "working, needs-input, working user"},
		{`spawn@0 w@0 n@6000 ESC@8000`, "working, needs-input, idle user"},
		{`spawn@0 w@0 n@6000 "3"@7000 q@10000`, "working, needs-input, working user, idle user; since 10000"},
		{`w@0 n@6000 CR@7000 w?@8000 q@11000`, "working, needs-input, working user"},
		{`w@0 f@2000 f@3000`, "working, finished"},
		{`w@0 n(Claude wants to run: ls)@100 n(Claude wants to run: ls)@200 n(Claude needs your permission)@6000`, "working, needs-input, needs-input quiet"},
		{`w@0 ESC@4000 q@7000`, "working, idle user"},
		{`w@0 ESC@4000 w?@5000 q@9000 f@12000`, "working, finished"},
		{`w@0 f@1000 w?@2000`, "working, finished"},
		{`w@0 n(Which color?)@6000 "2"@7000 w?@7100 n(Which size?)@7300 CR@8000 w?@8200 f@8400`, "working, needs-input, working user, needs-input, working user, finished"},
		{`w@0 n@100 "tell it to use pnpm"@200 "ESC[D"@300`, "working, needs-input"},
		{`w@0 n@100 exit@200 spawn@1000`, "working, needs-input, idle reset; since 1000"},
		{`w@0 exit@100 n@150 CR@160`, "working"},
		{`spawn@0`, ""},
		{`spawn@0 CR@100 ESC@200 q@5000`, ""},
		{`w@0 n@500 "y"@2000 f@2500`, "working, needs-input, working user, finished"},
		{`w@0 n@700 CR@1500 w@1600 q@5000 f@9000`, "working, needs-input, working user, finished"},
		{`w@0 n@500 ESC@1500 f@6499`, "working, needs-input, idle user"},
		{`w@0 n@500 ESC@1500 f@6501`, "working, needs-input, idle user, finished"},
		{`w@0 n@100 ESC@200`, "working, needs-input, idle user"},
		{`w@0 n(a)@100 ESC@200 n(a)@400`, "working, needs-input, idle user, needs-input"},
		{`w@0 n@1100 ESC@1300 w@1700 f@1710`, "working, needs-input, idle user"},
		{`w@0 n@100 ESC@200 CR@1000 w@1100 f@3000`, "working, needs-input, idle user, working, finished"},
		{`spawn@0 w@1000 ESC@7000 t:interrupted 7060 {turn 950}@7300`, "working, idle transcript"},
		{`w@1000 ESC@4000 t:busy 950 {turn 950}@4500 q@7000`, "working, idle user"},
		{`w@1000 ^C@5000 t:interrupted 5020@5200`, "working, idle transcript"},
		{`w@1000 t:interrupted 8800@9000`, "working, idle transcript"},
		{`w@1000 ESC@4000 t:interrupted 4050@4100 CR@5500 w@5600 f@6600 t:ended 6610@6700`, "working, idle transcript, working, finished"},
		{`w@1000 f@1300 t:ended 1290@1400`, "working, finished"},
		{`w@1000 t:error 1110 (rate_limit)@1200`, "working, finished transcript error(Claude stopped: API error (rate_limit))"},
		{`w@1000 t:ended 29500@30000`, "working, finished transcript"},
		{`w@1000 t:busy 1500@2000 same@300000`, "working"},
		{`w@1000 t:answered 2000@2100 same@11999 same@12000`, "working, finished transcript @12000"},
		{`f@1000 w@5000 t:ended 990@5050 t:error 4000@5100`, "finished, working"},
		{`f@1000 t:busy 8000 {turn 8000}@9000 t:ended 11000 {turn 8000}@12000`, "finished, working transcript, finished transcript"},
		{`w@1000 w@4000 f@20000 t:busy 20030 {turn 20030}@20100 f@21000`, "working, finished, working transcript, finished"},
		{`w@1000 t:ended 20000 {turn 1000, queued 1}@20100 t:busy 20050 {turn 20050}@21000 t:ended 29000 {turn 20050}@30000`, "working, finished transcript"},
		{`w@1000 t:ended 20000 {turn 1000, queued 1}@20100 same@23000`, "working, finished transcript"},
		{`w@1000 f@5000 t:ended 5010 {turn 1000}@5100 t:answered 5005 {turn 1000}@9000`, "working, finished"},
		{`w@1000 n@7000 t:busy 8900 {assistant 8900}@9000`, "working, needs-input, working transcript"},
		{`w@1000 n@7000 t:interrupted 8500@9000`, "working, needs-input, idle transcript"},
		{`w@1000 n@7000 t:busy 8500 {assistant 1500}@9000`, "working, needs-input"},
		{`w@1000 n@7000 t:busy 1100 {assistant 1100}@9000`, "working, needs-input"},
		{`w@1000 f@2300 t:ended 2310@2400 w@14200 t:busy 14150 {turn 14150}@14300 f@14400`, "working, finished, working, finished"},
		{`w@1000 f@1500 w?@3000 t:ended 1510@3100`, "working, finished"},
		{`w@1000 f@2000 t:ended 2010@3000 same@60000`, "working, finished"},
		{`w@1000 exit@2000 spawn@3000 t:busy 1500 {turn 900}@4000`, "working, idle reset"},
		{`t:busy 900 {turn 900}@1000`, ""},
		{`w@1000 exit@2000 t:ended 2050@2100`, "working"},
		{`w@1000 n@7000 ESC@8000 t:interrupted 8050@8300`, "working, needs-input, idle user"},
		{`spawn@0 w@100 sub{a:1000}@1000 sub{a:1000,b:1100}@1100 w?@1500 sub{b:1100}@3000 sub{}@4000 f@6000`, "working, finished @6000"},
		{`spawn@0 w@100 sub{bg:1000}@1000 f(done for now)@2000`, "working; deferred 2000"},
		{`spawn@0 w@100 sub{bg:1000}@1000 f(done for now)@2000 settle@32000`, "working; deferred 2000"},
		{`spawn@0 w@100 sub{bg:1000}@1000 f(done for now)@2000 sub{}@10000`, "working; deferred 2000; due 13000"},
		{`spawn@0 w@100 sub{bg:1000}@1000 f(done for now)@2000 settle@32000 sub{}@10000 settle@10500`, "working; deferred 2000; due 13000"},
		{`spawn@0 w@100 sub{bg:1000}@1000 f(done for now)@2000 settle@32000 sub{}@10000 settle@10500 settle@13000`, "working, finished (done for now) @13000"},
		{`spawn@0 w@100 sub{bg:1000}@1000 f@2000 sub{}@9000 w@9200 settle@9300 settle@12010 f@12500`, "working, finished @12500"},
		{`spawn@0 w@100 sub{bg:1000}@1000 t:ended 1900 {turn 100}@2000 same@3000`, "working; deferred 2000; subagents 1"},
		{`spawn@0 w@100 sub{bg:1000}@1000 t:ended 1900 {turn 100}@2000 same@3000 t:busy 5000 {turn 5000}@5100`, "working; subagents 1; not deferred"},
		{`spawn@0 w@100 sub{bg:1000}@1000 f@2000 n(Subagent general-purpose: Claude wants to run: ls)@3000 "1"@4000 w?@4500`, "working, needs-input, working user; deferred 2000"},
		{`spawn@0 w@100 sub{bg:1000}@1000 f@2000 n(Subagent general-purpose: Claude wants to run: ls)@3000 "1"@4000 w?@4500 sub{}@8000 settle@11000`, "working, needs-input, working user, finished"},
		{`spawn@0 w@100 sub{a:1000}@1000 t:error 1900 (rate_limit) {turn 100}@2000`, "working, finished transcript error(Claude stopped: API error (rate_limit))"},
		{`spawn@0 w@100 sub{bg:1000}@1000 f@2000 t:interrupted 2900@3000`, "working, idle transcript; not deferred; subagents 1"},
		{`spawn@0 w@100 sub{lost:1000}@1000 f@2000`, "working; due 3602000"},
		{`spawn@0 w@100 sub{lost:1000}@1000 f@2000 settle@3602000`, "working, finished; subagents 0"},
		{`spawn@0 w@100 f@1000 sub{late:5000}@5000 f@6000 sub{}@7000 settle@10000`, "working, finished, working, finished"},
		{`spawn@0 w@100 sub{a:500}@500 sub{}@800 f@1000 sub{a:500}@2000`, "working, finished"},
		{`spawn@0 w@100 sub{bg:1000}@1000 f@2000 exit@3000 spawn@4000`, "working, idle reset; subagents 0; not deferred; due 0"},
		{`spawn@0 w@100 sub{bg:1000}@1000 f@2000 CR@3000`, "working; not deferred"},
		// Not of the specification: a late Stop, and a sub-agent's parent that failed.
		{`w@0 f@500 w@1000 f(late)@900`, "working, finished, working"},
		{`w@0 sub{a:10}@10 f@20 sub{a:10,b:30}@30 sub{b:30}@40 settle@3041 sub{}@3100 settle@6100`, "working, finished @6100"},
	}
}

func TestMachine_VectorsOfTheSpecification(t *testing.T) {
	for n, v := range vectors() {
		t.Run(fmt.Sprintf("%d", n+1), func(t *testing.T) {
			var m Machine
			var got []Publication
			var last meterbridge.TranscriptView
			var keys KeyReader
			for _, s := range signals(t, v.signals, &last, &keys) {
				if p, ok := m.Step(s); ok {
					got = append(got, p)
				}
			}
			want, checks, _ := strings.Cut(v.want, ";")
			checkPublications(t, v.signals, want, got)
			for _, c := range strings.Split(checks, ";") {
				checkState(t, v.signals, strings.TrimSpace(c), &m)
			}
		})
	}
}

func at(ms int) time.Time { return time.UnixMilli(int64(ms)) }

var (
	signalText = regexp.MustCompile(`(t:[a-z]+ \d+(?: ?\([a-z_]+\))?(?: ?\{[^}]*\})?|sub\{[^}]*\}|"[^"]*"|[a-z]\([^@]*\)|[A-Za-z^?]+)@(\d+)`)
	lookText   = regexp.MustCompile(`^t:([a-z]+) (\d+)(?: ?\(([a-z_]+)\))?(?: ?\{([^}]*)\})?$`)
)

func signals(t *testing.T, text string, last *meterbridge.TranscriptView, keys *KeyReader) []Signal {
	t.Helper()
	if rest := strings.TrimSpace(signalText.ReplaceAllString(text, "")); rest != "" {
		t.Fatalf("vector %q: not understood: %q", text, rest)
	}
	var out []Signal
	for _, m := range signalText.FindAllStringSubmatch(text, -1) {
		ms, _ := strconv.Atoi(m[2])
		s := signal(t, m[1], last, keys)
		s.At = at(ms)
		out = append(out, s)
	}
	return out
}

func signal(t *testing.T, text string, last *meterbridge.TranscriptView, keys *KeyReader) Signal {
	t.Helper()
	word, rest, _ := strings.Cut(text, "(")
	detail := strings.TrimSuffix(rest, ")")
	chunks := map[string]string{"CR": "\r", "ESC": "\x1b", "^C": "\x03"}
	kinds := map[string]SignalKind{"spawn": Spawn, "exit": Exit, "w": Work, "w?": Resume, "n": Ask, "f": Finish, "q": Silence, "settle": Settle}
	switch {
	case chunks[word] != "":
		return Signal{Kind: Press, Key: keys.Read([]byte(chunks[word]))}
	case strings.HasPrefix(text, `"`):
		typed := strings.ReplaceAll(strings.Trim(text, `"`), "ESC", "\x1b")
		return Signal{Kind: Press, Key: keys.Read([]byte(typed))}
	case strings.HasPrefix(text, "t:"):
		*last = lookAt(t, text)
		return Signal{Kind: Look, View: *last}
	case text == "same":
		return Signal{Kind: Look, View: *last}
	case strings.HasPrefix(text, "sub{"):
		return Signal{Kind: Subagents, Running: runningOf(text)}
	}
	kind, ok := kinds[word]
	if !ok {
		t.Fatalf("signal %q not understood", text)
	}
	return Signal{Kind: kind, Detail: detail}
}

func lookAt(t *testing.T, text string) meterbridge.TranscriptView {
	t.Helper()
	m := lookText.FindStringSubmatch(text)
	if m == nil {
		t.Fatalf("transcript %q not understood", text)
	}
	ms, _ := strconv.Atoi(m[2])
	v := meterbridge.TranscriptView{Phase: meterbridge.TranscriptPhase(m[1]), At: at(ms), Error: m[3]}
	if m[3] != "" {
		v.ErrorText = "Claude stopped: API error (" + m[3] + ")"
	}
	for _, part := range strings.Split(m[4], ",") {
		name, number, _ := strings.Cut(strings.TrimSpace(part), " ")
		n, _ := strconv.Atoi(number)
		switch name {
		case "turn":
			v.TurnAt = at(n)
		case "assistant":
			v.AssistantAt = at(n)
		case "queued":
			v.Queued = n
		}
	}
	return v
}

func runningOf(text string) []meterbridge.RunningSubagent {
	var set []meterbridge.RunningSubagent
	for _, part := range strings.Split(strings.Trim(strings.TrimPrefix(text, "sub"), "{}"), ",") {
		if id, start, ok := strings.Cut(part, ":"); ok {
			n, _ := strconv.Atoi(start)
			set = append(set, meterbridge.RunningSubagent{ID: id, Since: at(n)})
		}
	}
	return set
}

var wantText = regexp.MustCompile(`^([a-z-]+)(?: (user|reset|transcript|quiet))?(?: error\((.*)\))?(?: \(([^)]*)\))?(?: @(\d+))?$`)

func checkPublications(t *testing.T, input, want string, got []Publication) {
	t.Helper()
	var texts []string
	if want != "" {
		texts = strings.Split(want, ", ")
	}
	if len(texts) != len(got) {
		t.Fatalf("%s\ngot  %+v\nwant %s", input, got, want)
	}
	for i, text := range texts {
		m := wantText.FindStringSubmatch(text)
		if m == nil {
			t.Fatalf("want %q not understood", text)
		}
		p := Publication{Status: meterbridge.Status(m[1]), Origin: ByHook, At: got[i].At, Detail: got[i].Detail, Quiet: m[2] == "quiet"}
		if m[2] != "" && m[2] != "quiet" {
			p.Origin = Origin(m[2])
		}
		if m[3] != "" {
			p.Error, p.Detail = "rate_limit", m[3]
		}
		if m[4] != "" {
			p.Detail = m[4]
		}
		if m[5] != "" {
			ms, _ := strconv.Atoi(m[5])
			p.At = at(ms)
		}
		if diff := cmp.Diff(p, got[i]); diff != "" {
			t.Errorf("%s\npublication %d of %s (-want +got)\n%s", input, i+1, want, diff)
		}
	}
}

func checkState(t *testing.T, input, check string, m *Machine) {
	t.Helper()
	word, number, _ := strings.Cut(check, " ")
	n, _ := strconv.Atoi(number)
	var got any
	var want any = at(n)
	switch word {
	case "":
		return
	case "since":
		got = m.Since()
	case "deferred":
		got = m.Deferred()
	case "due":
		got = m.Due()
		if n == 0 {
			want = time.Time{}
		}
	case "subagents":
		got, want = len(m.Subagents()), n
	case "not":
		got, want = m.Deferred(), time.Time{}
	case "nothing":
		got, want = m.Guess(), time.Time{}
	default:
		t.Fatalf("check %q not understood", check)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s: %s (-want +got)\n%s", input, check, diff)
	}
}
