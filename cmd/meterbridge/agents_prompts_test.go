//go:build agents

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"meterbridge/internal/daemon"
)

// soakPrompts is how many prompts `make soak-prompts` sends to each harness;
// METERBRIDGE_SOAK_PROMPTS is another number.
func soakPrompts() int {
	if n, err := strconv.Atoi(os.Getenv("METERBRIDGE_SOAK_PROMPTS")); err == nil {
		return n
	}
	return 100
}

// Every prompt of a person arrives in the model's request once, in order, and as it
// was cleaned.
func TestSoak_PromptsOfAPerson(t *testing.T) {
	for _, h := range labHarnesses() {
		t.Run(h.id, func(t *testing.T) {
			t.Parallel()
			l := newLab(t, h)
			l.start()
			l.settled()
			l.prompts(soakPrompts())
		})
	}
}

// promptKinds make the texts that people send, of each kind in turn, by the number
// of the prompt: what is given, and what is left of it to be typed; "" for the same.
var promptKinds = []func(n int) (given, typed string){
	func(int) (string, string) { return "say hello", "" },
	func(n int) (string, string) {
		return "these lines\n\n  indented by two\n\n\nafter two empty ones: `code` and \"quotes\"\n- a list " + strconv.Itoa(n) + "\n\tby a tab\nthe last", ""
	},
	func(n int) (string, string) { return longPrompt(n), "" },
	func(int) (string, string) {
		return "日本語 и кириллица, ﷽ עברית العربية, e\u0301 and é, ﬁ, 🙂 👩‍👩‍👧‍👦 🇩🇪 👍🏽, zero\u200bwidth, no\u00a0break, \u202eright to left\u202c, 𝒜𝓈, ①", ""
	},
	func(n int) (string, string) {
		const text = "^C <Esc> <CR> [201~ [200~ \\x1b[201~ \\e[201~ \\r\\n ${HOME} `id` $(id) %s !! C-x C-c"
		end := []string{"", `\`, " ", "\n\n", "[201~"}[n/5%5]
		return "keys: \x1b[A \x1b[201~ \x1b[200~nested\x1b[201~ \x03\x04\x1a " + text + "\r\nan \x7f\u009b201~end" + end,
			"keys: [A  nested  " + text + "\nan end" + strings.TrimSpace(end)
	},
}

// mostCharacters is the length of the longest.
const mostCharacters = 20000

// longPrompt has 20,000 characters with its mark, on one line or on many.
func longPrompt(n int) string {
	const mark = len("LAB:plain p000 ")
	var b strings.Builder
	for i := 0; b.Len() < mostCharacters-mark; i++ {
		fmt.Fprintf(&b, "word%d", i)
		if b.WriteByte(' '); n%2 == 0 && i%11 == 10 {
			b.WriteByte('\n')
		}
	}
	return b.String()[:mostCharacters-mark-1] + "."
}

// prompts sends so many prompts as fast as they are taken, of each kind in turn, and
// holds what the model was asked against them.
func (l *lab) prompts(n int) {
	l.t.Helper()
	begun := time.Now()
	l.deadline = begun.Add(labLimit + time.Duration(n)*4*time.Second)
	var want []string
	for i := range n {
		given, typed := promptKinds[i%len(promptKinds)](i)
		mark := fmt.Sprintf("LAB:plain p%03d ", i)
		text := mark + given
		if typed == "" {
			typed = given
		}
		if want = append(want, mark+typed); l.h.took != nil {
			want[i] = l.h.took(want[i])
		}
		c := exec.CommandContext(l.t.Context(), l.program, "prompt", l.agent, "-", "--json")
		c.Env, c.Dir, c.Stdin = l.env, l.demo, strings.NewReader(text)
		if out, err := c.CombinedOutput(); err != nil {
			l.t.Fatalf("prompt %d: %v\n%s", i, err, out)
		}
	}
	l.await("the end of the queue", func() bool {
		var list daemon.PromptList
		l.json(&list, "queue", l.agent, "--json")
		return len(list.Rows) == 0
	})
	l.await("the answer to the last", func() bool { return len(l.askedPrompts()) >= n })
	var log daemon.PromptList
	l.json(&log, "queue", "log", l.agent, "--last", strconv.Itoa(n), "--json")
	for _, p := range log.Rows {
		if p.State != "sent" {
			l.t.Errorf("%.40q is %s: %v", p.Text, p.State, deref(p.Reason))
		}
	}
	l.arrived(want)
	l.t.Logf("%s: %d prompts in %v", l.h.id, n, time.Since(begun).Round(time.Second))
}

func (l *lab) json(v any, args ...string) {
	l.t.Helper()
	if err := json.Unmarshal([]byte(l.ask(args...)), v); err != nil {
		l.t.Fatal(err)
	}
}

// arrived compares what arrived with what was sent.
func (l *lab) arrived(want []string) {
	l.t.Helper()
	got := l.askedPrompts()
	if len(got) != len(want) {
		l.t.Errorf("%s was asked %d prompts, want %d", l.h.id, len(got), len(want))
	}
	wrong := 0
	for i := range min(len(got), len(want)) {
		if got[i] == want[i] {
			continue
		}
		at := 0
		for at < min(len(got[i]), len(want[i])) && got[i][at] == want[i][at] {
			at++
		}
		from := max(0, at-20)
		l.t.Errorf("prompt %d, byte %d of %d (got %d):\ngot  %q\nwant %q", i, at, len(want[i]), len(got[i]), got[i][from:min(len(got[i]), at+80)], want[i][from:min(len(want[i]), at+80)])
		if wrong++; wrong > 20 {
			break
		}
	}
}

// promptMark begins each prompt of these tests.
var promptMark = regexp.MustCompile(`LAB:plain p\d{3} `)

// askedPrompts are the prompts in the model's requests, each as often as a
// conversation has it, in the order in which they came.
func (l *lab) askedPrompts() (list []string) {
	l.t.Helper()
	text, err := os.ReadFile(l.asked)
	if err != nil {
		l.t.Fatal(err)
	}
	seen := map[string]int{}
	for line := range bytes.Lines(text) {
		var r struct{ Body map[string]json.RawMessage }
		if json.Unmarshal(line, &r) != nil || len(r.Body["tools"]) < 10 {
			continue // the last one may be half written; one without tools is a title
		}
		here := map[string]int{}
		for _, said := range saidByUser(r.Body) {
			if l.h.unwrap != nil {
				said = l.h.unwrap.ReplaceAllString(said, "$1")
			}
			mark := promptMark.FindString(said)
			if mark == "" {
				continue
			}
			if here[mark]++; here[mark] > seen[mark] {
				seen[mark] = here[mark]
				list = append(list, said)
			}
		}
	}
	return list
}

// saidByUser are the texts of the user's messages of a request, in any of the APIs.
func saidByUser(body map[string]json.RawMessage) (texts []string) {
	type part struct {
		Text string
	}
	type message struct {
		Role    string
		Content json.RawMessage
		Parts   []part
	}
	var messages []message
	for _, key := range []string{"messages", "input", "contents"} {
		var m []message
		if json.Unmarshal(body[key], &m) == nil {
			messages = append(messages, m...)
		}
	}
	for _, m := range messages {
		if m.Role != "user" {
			continue
		}
		var whole string
		parts := m.Parts
		if json.Unmarshal(m.Content, &whole) == nil {
			parts = append(parts, part{whole})
		} else {
			_ = json.Unmarshal(m.Content, &parts)
		}
		for _, p := range parts {
			texts = append(texts, p.Text)
		}
	}
	return slices.DeleteFunc(texts, func(s string) bool { return s == "" })
}
