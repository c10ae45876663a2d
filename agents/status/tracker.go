package status

import (
	"bytes"
	"sync"
	"time"

	"meterbridge"
)

// The times of the wiring.
const (
	// stopHold is how long an end is held back while the transcript does not show
	// it, stopSlack how much earlier than it a newer turn may have begun.
	stopHold  = 1500 * time.Millisecond
	stopSlack = 300 * time.Millisecond
	// pairing is how long after a question a notice may be of it.
	pairing = 120 * time.Second
	// pollOften, pollSoon: how often a transcript is looked at while the agent works,
	// and while a guess waits; pollAfter is for how long it is after a change.
	pollOften = time.Second
	pollSoon  = 300 * time.Millisecond
	pollAfter = 15 * time.Second
)

// Source is what a harness offers to know its agents by; nil functions are ways
// that it does not have.
type Source struct {
	Title      func(string) (meterbridge.StatusFact, bool)
	Line       func(string) (meterbridge.StatusFact, bool)
	Transcript func() TranscriptReader
	// HoldStop: an end is held against the transcript before it counts.
	HoldStop bool
	// Output says what output alone tells.
	Output OutputSense
}

// Options are those of a tracker.
type Options struct {
	Agent  string
	Source Source
	// Tell is called with each event, in order, and must not call the tracker.
	Tell func(Event)
	// Now is the clock; nil for time.Now.
	Now func() time.Time
}

// Tracker follows one agent over its processes. Its methods may be called from
// anywhere; Close ends its timer.
type Tracker struct {
	o   Options
	mu  sync.Mutex
	mac Machine

	generation int
	running    bool
	shown      Change
	turns      turnIDs
	binding    binding
	questions  questions
	log        follower
	keys       KeyReader
	output     output
	stop       *heldStop
	background bool
	model      string
	// draft: what a person typed may still stand in the agent's input.
	draft bool
	// titleAsks: the title shows that a person is asked.
	titleAsks bool
	// polled is when the transcript was looked at last, changed when the status did.
	polled, changed time.Time
	timer           *time.Timer
	closed          bool
}

// heldStop is an end that waits for the transcript.
type heldStop struct {
	fact      meterbridge.StatusFact
	arrived   time.Time
	threshold time.Time
}

// New returns a tracker of an agent of which nothing is known yet.
func New(o Options) *Tracker {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Tell == nil {
		o.Tell = func(Event) {}
	}
	t := &Tracker{o: o}
	t.log.open = o.Source.Transcript
	t.output.sense = o.Source.Output
	t.shown.Status = meterbridge.Idle
	return t
}

// Close ends the tracker's timer; nothing is told after it.
func (t *Tracker) Close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closed = true
	if t.timer != nil {
		t.timer.Stop()
	}
}

// Info is what is known now.
func (t *Tracker) Info() Info {
	t.mu.Lock()
	defer t.mu.Unlock()
	i := Info{
		Change: t.shown, Generation: t.generation, Running: t.running, Session: t.binding.session, Subagents: t.mac.Subagents(),
		BackgroundWork: t.background, Model: t.model, Draft: t.draft,
	}
	if v, ok := t.log.view(); ok {
		i.OwnQueue = v.Queued
	}
	return i
}

// Spawn says that a process of the agent began. session is the id that it was
// given, or told to resume; empty when it chooses its own.
func (t *Tracker) Spawn(generation int, session string) {
	t.input(func(now time.Time) {
		t.renew(generation, session, now)
		p, told := t.mac.Step(Signal{Kind: Spawn, At: now})
		if !told {
			p = Publication{Status: meterbridge.Idle, At: now, Origin: ByReset}
		}
		t.show(Change{Publication: p, Source: meterbridge.FromProcess, Confidence: meterbridge.Exact})
	})
}

// Adopt takes up a process that was followed before, as it was left: nothing is
// told of it.
func (t *Tracker) Adopt(generation int, session string, left Change) {
	t.input(func(now time.Time) {
		t.renew(generation, session, now)
		t.mac.Restore(left.Status, left.At, left.Detail)
		t.turns.begin(left.Turn, left.Automatic)
		t.shown, t.changed = left, now
	})
}

// renew begins to follow a process.
func (t *Tracker) renew(generation int, session string, now time.Time) {
	t.generation, t.running = generation, true
	t.binding = binding{waits: session == ""}
	t.questions, t.stop, t.background, t.keys, t.draft = questions{}, nil, false, KeyReader{}, false
	t.titleAsks = false
	t.output = output{sense: t.o.Source.Output}
	t.turns.begin("", false)
	t.log = follower{open: t.o.Source.Transcript}
	if session != "" {
		t.bind(session, now)
	}
}

// Exit says that the process of that generation ended.
func (t *Tracker) Exit(generation int) {
	t.input(func(now time.Time) {
		if generation != t.generation || !t.running {
			return
		}
		t.running = false
		t.questions, t.stop = questions{}, nil
		t.mac.Step(Signal{Kind: Exit, At: now})
		t.show(Change{
			Publication: Publication{Status: meterbridge.Exited, At: now, Origin: ByReset},
			Source:      meterbridge.FromProcess, Confidence: meterbridge.Exact,
		})
	})
}

// Typed takes what a person typed into the agent's terminal, as it came.
func (t *Tracker) Typed(chunk []byte) {
	t.input(func(now time.Time) {
		k := t.keys.Read(chunk)
		t.drafted(chunk, k)
		t.press(k, now)
	})
}

// drafted follows what a person leaves in the agent's input: text, and Backspace,
// Escape or Ctrl-C, which may bring one back; Enter sends it. Keys that answer a
// question, cursor keys and replies of the terminal leave none.
func (t *Tracker) drafted(chunk []byte, k Key) {
	sequence := len(chunk) > 1 && chunk[0] == 0x1b && chunk[1] != 0x1b && !bytes.HasPrefix(chunk, []byte("\x1b[200~"))
	switch {
	case k == KeyEnter:
		t.draft = false
	case len(chunk) == 0 || sequence || t.mac.Status() == meterbridge.NeedsInput:
	default:
		t.draft = true
	}
}

// Interrupted says that the host itself pressed the key that stops a turn.
func (t *Tracker) Interrupted() {
	t.input(func(now time.Time) { t.press(KeyDismiss, now) })
}

func (t *Tracker) press(k Key, now time.Time) {
	if k != KeyNone {
		t.step(Signal{Kind: Press, At: now, Key: k}, meterbridge.FromKey, meterbridge.Inferred)
	}
}

// Title takes the terminal's title, Line a line that appeared on it.
func (t *Tracker) Title(title string) {
	if t.o.Source.Title == nil {
		return
	}
	f, ok := t.o.Source.Title(title)
	if !ok {
		return
	}
	t.input(func(now time.Time) {
		asked := t.titleAsks
		t.titleAsks = f.Kind == meterbridge.FactNeedsInput
		if t.shown.Status == meterbridge.NeedsInput && !t.titleAsks && !asked {
			return // it has not come to the question yet, of which a hook told
		}
		lags := f.Kind == meterbridge.FactNeedsInput && t.justAnswered(now)
		// What is ready before its first prompt has not finished one.
		early := f.Kind == meterbridge.FactFinished && !t.open()
		if !lags && !early {
			t.take(f, now)
		}
	})
}

// titleLag is how long a title may still be that of a question that was answered.
const titleLag = time.Second

// justAnswered reports whether a person has answered a question a moment ago.
func (t *Tracker) justAnswered(now time.Time) bool {
	return t.shown.Status == meterbridge.Working && t.shown.Source == meterbridge.FromKey && now.Sub(t.shown.At) < titleLag
}

// Line takes a line that appeared on the terminal.
func (t *Tracker) Line(line string) {
	if t.o.Source.Line == nil {
		return
	}
	f, ok := t.o.Source.Line(line)
	if !ok {
		return
	}
	t.input(func(now time.Time) {
		if t.open() {
			t.take(f, now)
		}
	})
}

// input runs one input under the lock and arms the timer for what is due next.
func (t *Tracker) input(fn func(now time.Time)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return
	}
	fn(t.o.Now())
	t.arm()
}

// step gives the machine a signal and shows what it publishes.
func (t *Tracker) step(s Signal, from meterbridge.FactSource, sure meterbridge.Confidence) bool {
	p, told := t.mac.Step(s)
	if told && t.running {
		t.show(Change{Publication: p, Source: from, Confidence: sure})
	}
	return told
}

// show tells of a status that began.
func (t *Tracker) show(c Change) {
	if c.At.Before(t.shown.At) {
		c.At = t.shown.At // statuses follow each other
	}
	c.Turn, c.Automatic = t.turns.current, t.turns.automatic
	t.shown, t.changed = c, c.At
	t.tell(Event{Kind: StatusChanged, At: c.At, Change: c})
}

// open reports whether a turn is open.
func (t *Tracker) open() bool {
	return t.shown.Status == meterbridge.Working || t.shown.Status == meterbridge.NeedsInput
}

func (t *Tracker) tell(e Event) {
	e.Agent, e.Generation = t.o.Agent, t.generation
	t.o.Tell(e)
}
