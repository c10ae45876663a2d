// Package host runs extensions and carries calls to them: programs that speak
// newline JSON-RPC (or the card protocol's envelope) on their standard streams or
// over a connection that they open themselves. It starts them when they are
// called, suspends them when they are idle, restarts them after a crash, fences
// them in, and answers what they ask of the machine, each with the permission and
// the link that it needs. It imports bridge, bridge/fetch, bridge/files,
// bridge/sandbox, bridge/schema and bridge/strictjson and knows no database, no terminal and no HTTP; the daemon
// gives it those as the ports of package bridge.
package host

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"log/slog"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"meterbridge/bridge"
	"meterbridge/bridge/fetch"
)

// Options of a host. The zero value is valid.
type Options struct {
	// Version of the program, told to extensions.
	Version string
	// Sandbox is the program whose hidden command sandbox.Command fences in what it
	// starts; empty starts extensions without a fence.
	Sandbox string
	// Getenv is the daemon's environment; nil is os.Getenv.
	Getenv func(string) string
	// Importer is the command that runs the adapter of an imported MCP server; the
	// manifest's path is put after it.
	Importer []string
	// Runner is the command that runs the module of a Switchboard extension, which
	// is put after it; Shared are folders that every extension may read.
	Runner []string
	Shared []string
	Log    *slog.Logger
	Times  Times
	Ports  Ports
	// Fetch makes the requests of extensions.
	Fetch fetch.Client
	// Changed hears that the state of an extension, or which of its tools it shows,
	// changed. It must not wait for the host.
	Changed func(pkg string)
	// Started hears of each start of a process and why, Late of each answer that
	// came when nobody waited any more.
	Started func(pkg, reason string)
	Late    func(pkg string)
	// Now is the clock; nil is time.Now.
	Now func() time.Time
}

// Times bound what extensions may take. A zero field takes its default.
type Times struct {
	// Ready is how long an extension may take to come up (10 s).
	Ready time.Duration
	// Ping is how often it is asked whether it lives (5 s), Silent how long it may
	// leave that unanswered (15 s).
	Ping, Silent time.Duration
	// Idle is how long it runs without a call (60 s).
	Idle time.Duration
	// Suspend and Stop are how long it has for its end: when it is idle (1 s), and
	// when the daemon stops or the user turns it off (3 s).
	Suspend, Stop time.Duration
	// Backoff is the wait after a first crash (1 s), which doubles up to MostBackoff
	// (60 s). Five crashes within Breaker (10 min) are the end.
	Backoff, MostBackoff, Breaker time.Duration
	// ProgressGap is the least time between two progress lines of a call (250 ms).
	ProgressGap time.Duration
	// Look is how often watched files are looked at (1 s).
	Look time.Duration
}

func (t Times) filled() Times {
	for _, f := range []struct {
		at    *time.Duration
		value time.Duration
	}{
		{&t.Ready, 10 * time.Second},
		{&t.Ping, 5 * time.Second},
		{&t.Silent, 15 * time.Second},
		{&t.Idle, time.Minute},
		{&t.Suspend, time.Second},
		{&t.Stop, 3 * time.Second},
		{&t.Backoff, time.Second},
		{&t.MostBackoff, time.Minute},
		{&t.Breaker, 10 * time.Minute},
		{&t.ProgressGap, 250 * time.Millisecond},
		{&t.Look, time.Second},
	} {
		if *f.at == 0 {
			*f.at = f.value
		}
	}
	return t
}

// mostCrashes within Times.Breaker are tried again.
const mostCrashes = 5

// Host runs extensions.
type Host struct {
	o     Options
	times Times
	// methods are what extensions may ask.
	methods map[string]*method
	ctx     context.Context
	stop    context.CancelFunc
	// running counts the goroutines of extensions and connections.
	running sync.WaitGroup
	calls   atomic.Int64
	late    atomic.Int64
	tokens  tokens

	mu sync.Mutex
	of map[string]*keeper
	// logs outlive their keepers, so that why one was turned off can be read.
	logs map[string]*tail
}

// ErrUnknown says that no such extension is hosted.
var ErrUnknown = errors.New("no such extension")

// New returns a host; Close ends it.
func New(o Options) (*Host, error) {
	methods, err := readMethods()
	if err != nil {
		return nil, err
	}
	if o.Getenv == nil {
		o.Getenv = os.Getenv
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	for _, f := range []*func(string){&o.Changed, &o.Late} {
		if *f == nil {
			*f = func(string) {}
		}
	}
	if o.Started == nil {
		o.Started = func(string, string) {}
	}
	h := &Host{o: o, times: o.Times.filled(), methods: methods, of: map[string]*keeper{}, logs: map[string]*tail{}}
	h.tokens.of = map[string]token{}
	h.ctx, h.stop = context.WithCancel(context.Background())
	return h, nil
}

// Close ends every extension and waits for that. Calls are refused from then on.
func (h *Host) Close() {
	h.mu.Lock()
	for _, k := range h.of {
		k.end(bridge.ErrShutdown)
	}
	h.stop()
	h.mu.Unlock()
	h.running.Wait()
}

// Sync implements bridge.Runtime.
func (h *Host) Sync(list []bridge.Installed) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.ctx.Err() != nil {
		return
	}
	wanted := map[string]bool{}
	for _, x := range list {
		if !x.Runs {
			continue
		}
		wanted[x.Name] = true
		old := h.of[x.Name]
		if old != nil && old.keeps(x) {
			if old.enabled != x.Enabled { // its user wants it tried again
				old.enabled = x.Enabled
				old.forgive()
			}
			continue
		}
		if old != nil {
			old.end(bridge.ErrDisabled)
		}
		h.of[x.Name] = h.keep(x, old)
	}
	for name, k := range h.of {
		if !wanted[name] {
			k.end(bridge.ErrDisabled)
			delete(h.of, name)
		}
	}
}

func (h *Host) find(pkg string) *keeper {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.of[pkg]
}

// Late is the number of answers that came when nobody waited any more.
func (h *Host) Late() int64 { return h.late.Load() }

// Report implements bridge.Runtime.
func (h *Host) Report(pkg string) bridge.RunReport {
	k := h.find(pkg)
	if k == nil {
		return bridge.RunReport{}
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	r := bridge.RunReport{State: k.state, Reason: k.reason, Confinement: k.confined}
	for tool := range k.hidden {
		r.Hidden = append(r.Hidden, tool)
	}
	slices.Sort(r.Hidden)
	return r
}

// Log is the end of what an extension wrote to its standard error and logged since
// this host began, ErrUnknown when it never ran.
func (h *Host) Log(pkg string) (string, error) {
	h.mu.Lock()
	log := h.logs[pkg]
	h.mu.Unlock()
	if log == nil {
		return "", ErrUnknown
	}
	return log.String(), nil
}

// Wake implements bridge.Runtime.
func (h *Host) Wake(names []string) {
	for _, name := range names {
		if k := h.find(name); k != nil && k.sleeps() {
			k.wake()
		}
	}
}

// SettingsChanged tells an extension that runs that its user set something.
func (h *Host) SettingsChanged(pkg string) {
	k := h.find(pkg)
	if k == nil {
		return
	}
	settings := k.settings()
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.peer != nil && k.peer.ready {
		k.peer.tell("settings.changed", settings)
	}
}

// Unlink cancels the calls of an agent that an extension works on.
func (h *Host) Unlink(pkg, agent string) {
	if k := h.find(pkg); k != nil {
		k.cancelCalls(bridge.ErrUnlinked, func(p *pending) bool { return p.call.Agent == agent })
	}
}

func randomID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}
