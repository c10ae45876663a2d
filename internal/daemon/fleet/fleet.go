// Package fleet joins the agents of a daemon: the registry of package agents with
// the terminals, the ledger, the hooks of each harness and those who listen to what
// happens. It may import every package of the project but internal/daemon itself,
// which makes one, runs it and hands it to the commands, the API and the bridge.
package fleet

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"meterbridge"
	"meterbridge/agents"
	"meterbridge/agents/terminal"
	"meterbridge/analytics"
	"meterbridge/harnesses"
	"meterbridge/internal/hooks"
)

// Options of a fleet.
type Options struct {
	Ledger    *analytics.Ledger
	Harnesses []harnesses.Harness
	// Profiles are the launch profiles by harness.
	Profiles map[string]meterbridge.LaunchProfile
	// Folder is the agents' own, below the data folder.
	Folder string
	// Program is what starts this program; Forwarder is the command line that takes a
	// hook's payload, quoted for a shell.
	Program, Forwarder string
	// MachineToken is that of hooks of agents that were started by hand.
	MachineToken string
	// HookURL is where hooks report to, without the harness; it is asked at each launch.
	HookURL func() string
	// Server is the name of the MCP server in agents' configurations.
	Server string
	Getenv func(string) string
	Now    func() time.Time
	Log    *slog.Logger
	// Rack are options of the terminals; what they tell is the fleet's own to hear.
	Rack terminal.RackOptions
	// Zone is that of reports; nil is the system's.
	Zone *time.Location
	// KeepText: texts that were typed may be kept.
	KeepText bool
}

// Fleet is the agents of one daemon. Its methods may be called at once.
type Fleet struct {
	o      Options
	agents *agents.Registry
	rack   *terminal.Rack
	tokens tokens
	events events
	// desk follows what the agents do.
	desk     *hooks.Desk
	statuses statusListeners
	// versions remembers what programs said of their version.
	versions versions
	// of holds the harnesses by id.
	of map[string]harnesses.Harness

	// chores run as long as the fleet does.
	ctx    context.Context
	stop   context.CancelFunc
	chores sync.WaitGroup
}

var (
	_ agents.Store   = (*analytics.Ledger)(nil)
	_ agents.History = (*analytics.Ledger)(nil)
)

// New reads the agents that are kept. Those whose processes were lost are ended.
func New(ctx context.Context, o Options) (*Fleet, error) {
	f := &Fleet{o: o, of: map[string]harnesses.Harness{}}
	for _, h := range o.Harnesses {
		f.of[h.ID] = h
	}
	f.ctx, f.stop = context.WithCancel(context.WithoutCancel(ctx))
	rack := o.Rack
	rack.Watch = terminal.Watch{Ended: f.ended, Event: f.told, Keys: f.typed}
	rack.Record = f.record
	for _, p := range o.Profiles {
		rack.Terminal.Keeps = append(rack.Terminal.Keeps, p.Keeps...)
	}
	var err error
	if f.rack, err = terminal.NewRack(rack); err != nil {
		return nil, err
	}
	f.agents, err = agents.New(ctx, agents.Options{
		Profiles: o.Profiles, Runner: runner{f.rack}, Store: o.Ledger, History: o.Ledger, Wire: f.wire, Tell: f.events.tell, Failed: f.failed, Forgotten: f.forgotten,
		Now: o.Now, NewID: func() string { return "ag-" + random(4) }, NewSession: newUUID,
	})
	if err != nil {
		return nil, err
	}
	if err := f.tokens.read(o.Folder); err != nil {
		return nil, err
	}
	f.desk = f.newDesk()
	f.Listen(f.desk.Heard)
	f.adopt(ctx)
	return f, nil
}

// adopt takes over the terminals of an earlier life that go on, and ends the books
// on those that do not.
func (f *Fleet) adopt(ctx context.Context) {
	found, err := f.rack.Adopt(ctx)
	if err != nil {
		f.failed(err)
	}
	if f.o.Log != nil && len(found.Adopted)+len(found.Swept) > 0 {
		f.o.Log.Info("terminals of the daemon before", slog.Int("taken_over", len(found.Adopted)), slog.Int("ended", len(found.Swept)))
	}
	f.agents.Recover(func(id string, generation int) bool {
		return slices.ContainsFunc(found.Adopted, func(l terminal.Listed) bool {
			return l.ID == id && l.Generation == generation && l.Phase == terminal.Running
		})
	})
	f.disown(ctx, found.Adopted)
	for _, a := range f.agents.List("") {
		if a.Origin == meterbridge.Started && a.Running() {
			f.desk.Heard(agents.Event{Kind: agents.EventChanged, Agent: a})
			f.follow(a)
		}
	}
}

// disown ends terminals of agents that no books tell of: the daemon before was killed
// before it had kept them, and nobody could name them.
func (f *Fleet) disown(ctx context.Context, adopted []terminal.Listed) {
	for _, l := range adopted {
		if a, err := f.agents.Get(l.ID); err == nil && a.Running() && a.Generation == l.Generation {
			continue
		}
		if err := f.rack.Stop(ctx, l.ID); err != nil {
			f.failed(err)
			continue
		}
		if err := f.rack.Remove(l.ID); err != nil {
			f.failed(err)
		}
	}
}

// Run keeps what changes and looks after the agents until ctx ends; Close comes first.
func (f *Fleet) Run(ctx context.Context) {
	var wg sync.WaitGroup
	wg.Go(func() { f.beat(ctx) })
	wg.Go(func() { f.agents.Run(ctx) })
	f.desk.Run(ctx)
	wg.Wait()
}

// lifeBeat is how often a sign of life of each agent is kept.
const lifeBeat = time.Minute

func (f *Fleet) beat(ctx context.Context) {
	beat := time.NewTicker(lifeBeat)
	defer beat.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-beat.C:
		}
		for _, a := range f.agents.List("") {
			if a.Origin == meterbridge.Started && a.Running() {
				f.agents.Seen(a.ID, f.o.Now())
			}
		}
	}
}

// Close ends every terminal, and the books on their agents.
func (f *Fleet) Close(ctx context.Context) error {
	f.stop()
	err := f.rack.Close(ctx)
	f.chores.Wait()
	for _, a := range f.agents.List("") {
		if a.Origin == meterbridge.Started && a.Running() {
			f.agents.Exited(a.ID, a.Generation, f.o.Now(), meterbridge.Count{})
		}
	}
	f.events.close()
	return err
}

// Agents is the registry.
func (f *Fleet) Agents() *agents.Registry { return f.agents }

// Desk is where hooks report to, and what follows agents.
func (f *Fleet) Desk() *hooks.Desk { return f.desk }

// Terminals are the terminals, by the id of their agent.
func (f *Fleet) Terminals() *terminal.Rack { return f.rack }

// failed hears of what could not be kept.
func (f *Fleet) failed(err error) {
	if f.o.Log != nil {
		f.o.Log.Warn("agents not kept", slog.Any("error", err))
	}
}

// ended hears that a program of a terminal has ended.
func (f *Fleet) ended(id string, s terminal.State) {
	code := meterbridge.Reported(int64(s.Code))
	if s.Signal != "" {
		code = meterbridge.Count{}
	}
	f.agents.Exited(id, s.Generation, f.o.Now(), code)
}

// record keeps what callers other than a person did in a terminal.
func (f *Fleet) record(u terminal.Use) {
	r := meterbridge.RunRecord{
		Caller: u.Caller.ID, Agent: u.Terminal, At: u.At, Verb: string(u.Verb), Bytes: int64(u.Bytes), Took: u.Took, Outcome: "ok",
	}
	if f.o.KeepText {
		r.Command = u.Text
	}
	if u.Code != nil {
		r.ExitCode = meterbridge.Reported(int64(*u.Code))
	}
	switch {
	case u.Fault != "":
		r.Outcome = u.Fault
	case u.TimedOut:
		r.Outcome = "timeout"
	}
	f.chores.Go(func() {
		if err := f.o.Ledger.SaveRun(context.WithoutCancel(f.ctx), r); err != nil {
			f.failed(err)
		}
	})
}

// forgotten hears of an agent that is no more: its folder with its tokens goes too.
func (f *Fleet) forgotten(id string) {
	f.tokens.forget(id)
	if err := os.RemoveAll(f.folder(id)); err != nil {
		f.failed(err)
	}
	if err := f.rack.Remove(id); err != nil && !errors.Is(err, terminal.ErrUnknown) {
		f.failed(err)
	}
}

// folder is the agent's own folder.
func (f *Fleet) folder(id string) string { return filepath.Join(f.o.Folder, id) }

func random(n int) string {
	b := make([]byte, n)
	_, _ = rand.Read(b) // it never fails
	return hex.EncodeToString(b)
}

// newUUID is a random UUID (version 4).
func newUUID() string {
	b := make([]byte, 16)
	_, _ = rand.Read(b) // it never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// Now is the fleet's clock.
func (f *Fleet) Now() time.Time { return f.o.Now() }
