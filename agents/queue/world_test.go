package queue

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"meterbridge"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// world is one agent with a terminal, and a store that survives the queue.
type world struct {
	mu       sync.Mutex
	agent    Agent
	look     Look
	typed    []string
	onWrite  func(text string)
	rows     map[string]meterbridge.QueuedPrompt
	journal  []string
	denied   error
	unlinked error
	budget   string
	unseen   bool
	failSave error
	ids      int
}

func newWorld() *world {
	return &world{
		agent: Agent{ID: "ag-1", Name: "one", Kind: meterbridge.AIAgent, Running: true, Generation: 1, Status: meterbridge.Finished, Confirms: true},
		look:  Look{Generation: 1, Leads: true, Pastes: true}, rows: map[string]meterbridge.QueuedPrompt{},
	}
}

func (w *world) Agent(_ context.Context, which string) (Agent, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch which {
	case "ag-1":
		return w.agent, nil
	case "sh":
		return Agent{ID: "sh", Name: "shell", Kind: meterbridge.ShellAgent, Running: true}, nil
	case "other":
		return Agent{ID: "other", Name: "other", Kind: meterbridge.AIAgent}, nil
	}
	return Agent{}, fmt.Errorf("%w: %s", ErrUnknownAgent, which)
}

func (w *world) Look(context.Context, string) (Look, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.look, nil
}

func (w *world) Write(_ context.Context, _ string, generation int, b []byte) error {
	w.mu.Lock()
	if generation != w.agent.Generation {
		w.mu.Unlock()
		return errors.New("that process has ended")
	}
	w.typed = append(w.typed, string(b))
	on := w.onWrite
	w.mu.Unlock()
	if on != nil {
		on(string(b))
	}
	return nil
}

func (w *world) OpenPrompts(context.Context) ([]meterbridge.QueuedPrompt, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	var list []meterbridge.QueuedPrompt
	for _, p := range w.rows {
		if p.State.Open() {
			list = append(list, p)
		}
	}
	return list, nil
}

func (w *world) SavePrompt(_ context.Context, p meterbridge.QueuedPrompt) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.failSave != nil {
		return w.failSave
	}
	w.rows[p.ID] = p
	w.journal = append(w.journal, strings.TrimSpace(string(p.State)+" "+p.Attempt))
	return nil
}

func (w *world) Permitted(context.Context, meterbridge.PromptSender) error { return w.denied }
func (w *world) Linked(context.Context, meterbridge.PromptSender, string) error {
	return w.unlinked
}

func (w *world) Held(context.Context, string) (string, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.budget, nil
}
func (w *world) Visible(meterbridge.PromptSender) bool { return !w.unseen }

// set changes the agent under the lock.
func (w *world) set(fn func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	fn()
}

func (w *world) row(id string) meterbridge.QueuedPrompt {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.rows[id]
}

func (w *world) open(t *testing.T) *Queue {
	t.Helper()
	q, err := New(t.Context(), Options{
		Agents: w, Terminals: w, Store: w, Rules: w, Now: time.Now,
		NewID: func() string { w.ids++; return fmt.Sprintf("p%d", w.ids) },
	})
	if err != nil {
		t.Fatal(err)
	}
	return q
}

// takes makes the harness take what is entered: it tells so, and works.
func (w *world) takes(q *Queue) {
	pasted := ""
	w.onWrite = func(text string) {
		if text != "\r" {
			pasted = strings.NewReplacer("\x1b[200~", "", "\x1b[201~", "", "\r", "\n").Replace(text)
			return
		}
		w.set(func() { w.agent.Status = meterbridge.Working })
		q.Changed(Change{Agent: "ag-1", Status: meterbridge.Working})
		q.Hear(Heard{Agent: "ag-1", At: time.Now(), Prompt: pasted, Turn: "turn-of-" + pasted, Works: true})
	}
}

// finish ends the agent's turn.
func (w *world) finish(q *Queue) {
	w.set(func() { w.agent.Status = meterbridge.Finished })
	q.Changed(Change{Agent: "ag-1", Status: meterbridge.Finished})
}

var (
	person = meterbridge.PromptSender{Kind: meterbridge.ByPerson, Name: "you"}
	card   = meterbridge.PromptSender{Kind: meterbridge.ByExtension, ID: "card-1", Package: "pkg", Name: "Card"}
)

// during runs fn in a bubble of time with a queue that runs.
func during(t *testing.T, w *world, fn func(t *testing.T, q *Queue)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		q := w.open(t)
		ctx, stop := context.WithCancel(t.Context())
		var ended sync.WaitGroup
		ended.Go(func() { q.Run(ctx) })
		fn(t, q)
		stop()
		ended.Wait()
	})
}

func pass(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}
