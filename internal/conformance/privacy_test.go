package conformance

import (
	"bytes"
	"strings"
	"testing"

	"meterbridge/harnesses"
	"meterbridge/internal/testkit"
)

// Where the user keeps no texts, a parser's memory holds none after any line,
// and no prompt is lost for it.
func TestFixtures_NoTextsInTheMemoryWhenNoneAreKept(t *testing.T) {
	forEachFixture(t, func(t *testing.T, f *fixture) {
		home, ledger := f.build(t), &testkit.Memory{}
		f.scan(t, home.env, ledger)
		for _, l := range f.logs(t, home, ledger) {
			if l.kind.Shape == harnesses.Lines {
				checkSilent(t, f, l)
			}
		}
	})
}

func checkSilent(t *testing.T, f *fixture, l log) {
	t.Helper()
	silent := feeder{h: &f.harness, log: l, silent: true}
	texts, want := textsOf(&feeder{h: &f.harness, log: l}, l.content)
	got := 0
	for i, line := range wholeLines(l.content) {
		got += len(silent.next(line).Prompts)
		for text := range texts {
			if bytes.Contains(silent.state, []byte(text)) {
				t.Fatalf("%s: the memory after line %d holds %q", l.rel, i+1, text)
			}
		}
	}
	if got != want {
		t.Errorf("%s: %d prompts, want %d", l.rel, got, want)
	}
}

// textsOf are the texts that a log gives, and the number of its prompts. Texts
// of one word are left out: ids are of that kind too.
func textsOf(f *feeder, content []byte) (texts map[string]bool, prompts int) {
	texts = map[string]bool{}
	note := func(text string) {
		if strings.Contains(strings.TrimSpace(text), " ") && !strings.ContainsAny(text, "\"\\\n<>&") {
			texts[text] = true
		}
	}
	for _, line := range wholeLines(content) {
		b := f.next(line)
		prompts += len(b.Prompts)
		for _, p := range b.Prompts {
			note(p.Preview)
		}
		for _, s := range b.Sessions {
			note(s.Title)
			note(s.LastReply)
		}
	}
	return texts, prompts
}
