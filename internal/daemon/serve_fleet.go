package daemon

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"meterbridge/agents"
	"meterbridge/agents/terminal"
	"meterbridge/bridge"
	"meterbridge/dashboard/events"
	"meterbridge/harnesses/all"
	"meterbridge/internal/daemon/fleet"
	terminalholder "meterbridge/internal/holder"
)

// gather makes the fleet and keeps it running until the function that it returns is
// called, which ends every terminal.
func (s *server) gather(ctx context.Context) (disperse func(context.Context), err error) {
	m := s.meter
	program := m.opts.Program
	if program == "" {
		program = "meterbridge"
	}
	machine, err := machineHookToken(m.paths)
	if err != nil {
		return nil, err
	}
	m.fleet, err = fleet.New(ctx, fleet.Options{
		MachineToken: machine,
		Ledger:       m.ledger, Harnesses: all.Harnesses(), Profiles: all.LaunchProfiles(), Folder: m.paths.Agents(),
		Program: program, Forwarder: forwarder(program), HookURL: s.hookURL, Server: bridge.ServerName,
		Getenv: m.opts.Getenv, Now: m.opts.Now, Log: s.o.Log, KeepText: m.config.Privacy.KeepsText(), Zone: m.zone,
		Rack: terminal.RackOptions{Journal: m.paths.Journal(), Terminal: terminal.Options{
			Holder: terminalholder.Argv(program), Sockets: m.paths.Sessions(), Umask: s.o.Umask,
		}},
	})
	if err != nil {
		return nil, err
	}
	m.fleet.Listen(s.events.agent)
	if err := m.fleet.Desk().TakeSpool(m.paths.HookSpool()); err != nil && s.o.Log != nil {
		s.o.Log.Warn("what hooks told meanwhile not taken", slog.Any("error", err))
	}
	running, stop := context.WithCancel(context.WithoutCancel(ctx))
	if err := s.openPrompting(ctx); err != nil {
		stop()
		return nil, errors.Join(err, m.fleet.Close(ctx))
	}
	var wg sync.WaitGroup
	wg.Go(func() { m.fleet.Run(running) })
	prompts, stopPrompts := context.WithCancel(running)
	wg.Go(func() { m.prompting.Run(prompts) })
	return func(ctx context.Context) {
		stopPrompts() // what is being typed is brought to its end first
		if err := m.fleet.Close(ctx); err != nil && s.o.Log != nil {
			s.o.Log.Warn("terminals not ended", slog.Any("error", err))
		}
		stop()
		wg.Wait()
	}, nil
}

// hookURL is where hooks report to; empty before the daemon listens.
func (s *server) hookURL() string {
	if s.tcp == "" {
		return ""
	}
	return "http://" + reachable(s.tcp) + "/hooks"
}

// forwarder is the command line that takes a hook's payload, quoted for a shell: the
// small program beside this one, else this one.
func forwarder(program string) string {
	if lite, ok := small(program); ok {
		return shellQuoted(lite) + " hook"
	}
	return shellQuoted(program) + " __hook"
}

// small is the small program, which lies beside this one.
func small(program string) (string, bool) {
	lite := filepath.Join(filepath.Dir(program), "meterbridge-lite")
	_, err := os.Stat(lite)
	return lite, err == nil && filepath.IsAbs(program)
}

func shellQuoted(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// agent passes what happens to agents on to those who listen to events.
func (a *announcer) agent(e agents.Event) {
	at := e.At.UnixMilli()
	switch e.Kind {
	case agents.EventStatus:
		a.publish(events.AgentStatus, events.StatusChange{
			AgentID: e.Agent.ID, Status: string(e.Agent.Status), At: at, Detail: orNil(e.Agent.Detail), Source: e.Agent.Source, Confidence: e.Agent.Confidence,
		})
	case agents.EventTurnStart:
		a.publish(events.AgentTurn, events.TurnChange{AgentID: e.Agent.ID, Phase: "start", At: at})
	case agents.EventTurnEnd:
		a.publish(events.AgentTurn, events.TurnChange{AgentID: e.Agent.ID, Phase: "end", At: at})
	case agents.EventChanged:
		a.publish(events.AgentChanged, events.AgentChange{AgentID: e.Agent.ID, At: at})
	}
}
