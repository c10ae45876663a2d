package queue

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"meterbridge"
)

func codeOf(err error) Code {
	if r := (*Refusal)(nil); errors.As(err, &r) {
		return r.Code
	}
	if err != nil {
		return Code("other: " + err.Error())
	}
	return ""
}

// Each row is wrong in its own way and in every later one: the first is told.
func TestSubmit_RefusesInTheOrderOfTheContract(t *testing.T) {
	send := Request{Sender: card, Agent: "ag-1", Text: "do it", WhenBusy: BusyFail}
	all := func(w *world) {
		w.denied, w.unlinked, w.budget = errors.New("not permitted"), errors.New("not linked"), "b"
		w.agent.Running, w.agent.Dangerous, w.agent.Status, w.unseen = false, true, meterbridge.Working, true
	}
	for _, c := range []struct {
		name  string
		agent string
		setup func(w *world)
		rated bool
		want  Code
	}{
		{"permission", "nobody", all, true, CodeDenied},
		{"agent", "nobody", func(w *world) { all(w); w.denied = nil }, true, CodeNotFound},
		{"a shell", "sh", func(w *world) { all(w); w.denied = nil }, true, CodeNotFound},
		{"link", "", func(w *world) { all(w); w.denied = nil }, true, CodeNotConnected},
		{"rate", "", func(w *world) { all(w); w.denied, w.unlinked = nil, nil }, true, CodeRate},
		{"budget", "", func(w *world) { all(w); w.denied, w.unlinked = nil, nil }, false, CodeBudget},
		{"running", "", func(w *world) { all(w); w.denied, w.unlinked, w.budget = nil, nil, "" }, false, CodeUnavailable},
		{"busy", "", func(w *world) { all(w); w.denied, w.unlinked, w.budget, w.agent.Running = nil, nil, "", true }, false, CodeBusy},
		{"visible", "", func(w *world) { w.agent.Dangerous, w.unseen = true, true }, false, CodeNotVisible},
		{"dialog", "", func(w *world) { w.agent.Dangerous = true }, false, CodeCancelled},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld()
			c.setup(w)
			during(t, w, func(t *testing.T, q *Queue) {
				r := send
				if c.agent != "" {
					r.Agent = c.agent
				}
				for range PerMinute {
					if c.rated {
						q.take(card)
					}
				}
				if c.want == CodeCancelled {
					go func() {
						pass(time.Second)
						_ = q.Decide(q.Open("")[0].ID, false)
					}()
				}
				_, err := q.Submit(t.Context(), r)
				if codeOf(err) != c.want {
					t.Errorf("refused with %v, want %s", err, c.want)
				}
			})
			if len(w.typed) > 0 {
				t.Errorf("typed %q", w.typed)
			}
		})
	}
}

func TestSubmit_RefusesTexts(t *testing.T) {
	for _, c := range []struct {
		name string
		r    Request
		want Code
	}{
		{"nothing", Request{Sender: person, Text: ""}, CodeInvalid},
		{"an unknown word for a busy agent", Request{Sender: person, Text: "x", WhenBusy: "whatever"}, CodeInvalid},
		{"controls alone", Request{Sender: person, Text: "\x1b\x00"}, CodeInvalid},
		{"too long for a card", Request{Sender: card, Text: strings.Repeat("ä", MostCharacters+1)}, CodeInvalid},
		{"as long as it may be", Request{Sender: card, Text: strings.Repeat("ä", MostCharacters)}, ""},
		{"a shell command of a card", Request{Sender: card, Text: "!rm -rf x"}, CodeInvalid},
		{"with blanks before it", Request{Sender: card, Text: " \n/exit", Command: true}, CodeInvalid},
		{"behind an escape", Request{Sender: card, Text: "\x1b#x"}, CodeInvalid},
		{"of a person", Request{Sender: person, Text: "/clear"}, CodeInvalid},
		{"of a person who means it", Request{Sender: person, Text: "/clear", Command: true}, ""},
		{"a mention within", Request{Sender: card, Text: "look at @file"}, ""},
	} {
		w := newWorld()
		during(t, w, func(t *testing.T, q *Queue) {
			w.takes(q)
			c.r.Agent = "ag-1"
			if _, err := q.Submit(t.Context(), c.r); codeOf(err) != c.want {
				t.Errorf("%s: %v, want %q", c.name, err, c.want)
			}
		})
	}
}

func TestClean(t *testing.T) {
	for in, want := range map[string]string{
		"a\r\nb\rc": "a\nb\nc", "x\x1b[201~y": "xy", "x\x1b\x1b[201~[201~y": "x[201~y", "tab\tkept\x07": "tab\tkept", "c1\u0085\u009b201~": "c1",
		`ends with \`: `ends with \`, "bad\xffutf": "badutf", "日本語 🙂": "日本語 🙂", "del\x7f": "del",
	} {
		if got := Clean(in); got != want {
			t.Errorf("Clean(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestDeliver_TypesAPasteThenEnterAndIsConfirmed(t *testing.T) {
	w := newWorld()
	during(t, w, func(t *testing.T, q *Queue) {
		w.takes(q)
		start := time.Now()
		p, err := q.Submit(t.Context(), Request{Sender: person, Agent: "ag-1", Text: "line one\nline two"})
		if err != nil || p.State != meterbridge.PromptSent || p.Turn != "turn-of-line one\nline two" {
			t.Fatalf("%+v, %v", p, err)
		}
		if took := time.Since(start); took != enterAfter {
			t.Errorf("Enter came after %v", took)
		}
	})
	if diff := cmp.Diff([]string{"\x1b[200~line one\rline two\x1b[201~", "\r"}, w.typed); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	want := []string{"queued", "delivering pasting", "delivering pasted", "delivering entering", "delivering entered", "sent entered"}
	if diff := cmp.Diff(want, w.journal); diff != "" {
		t.Errorf("kept (-want +got)\n%s", diff)
	}
}

func TestDeliver_InsertsWithoutEnter(t *testing.T) {
	w := newWorld()
	during(t, w, func(t *testing.T, q *Queue) {
		if p, err := q.Submit(t.Context(), Request{Sender: person, Agent: "ag-1", Text: "draft", Insert: true}); err != nil || p.State != meterbridge.PromptInserted {
			t.Errorf("%+v, %v", p, err)
		}
	})
	if len(w.typed) != 1 {
		t.Errorf("typed %q", w.typed)
	}
}

// One more Enter where the text still stands in the input, and never a second one
// (coder/agentapi#123, Untrivial-ai/agent-orchestrator#564: changed output is no proof).
func TestDeliver_PressesEnterOnceMoreAtMost(t *testing.T) {
	for name, takesAt := range map[string]int{"the second Enter is taken": 2, "none is": 9} {
		w := newWorld()
		during(t, w, func(t *testing.T, q *Queue) {
			enters := 0
			w.onWrite = func(text string) {
				if text != "\r" {
					w.set(func() { w.look.Text = "> hello there" })
					return
				}
				if enters++; enters == takesAt {
					w.set(func() { w.agent.Status, w.look.Text = meterbridge.Working, ">" })
					q.Hear(Heard{Agent: "ag-1", At: time.Now(), Prompt: "hello there", Works: true})
				}
			}
			p, err := q.Submit(t.Context(), Request{Sender: person, Agent: "ag-1", Text: "hello there"})
			want := meterbridge.PromptSent
			if takesAt > 2 {
				want = meterbridge.PromptFailed
			}
			if err != nil || p.State != want || enters != 2 {
				t.Errorf("%s: %d times Enter, %+v, %v", name, enters, p, err)
			}
		})
	}
}

// A turn may finish before the harness told that it took its prompt: what waits goes
// out then, and does not wait for a finish that has been.
func TestDrain_ATurnThatFinishedBeforeItWasConfirmed(t *testing.T) {
	w := newWorld()
	during(t, w, func(t *testing.T, q *Queue) {
		w.onWrite = func(text string) {
			if text == "\r" {
				q.Changed(Change{Agent: "ag-1", Status: meterbridge.Working})
				q.Hear(Heard{Agent: "ag-1", At: time.Now(), Works: true}) // without the text
				w.finish(q)
			}
		}
		for _, text := range []string{"one", "two"} {
			if _, err := q.Submit(t.Context(), Request{Sender: person, Agent: "ag-1", Text: text}); err != nil {
				t.Fatal(err)
			}
		}
		pass(10 * time.Second)
		if len(q.Open("")) > 0 || w.row("p2").State != meterbridge.PromptSent {
			t.Errorf("waits %+v, the second %+v", q.Open(""), w.row("p2"))
		}
	})
}

// A harness that tells no texts tells late that it works, of the turn before: the
// prompt whose text stands in the input was not taken, and gets its second Enter.
func TestDeliver_AStaleSignOfWorkConfirmsNothing(t *testing.T) {
	w := newWorld()
	w.agent.Confirms = false
	during(t, w, func(t *testing.T, q *Queue) {
		enters := 0
		w.onWrite = func(text string) {
			if text != "\r" {
				w.set(func() { w.look.Input = Input{Known: true, Sure: true, Text: "hello"} })
				return
			}
			if enters++; enters == 2 {
				w.set(func() { w.look.Input = Input{Known: true, Sure: true, Empty: true} })
			}
			q.Hear(Heard{Agent: "ag-1", At: time.Now(), Works: true})
		}
		p, err := q.Submit(t.Context(), Request{Sender: person, Agent: "ag-1", Text: "hello"})
		if err != nil || p.State != meterbridge.PromptSent || enters != 2 {
			t.Errorf("%d times Enter, %+v, %v", enters, p, err)
		}
	})
}

// The input is empty and no turn began: what happened is not known to be a success.
func TestDeliver_FailsWhereNothingShowsThatItWasTaken(t *testing.T) {
	w := newWorld()
	during(t, w, func(t *testing.T, q *Queue) {
		p, _ := q.Submit(t.Context(), Request{Sender: person, Agent: "ag-1", Text: "hello"})
		if p.State != meterbridge.PromptFailed || !strings.HasPrefix(p.Reason, "not-confirmed") || len(w.typed) != 2 {
			t.Errorf("%+v after %q", p, w.typed)
		}
	})
}

// A dialog opens between the text and Enter: Enter would answer it.
func TestDeliver_NeverPressesEnterInAQuestion(t *testing.T) {
	w := newWorld()
	during(t, w, func(t *testing.T, q *Queue) {
		w.onWrite = func(string) { w.set(func() { w.agent.Status = meterbridge.NeedsInput }) }
		p, _ := q.Submit(t.Context(), Request{Sender: person, Agent: "ag-1", Text: "hello"})
		if p.State != meterbridge.PromptFailed || len(w.typed) != 1 {
			t.Errorf("%+v after %q", p, w.typed)
		}
	})
}

func TestGate_WaitsForWhatIsInTheWay(t *testing.T) {
	for name, c := range map[string]struct{ close, open func(w *world) }{
		"a question":        {func(w *world) { w.agent.Status = meterbridge.NeedsInput }, func(w *world) { w.agent.Status = meterbridge.Finished }},
		"another program":   {func(w *world) { w.look.Leads = false }, func(w *world) { w.look.Leads = true }},
		"a draft":           {func(w *world) { w.look.Draft = true }, func(w *world) { w.look.Draft = false }},
		"a drawing":         {func(w *world) { w.look.Drawing = true }, func(w *world) { w.look.Drawing = false }},
		"no paste brackets": {func(w *world) { w.look.Pastes = false }, func(w *world) { w.look.Pastes = true }},
		"its own queue":     {func(w *world) { w.agent.OwnQueue = 1 }, func(w *world) { w.agent.OwnQueue = 0 }},
		"another process":   {func(w *world) { w.look.Generation = 9 }, func(w *world) { w.look.Generation = 1 }},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld()
			c.close(w)
			during(t, w, func(t *testing.T, q *Queue) {
				w.takes(q)
				p, err := q.Submit(t.Context(), Request{Sender: person, Agent: "ag-1", Text: "two\nlines"})
				pass(10 * time.Second)
				if err != nil || p.State != meterbridge.PromptQueued || len(w.typed) > 0 {
					t.Fatalf("%+v, %v, typed %q", p, err, w.typed)
				}
				w.set(func() { c.open(w) })
				pass(2 * time.Second)
				if got := w.row(p.ID); got.State != meterbridge.PromptSent {
					t.Errorf("then %+v", got)
				}
			})
		})
	}
}

// What stands in the input may be a person's or of an earlier life: the words tell
// what to do about it, and blame nobody.
func TestGate_TellsWhatIsInTheWay(t *testing.T) {
	for want, close := range map[string]func(w *world){
		"a text stands in the agent's input: send or clear it there": func(w *world) { w.look.Input = Input{Known: true, Sure: true, Text: "left"} },
		"a person is typing":               func(w *world) { w.look.KeyAt = time.Now().Add(time.Hour) },
		"another program has the terminal": func(w *world) { w.look.Leads = false },
	} {
		w := newWorld()
		during(t, w, func(t *testing.T, q *Queue) {
			w.set(func() { close(w) })
			p, err := q.Submit(t.Context(), Request{Sender: person, Agent: "ag-1", Text: "x"})
			if pass(time.Second); err != nil || w.row(p.ID).Reason != want {
				t.Errorf("%v, %q, want %q", err, w.row(p.ID).Reason, want)
			}
		})
	}
}

func TestGate_WaitsUntilAPersonIsStill(t *testing.T) {
	w := newWorld()
	during(t, w, func(t *testing.T, q *Queue) {
		w.takes(q)
		w.set(func() { w.look.KeyAt = time.Now() })
		p, _ := q.Submit(t.Context(), Request{Sender: person, Agent: "ag-1", Text: "x"})
		if pass(time.Second); w.row(p.ID).State != meterbridge.PromptQueued {
			t.Errorf("went out beside a person's typing: %+v", w.row(p.ID))
		}
		if pass(3 * time.Second); w.row(p.ID).State != meterbridge.PromptSent {
			t.Errorf("then %+v", w.row(p.ID))
		}
	})
}

func TestBusy_QueuesSendsOrFails(t *testing.T) {
	for _, c := range []struct {
		status meterbridge.Status
		busy   WhenBusy
		state  meterbridge.PromptState
		code   Code
	}{
		{meterbridge.Working, BusyQueue, meterbridge.PromptQueued, ""},
		{meterbridge.Working, BusySend, meterbridge.PromptSent, ""},
		{meterbridge.Working, BusyFail, "", CodeBusy},
		{meterbridge.NeedsInput, BusyQueue, meterbridge.PromptQueued, ""},
		{meterbridge.NeedsInput, BusySend, "", CodeBusy},
		{meterbridge.NeedsInput, BusyFail, "", CodeBusy},
	} {
		w := newWorld()
		w.agent.Status = c.status
		during(t, w, func(t *testing.T, q *Queue) {
			w.takes(q)
			p, err := q.Submit(t.Context(), Request{Sender: person, Agent: "ag-1", Text: "x", WhenBusy: c.busy})
			if codeOf(err) != c.code || p.State != c.state {
				t.Errorf("%s, %s: %+v, %v", c.status, c.busy, p, err)
			}
		})
	}
}

// One prompt goes out for each turn that finished, in order; none after an error or
// an interrupt, until the next one has finished or the person says go.
func TestDrain_OnePromptForEachFinish(t *testing.T) {
	w := newWorld()
	w.agent.Status = meterbridge.Working
	during(t, w, func(t *testing.T, q *Queue) {
		w.takes(q)
		for _, text := range []string{"one", "two", "three", "four"} {
			if _, err := q.Submit(t.Context(), Request{Sender: person, Agent: "ag-1", Text: text}); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := q.Move(t.Context(), "p3", 1); err != nil {
			t.Fatal(err)
		}
		left := func(want string) {
			t.Helper()
			pass(5 * time.Second)
			var texts []string
			for _, p := range q.Open("ag-1") {
				texts = append(texts, p.Text)
			}
			if got := strings.Join(texts, " "); got != want {
				t.Errorf("left %q, want %q", got, want)
			}
		}
		left("three one two four")
		w.finish(q)
		left("one two four")
		w.set(func() { w.agent.Status = meterbridge.Finished })
		q.Changed(Change{Agent: "ag-1", Status: meterbridge.Finished, Failed: true})
		left("one two four")
		q.Go("ag-1")
		left("two four")
		w.set(func() { w.agent.Status = meterbridge.Idle })
		q.Changed(Change{Agent: "ag-1", Status: meterbridge.Idle, ByPerson: true})
		left("two four")
		w.finish(q)
		left("four")
		if _, err := q.Edit(t.Context(), "p4", "5"); err != nil {
			t.Fatal(err)
		}
		if _, err := q.Remove(t.Context(), "p4"); err != nil {
			t.Fatal(err)
		}
		left("")
	})
	if got := w.rows["p4"]; got.State != meterbridge.PromptDropped || got.Text != "5" {
		t.Errorf("removed %+v", got)
	}
}

// Everybody's prompt goes behind those that wait, though the agent is free at this
// moment; a person's goes first where an interrupt holds them.
func TestSubmit_GoesBehindWhatWaits(t *testing.T) {
	w := newWorld()
	w.agent.Status = meterbridge.Working
	during(t, w, func(t *testing.T, q *Queue) {
		w.takes(q)
		send := func(text string) meterbridge.PromptState {
			p, err := q.Submit(t.Context(), Request{Sender: person, Agent: "ag-1", Text: text})
			if err != nil {
				t.Fatal(err)
			}
			return p.State
		}
		send("one")
		send("two")
		w.finish(q)
		if got := send("three"); got != meterbridge.PromptQueued {
			t.Errorf("went before those that wait: %s", got)
		}
		for range 3 {
			pass(time.Second)
			w.finish(q)
		}
		w.set(func() { w.agent.Status = meterbridge.Working })
		send("four")
		w.set(func() { w.agent.Status = meterbridge.Idle })
		q.Changed(Change{Agent: "ag-1", Status: meterbridge.Idle, ByPerson: true})
		if got := send("five"); got != meterbridge.PromptSent {
			t.Errorf("a person's after an interrupt: %s", got)
		}
	})
	var order []string
	for _, text := range w.typed {
		if text != "\r" {
			order = append(order, strings.NewReplacer("\x1b[200~", "", "\x1b[201~", "").Replace(text))
		}
	}
	if diff := cmp.Diff([]string{"one", "two", "three", "five"}, order); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestDrain_DropsWhatMayNotGoOutAnyMore(t *testing.T) {
	for name, lose := range map[string]func(w *world){
		"permission": func(w *world) { w.denied = errors.New("the permission is gone") },
		"link":       func(w *world) { w.unlinked = errors.New("the link is gone") },
		"dangerous":  func(w *world) { w.agent.Dangerous = true },
	} {
		w := newWorld()
		w.agent.Status = meterbridge.Working
		during(t, w, func(t *testing.T, q *Queue) {
			w.takes(q)
			p, err := q.Submit(t.Context(), Request{Sender: card, Agent: "ag-1", Text: "x"})
			if err != nil {
				t.Fatal(err)
			}
			w.set(func() { lose(w) })
			w.finish(q)
			pass(time.Second)
			if got := w.row(p.ID); got.State != meterbridge.PromptDropped || got.Reason == "" || len(w.typed) > 0 {
				t.Errorf("%s: %+v, typed %q", name, got, w.typed)
			}
		})
	}
}

// A budget that is used up refuses a card's new prompt and holds its queued one; a
// person's goes through, and the held one when the window has passed.
func TestBudget_HoldsAutomaticPromptsOnly(t *testing.T) {
	w := newWorld()
	w.agent.Status = meterbridge.Working
	during(t, w, func(t *testing.T, q *Queue) {
		w.takes(q)
		held, err := q.Submit(t.Context(), Request{Sender: card, Agent: "ag-1", Text: "held"})
		if err != nil {
			t.Fatal(err)
		}
		w.set(func() { w.budget = "daily" })
		w.finish(q)
		pass(time.Minute)
		if got := w.row(held.ID); got.State != meterbridge.PromptQueued || !strings.Contains(got.Reason, "daily") {
			t.Errorf("held %+v", got)
		}
		if _, err := q.Submit(t.Context(), Request{Sender: card, Agent: "ag-1", Text: "new"}); codeOf(err) != CodeBudget {
			t.Errorf("a new one: %v", err)
		}
		if p, err := q.Submit(t.Context(), Request{Sender: person, Agent: "ag-1", Text: "mine"}); err != nil || p.State != meterbridge.PromptSent {
			t.Errorf("a person's: %+v, %v", p, err)
		}
		w.finish(q)
		pass(time.Minute)
		w.set(func() { w.budget = "" })
		pass(time.Second)
		if got := w.row(held.ID); got.State != meterbridge.PromptSent {
			t.Errorf("after the window %+v", got)
		}
	})
}

func TestConsent_IsAPersonsWithinTwoMinutes(t *testing.T) {
	for name, c := range map[string]struct {
		decide func(q *Queue, id string)
		state  meterbridge.PromptState
		code   Code
	}{
		"yes":     {func(q *Queue, id string) { _ = q.Decide(id, true) }, meterbridge.PromptSent, ""},
		"no":      {func(q *Queue, id string) { _ = q.Decide(id, false) }, meterbridge.PromptDropped, CodeCancelled},
		"nothing": {func(*Queue, string) {}, meterbridge.PromptDropped, CodeCancelled},
	} {
		w := newWorld()
		w.agent.Dangerous = true
		during(t, w, func(t *testing.T, q *Queue) {
			w.takes(q)
			go func() {
				pass(time.Second)
				c.decide(q, "p1")
			}()
			start := time.Now()
			_, err := q.Submit(t.Context(), Request{Sender: card, Agent: "ag-1", Text: "x"})
			if got := w.row("p1"); codeOf(err) != c.code || got.State != c.state {
				t.Errorf("%s: %+v, %v", name, got, err)
			}
			if took := time.Since(start); name == "nothing" && took != consentTime {
				t.Errorf("waited %v", took)
			}
			if len(q.Open("")) > 0 {
				t.Errorf("%s: left %+v", name, q.Open(""))
			}
		})
	}
}

func TestLimits_OfCards(t *testing.T) {
	w := newWorld()
	w.agent.Status = meterbridge.Working
	during(t, w, func(t *testing.T, q *Queue) {
		send := func(s meterbridge.PromptSender) error {
			_, err := q.Submit(t.Context(), Request{Sender: s, Agent: "ag-1", Text: "x"})
			return err
		}
		for range PerMinute {
			if err := send(card); err != nil {
				t.Fatal(err)
			}
		}
		err := send(card)
		r := (*Refusal)(nil)
		if !errors.As(err, &r) || r.Code != CodeRate || r.After <= 0 || r.After > time.Minute {
			t.Errorf("the seventh: %v", err)
		}
		pass(time.Minute)
		for range MostQueued - PerMinute {
			if err := send(card); err != nil {
				t.Fatal(err)
			}
		}
		if err := send(card); codeOf(err) != CodeQuota {
			t.Errorf("the eleventh that waits: %v", err)
		}
		for range 20 {
			if err := send(person); err != nil {
				t.Errorf("a person is limited: %v", err)
			}
		}
	})
}

func TestSchedule_WaitsForATimeAndForAnAgent(t *testing.T) {
	w := newWorld()
	during(t, w, func(t *testing.T, q *Queue) {
		w.takes(q)
		at := time.Now().Add(time.Hour)
		timed, err := q.Submit(t.Context(), Request{Sender: person, Agent: "ag-1", Text: "later", NotBefore: at})
		if err != nil {
			t.Fatal(err)
		}
		if pass(59 * time.Minute); w.row(timed.ID).State != meterbridge.PromptQueued {
			t.Errorf("too early: %+v", w.row(timed.ID))
		}
		pass(2 * time.Minute)
		if got := w.row(timed.ID); got.State != meterbridge.PromptSent || got.SentAt.Before(at) {
			t.Errorf("then %+v", got)
		}
		w.finish(q)
		after, err := q.Submit(t.Context(), Request{Sender: person, Agent: "ag-1", Text: "after", After: "other"})
		if err != nil {
			t.Fatal(err)
		}
		if pass(time.Minute); w.row(after.ID).State != meterbridge.PromptQueued {
			t.Errorf("too early: %+v", w.row(after.ID))
		}
		q.Changed(Change{Agent: "other", Status: meterbridge.Finished})
		if pass(2 * time.Second); w.row(after.ID).State != meterbridge.PromptSent {
			t.Errorf("then %+v", w.row(after.ID))
		}
	})
}

// A daemon that dies at any step sends nothing twice: what it had begun to type is
// unknown, what it had not waits as before.
func TestNew_AfterADeathAtEachStep(t *testing.T) {
	for step, want := range map[string]meterbridge.PromptState{
		"queued": meterbridge.PromptQueued, "delivering": meterbridge.PromptQueued, "delivering pasting": meterbridge.PromptUnknown,
		"delivering pasted": meterbridge.PromptUnknown, "delivering entering": meterbridge.PromptUnknown, "delivering entered": meterbridge.PromptUnknown,
		"waiting": meterbridge.PromptDropped, "sent entered": meterbridge.PromptSent,
	} {
		w := newWorld()
		state, attempt, _ := strings.Cut(step, " ")
		w.rows["p1"] = meterbridge.QueuedPrompt{ID: "p1", Agent: "ag-1", Text: "x", Submit: true, State: meterbridge.PromptState(state), Attempt: attempt, Sender: person}
		w.agent.Running = false
		synctest.Test(t, func(t *testing.T) {
			q := w.open(t)
			if got := w.row("p1"); got.State != want {
				t.Errorf("%s became %+v, want %s", step, got, want)
			}
			if open := len(q.Open("")); open == 1 != (want == meterbridge.PromptQueued) {
				t.Errorf("%s: %d wait", step, open)
			}
		})
	}
}

// After a death while a prompt was typed nothing goes by itself: whether its text
// stands in the input is not known for sure.
func TestNew_HoldsWhatWaitsBehindAnUnknown(t *testing.T) {
	w := newWorld()
	w.rows["p0"] = meterbridge.QueuedPrompt{
		ID: "p0", Agent: "ag-1", Text: "typed", Submit: true, State: meterbridge.PromptDelivering, Attempt: "pasted", Sender: person, Rank: 1,
	}
	w.rows["p1"] = meterbridge.QueuedPrompt{ID: "p1", Agent: "ag-1", Text: "next", Submit: true, State: meterbridge.PromptQueued, Sender: person, Rank: 2}
	during(t, w, func(t *testing.T, q *Queue) {
		w.takes(q)
		if pass(time.Minute); len(w.typed) > 0 {
			t.Errorf("typed %q", w.typed)
		}
		w.finish(q) // of a turn before it
		if pass(time.Minute); len(w.typed) > 0 {
			t.Errorf("after a finish typed %q", w.typed)
		}
		q.Go("ag-1")
		if pass(time.Second); w.row("p1").State != meterbridge.PromptSent {
			t.Errorf("then %+v", w.row("p1"))
		}
	})
}

// A text that was typed before and never sent stands in the input: the next one
// would be joined with it (asheshgoplani/agent-deck#1409).
func TestGate_TypesNothingBehindATextThatWasLeft(t *testing.T) {
	for name, mend := range map[string]func(w *world, q *Queue){
		"a person says go": func(_ *world, q *Queue) { q.Go("ag-1") },
	} {
		w := newWorld()
		w.rows["p0"] = meterbridge.QueuedPrompt{
			ID: "p0", Agent: "ag-1", Text: "left here", Submit: true, State: meterbridge.PromptDelivering, Attempt: "pasted", Sender: person,
		}
		w.look.Row = "> left here │"
		during(t, w, func(t *testing.T, q *Queue) {
			w.takes(q)
			p, err := q.Submit(t.Context(), Request{Sender: person, Agent: "ag-1", Text: "next"})
			pass(time.Minute)
			if err != nil || len(w.typed) > 0 || w.row(p.ID).Reason == "" {
				t.Errorf("%s: typed %q, %+v, %v", name, w.typed, w.row(p.ID), err)
			}
			mend(w, q)
			pass(time.Second)
			if got := w.row(p.ID); got.State != meterbridge.PromptSent {
				t.Errorf("%s: then %+v", name, got)
			}
		})
	}
}

func TestShows_TheEndOfTheInput(t *testing.T) {
	for _, c := range []struct {
		row, text string
		want      bool
	}{
		{"› hello there", "hello there", true},
		{"› Ask Codex to do anything", "hello there", false},
		{"› Ask Codex to do anything", "y", false},
		{"› y", "y", true},
		{"  line two", "one\nline two\n", true},
		{"› [Pasted Content 1200 chars]", "long", true},
		{" > [Pasted Text: 9 lines]", "long", true},
		{"│ > hello │", "hello", true},
		{"", "x", false},
	} {
		if got := shows(Look{Row: c.row}, c.text); got != c.want {
			t.Errorf("shows(%q, %q) = %v", c.row, c.text, got)
		}
	}
}

// What cannot be kept is not accepted, and not typed.
func TestSubmit_KeepsBeforeItSaysSo(t *testing.T) {
	w := newWorld()
	w.failSave = errors.New("the disk is full")
	during(t, w, func(t *testing.T, q *Queue) {
		if _, err := q.Submit(context.Background(), Request{Sender: person, Agent: "ag-1", Text: "x"}); err == nil {
			t.Error("accepted")
		}
		if len(w.typed) > 0 || len(q.Open("")) > 0 {
			t.Errorf("typed %q, waits %+v", w.typed, q.Open(""))
		}
	})
}
