package agents

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"meterbridge"
)

// toy runs nothing and keeps everything in memory.
type toy struct {
	mu      sync.Mutex
	started []Process
	stopped []string
	agents  map[string]meterbridge.Agent
	bound   map[string][]meterbridge.Binding
	links   []meterbridge.Link
	spans   map[string][]meterbridge.StatusSpan
	turns   map[string][]meterbridge.AgentTurn
	events  []string
	// forgotten are the ids of agents that are no more.
	forgotten []string
	now       time.Time
	ids       int
	fails     error
}

func newToy() *toy {
	return &toy{
		agents: map[string]meterbridge.Agent{}, bound: map[string][]meterbridge.Binding{}, now: moment(0),
		spans: map[string][]meterbridge.StatusSpan{}, turns: map[string][]meterbridge.AgentTurn{},
	}
}

func moment(ms int64) time.Time { return time.UnixMilli(1_790_000_000_000 + ms).UTC() }

func (t *toy) Start(_ context.Context, _ string, p Process) (int, error) {
	t.started = append(t.started, p)
	return 100 + len(t.started), t.fails
}

func (t *toy) Stop(_ context.Context, id string) error {
	t.stopped = append(t.stopped, id)
	return nil
}
func (t *toy) Write(context.Context, string, []byte) error         { return nil }
func (t *toy) Screen(context.Context, string, int) (string, error) { return "", nil }
func (t *toy) RemoveAgent(_ context.Context, id string) error {
	delete(t.agents, id)
	return nil
}

func (t *toy) SaveLinks(_ context.Context, _ string, links []meterbridge.Link) error {
	t.links = links
	return nil
}
func (t *toy) clock() time.Time { return t.now }
func (t *toy) Turns(_ context.Context, id string) ([]meterbridge.AgentTurn, error) {
	return t.turns[id], nil
}

func (t *toy) Agents(context.Context) (list []meterbridge.Agent, bindings []meterbridge.Binding, links []meterbridge.Link, err error) {
	for _, a := range t.agents {
		list = append(list, a)
		bindings = append(bindings, t.bound[a.ID]...)
	}
	return list, bindings, t.links, nil
}

func (t *toy) SaveAgent(_ context.Context, a meterbridge.Agent, bindings []meterbridge.Binding) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.agents[a.ID], t.bound[a.ID] = a, bindings
	return nil
}

func (t *toy) SaveSpan(_ context.Context, s meterbridge.StatusSpan) error {
	t.spans[s.Agent] = append(t.spans[s.Agent], s)
	return nil
}

func (t *toy) SaveTurn(_ context.Context, turn meterbridge.AgentTurn) error {
	list := slices.DeleteFunc(t.turns[turn.Agent], func(o meterbridge.AgentTurn) bool { return o.StartedAt.Equal(turn.StartedAt) })
	t.turns[turn.Agent] = append(list, turn)
	return nil
}

func (t *toy) Spans(_ context.Context, id string) ([]meterbridge.StatusSpan, error) {
	return t.spans[id], nil
}

// registry runs a registry over the toy until the test ends.
func (t *toy) registry(tt *testing.T, profile meterbridge.LaunchProfile) *Registry {
	tt.Helper()
	r, err := New(tt.Context(), Options{
		Profiles: map[string]meterbridge.LaunchProfile{"h": profile, "sh": {Kind: meterbridge.ShellAgent, Program: []string{"sh"}}},
		Runner:   t, Store: t, History: t, Now: t.clock,
		NewID:      func() string { t.ids++; return fmt.Sprint("ag-", t.ids) },
		NewSession: func() string { t.ids++; return fmt.Sprint("session-", t.ids) },
		Tell: func(e Event) {
			if e.Kind != EventChanged {
				t.events = append(t.events, fmt.Sprintf("%s %s %s", e.Kind, e.Agent.ID, e.Agent.Status))
			}
		},
		Forgotten: func(id string) { t.forgotten = append(t.forgotten, id) },
		Failed:    func(err error) { tt.Error(err) },
	})
	if err != nil {
		tt.Fatal(err)
	}
	ctx, stop := context.WithCancel(tt.Context())
	var wg sync.WaitGroup
	wg.Go(func() { r.Run(ctx) })
	tt.Cleanup(func() { stop(); wg.Wait() })
	return r
}

func flush(t *testing.T, r *Registry) {
	t.Helper()
	if err := r.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func chooses() meterbridge.LaunchProfile {
	return meterbridge.LaunchProfile{
		Kind: meterbridge.AIAgent, Program: []string{"sh"}, New: []string{"--id", "{session}"}, Resume: []string{"--resume", "{session}"},
		Model: []string{"--model", "{model}"},
	}
}

func TestRegistry_StartsStopsAndStartsAgain(t *testing.T) {
	toy := newToy()
	r := toy.registry(t, chooses())
	a, err := r.Start(t.Context(), Start{Harness: "h", Dir: t.TempDir(), Model: "m", Argv: []string{"-x"}})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"sh", "--id", "session-2", "--model", "m", "-x"}
	if d := cmp.Diff(want, toy.started[0].Argv); d != "" || a.Name != "h-1" || a.Generation != 1 || a.PID != 101 || a.Status != meterbridge.Idle {
		t.Errorf("started %+v, argv (-want +got):\n%s", a, d)
	}
	if _, err := r.Restart(t.Context(), a.ID, 0, 0); !errors.Is(err, ErrRunning) {
		t.Errorf("start of one that runs: %v", err)
	}
	toy.now = moment(1000)
	stopped, err := r.Stop(t.Context(), "h-1")
	if err != nil || stopped.Running() || stopped.Status != meterbridge.Exited || !slices.Equal(toy.stopped, []string{a.ID}) {
		t.Errorf("stopped: %+v, %v", stopped, err)
	}
	r.Exited(a.ID, 1, moment(1001), meterbridge.Reported(129))
	if got, _ := r.Get(a.ID); got.ExitCode != meterbridge.Reported(129) || !got.ExitedAt.Equal(moment(1000)) {
		t.Errorf("the exit code comes behind the stop: %+v", got)
	}
	toy.now = moment(2000)
	again, err := r.Restart(t.Context(), a.ID, 0, 0)
	if err != nil || again.Generation != 2 || again.Status != meterbridge.Idle || !again.Running() {
		t.Fatalf("again: %+v, %v", again, err)
	}
	if d := cmp.Diff([]string{"sh", "--resume", "session-2", "--model", "m", "-x"}, toy.started[1].Argv); d != "" {
		t.Errorf("argv of the second start (-want +got):\n%s", d)
	}
	r.Exited(a.ID, 1, moment(3000), meterbridge.Reported(0))
	r.Publish(a.ID, 1, Publication{Status: meterbridge.Working, At: moment(3000)})
	if got, _ := r.Get(a.ID); !got.Running() || got.Status != meterbridge.Idle {
		t.Errorf("what an older process says counts: %+v", got)
	}
	flush(t, r)
	if d := cmp.Diff([]meterbridge.Status{meterbridge.Idle, meterbridge.Exited, meterbridge.Idle}, statuses(toy.spans[a.ID])); d != "" {
		t.Errorf("spans (-want +got):\n%s", d)
	}
}

func statuses(spans []meterbridge.StatusSpan) (list []meterbridge.Status) {
	for _, s := range spans {
		list = append(list, s.Status)
	}
	return list
}

// Turns of events are each stretch of work, usage turns one for each prompt.
func TestRegistry_TellsTurns(t *testing.T) {
	toy := newToy()
	r := toy.registry(t, chooses())
	a, err := r.Start(t.Context(), Start{Harness: "h", Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	say := func(status meterbridge.Status, at int64, turn string, automatic bool) {
		r.Publish(a.ID, 1, Publication{Status: status, At: moment(at), Turn: turn, Automatic: automatic})
	}
	say(meterbridge.Working, 100, "p1", false)
	say(meterbridge.NeedsInput, 200, "", false)
	say(meterbridge.Working, 300, "p1", false)
	say(meterbridge.Working, 400, "p2", false) // a prompt that the harness had queued
	say(meterbridge.Finished, 500, "", false)
	say(meterbridge.Working, 600, "p3", true) // its own doing
	say(meterbridge.Finished, 700, "", false)
	say(meterbridge.Working, 800, "p4", false)
	say(meterbridge.Idle, 900, "", false)
	say(meterbridge.Working, 1000, "", false)
	r.Exited(a.ID, 1, moment(1100), meterbridge.Reported(0))
	flush(t, r)
	want := []meterbridge.AgentTurn{
		{PromptID: "p1", StartedAt: moment(100), EndedAt: moment(400), EndedAs: meterbridge.TurnFinished},
		{PromptID: "p2", StartedAt: moment(400), EndedAt: moment(700), EndedAs: meterbridge.TurnFinished},
		{PromptID: "p4", StartedAt: moment(800), EndedAt: moment(900), EndedAs: meterbridge.TurnInterrupted},
		{StartedAt: moment(1000), EndedAt: moment(1100), EndedAs: meterbridge.TurnExited},
	}
	for i := range want {
		want[i].Agent, want[i].Generation = a.ID, 1
	}
	if d := cmp.Diff(want, toy.turns[a.ID]); d != "" {
		t.Errorf("usage turns (-want +got):\n%s", d)
	}
	events := []string{
		"status ag-1 idle",
		"status ag-1 working", "turn-start ag-1 working", "status ag-1 needs-input", "turn-end ag-1 needs-input",
		"status ag-1 working", "turn-start ag-1 working", "status ag-1 finished", "turn-end ag-1 finished",
		"status ag-1 working", "turn-start ag-1 working", "status ag-1 finished", "turn-end ag-1 finished",
		"status ag-1 working", "turn-start ag-1 working", "status ag-1 idle",
		"status ag-1 working", "turn-start ag-1 working", "status ag-1 exited",
	}
	if d := cmp.Diff(events, toy.events); d != "" {
		t.Errorf("events (-want +got):\n%s", d)
	}
	got, _ := r.Get(a.ID)
	last := &LastTurn{StartedAt: moment(600), EndedAt: moment(700), EndedAs: meterbridge.Finished}
	if d := cmp.Diff(last, got.LastTurn); d != "" || !got.TurnStartedAt.IsZero() {
		t.Errorf("last turn (-want +got):\n%s", d)
	}
}

func TestRegistry_RemembersOverALifeOfTheDaemon(t *testing.T) {
	toy := newToy()
	first := toy.registry(t, chooses())
	a, err := first.Start(t.Context(), Start{Harness: "h", Dir: t.TempDir(), Name: "one"})
	if err != nil {
		t.Fatal(err)
	}
	b, err := first.Start(t.Context(), Start{Harness: "sh", Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := first.Link("one", b.ID); err != nil {
		t.Fatal(err)
	}
	first.Publish(a.ID, 1, Publication{Status: meterbridge.Working, At: moment(400), Turn: "p"})
	flush(t, first)
	toy.now = moment(60_000)
	next := toy.registry(t, chooses())
	next.Recover(func(id string, generation int) bool { return id == b.ID && generation == 1 })
	flush(t, next)
	lost, _ := next.Get("one")
	if lost.Status != meterbridge.Exited || !lost.ExitedAt.Equal(moment(400)) {
		t.Errorf("one that was lost: %s at %v, want exited at its last sign of life", lost.Status, lost.ExitedAt)
	}
	if turn := toy.turns[a.ID][0]; turn.EndedAs != meterbridge.TurnExited || !turn.EndedAt.Equal(moment(400)) {
		t.Errorf("its turn: %+v", turn)
	}
	if kept, _ := next.Get(b.ID); !kept.Running() || !next.Linked(a.ID, b.ID) {
		t.Errorf("one that lives: %+v, links %v", kept, next.Links())
	}
}

func TestRegistry_BindsASessionToOneAgent(t *testing.T) {
	toy := newToy()
	p := chooses()
	p.New, p.Resume = nil, []string{"resume", "{session}"}
	r := toy.registry(t, p)
	a, err := r.Start(t.Context(), Start{Harness: "h", Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	if list := r.Unbound("h"); len(list) != 1 {
		t.Errorf("unbound: %v", list)
	}
	for _, source := range []meterbridge.BindingSource{meterbridge.BoundInferred, meterbridge.BoundByHook, meterbridge.BoundInferred} {
		if err := r.Bind(a.ID, "s", source, moment(10)); err != nil {
			t.Fatal(err)
		}
	}
	toy.now = moment(500)
	b, err := r.Start(t.Context(), Start{Harness: "h", Dir: t.TempDir(), Resume: "s"})
	if err != nil {
		t.Fatal(err)
	}
	flush(t, r)
	want := map[string][]meterbridge.Binding{
		a.ID: {{Agent: a.ID, Harness: "h", Session: "s", Source: meterbridge.BoundByHook, Generation: 1, From: moment(10), To: moment(500)}},
		b.ID: {{Agent: b.ID, Harness: "h", Session: "s", Source: meterbridge.BoundGiven, Generation: 1, From: moment(500)}},
	}
	if d := cmp.Diff(want, toy.bound); d != "" {
		t.Errorf("bindings (-want +got):\n%s", d)
	}
	if who, ok := r.BoundTo("h", "s"); !ok || who.ID != b.ID {
		t.Errorf("bound to %v", who.ID)
	}
	hooked, err := r.Hooked("h", "other", "/srv/x", "m")
	if err != nil || hooked.Origin != meterbridge.Hooked || hooked.Name != "h-3" || hooked.Dir != "/srv/x" {
		t.Errorf("known by a hook: %+v, %v", hooked, err)
	}
	if again, err := r.Hooked("h", "other", "", ""); err != nil || again.ID != hooked.ID {
		t.Errorf("the same session again: %v, %v", again.ID, err)
	}
	if who, err := r.Hooked("h", "s", "", ""); err != nil || who.ID != b.ID {
		t.Errorf("a hook of a session that is bound: %v, %v", who.ID, err)
	}
}

func TestRegistry_RefusesWhatCannotBe(t *testing.T) {
	toy := newToy()
	p := chooses()
	p.Model, p.Resume = nil, nil
	r := toy.registry(t, p)
	dir := t.TempDir()
	one, err := r.Start(t.Context(), Start{Harness: "h", Dir: dir, Name: "one"})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		s    Start
		want error
	}{
		"an unknown harness":      {Start{Harness: "x", Dir: dir}, ErrCannot},
		"no folder":               {Start{Harness: "h", Dir: dir + "/none"}, ErrInvalid},
		"a name that is taken":    {Start{Harness: "h", Dir: dir, Name: "one"}, ErrTaken},
		"the id of another":       {Start{Harness: "h", Dir: dir, Name: one.ID}, ErrTaken},
		"a name of two lines":     {Start{Harness: "h", Dir: dir, Name: "a\nb"}, ErrInvalid},
		"a model it cannot take":  {Start{Harness: "h", Dir: dir, Model: "m"}, ErrCannot},
		"no dangerous mode":       {Start{Harness: "h", Dir: dir, Dangerous: true}, ErrCannot},
		"a session to go on with": {Start{Harness: "h", Dir: dir, Resume: "s"}, ErrCannot},
	} {
		if _, err := r.Start(t.Context(), c.s); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
	toy.fails = errors.New("out of terminals")
	if _, err := r.Start(t.Context(), Start{Harness: "h", Dir: dir}); !errors.Is(err, toy.fails) {
		t.Errorf("a terminal that does not start: %v", err)
	}
	if list := r.List(""); len(list) != 1 {
		t.Errorf("what never ran is listed: %v", list)
	}
	for _, pair := range [][2]string{{"one", "one"}, {"one", "none"}} {
		if _, err := r.Link(pair[0], pair[1]); err == nil {
			t.Errorf("link %v was made", pair)
		}
	}
}

func TestRegistry_ForgetsWhatIsRemovedAndWhatNeverRan(t *testing.T) {
	toy := newToy()
	r := toy.registry(t, chooses())
	start := func(name, workspace string) Info {
		t.Helper()
		a, err := r.Start(t.Context(), Start{Harness: "h", Name: name, Dir: t.TempDir(), Workspace: workspace})
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	a, b, other := start("one", ""), start("two", ""), start("three", "elsewhere")
	if _, err := r.Link("one", "three"); !errors.Is(err, ErrInvalid) {
		t.Errorf("a link into the workspace of %s: %v, want ErrInvalid", other.Name, err)
	}
	for _, pair := range [][2]string{{"one", "two"}, {"two", "one"}} {
		if _, err := r.Link(pair[0], pair[1]); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := r.Remove("one"); !errors.Is(err, ErrRunning) {
		t.Errorf("removal of one that runs: %v, want ErrRunning", err)
	}
	if _, err := r.Stop(t.Context(), "one"); err != nil {
		t.Fatal(err)
	}
	if got, err := r.Remove("one"); err != nil || got.ID != a.ID {
		t.Fatalf("%+v, %v", got, err)
	}
	flush(t, r)
	if _, err := r.Get(a.ID); !errors.Is(err, ErrUnknown) || len(r.Links()) != 0 {
		t.Errorf("after removal: %v, links %v", err, r.Links())
	}
	if _, kept := toy.agents[a.ID]; kept || toy.agents[b.ID].ID == "" {
		t.Errorf("kept are %v", toy.agents)
	}
	start("one", "") // the name is free again
	toy.fails = errors.New("no terminal")
	if _, err := r.Start(t.Context(), Start{Harness: "h", Name: "four", Dir: t.TempDir()}); err == nil {
		t.Fatal("started without a terminal")
	}
	if len(toy.forgotten) != 2 || toy.forgotten[0] != a.ID {
		t.Errorf("forgotten are %v, want the removed one and the one that never ran", toy.forgotten)
	}
}

// The session to resume is not there: the same generation begins a new one.
func TestRegistry_StartsFresh(t *testing.T) {
	toy := newToy()
	r := toy.registry(t, chooses())
	a, err := r.Start(t.Context(), Start{Harness: "h", Dir: t.TempDir(), Resume: "gone"})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Fresh(t.Context(), a.ID, 1); err != nil {
		t.Fatal(err)
	}
	got, _ := r.Get(a.ID)
	if !got.Running() || got.Generation != 1 || len(got.Bindings) != 1 || got.Bindings[0].Session == "gone" {
		t.Errorf("fresh: %+v", got)
	}
	if p := toy.started[1]; p.Generation != 1 || p.Argv[1] != "--id" {
		t.Errorf("the second process: %+v", p)
	}
}
