package host

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"meterbridge/bridge"
	"meterbridge/bridge/sandbox"
)

// ending is how a connection ended.
type ending struct {
	state  bridge.RunState
	reason string
	// grace is how long the process has for its end; 0 kills it.
	grace time.Duration
}

// serve works with a connection until it ends, and ends its process (nil without
// one).
func (k *keeper) serve(p *peer, proc *process) {
	k.mu.Lock()
	k.peer = p
	k.confined = k.confinement(proc)
	k.setState(bridge.StateStarting, "")
	k.mu.Unlock()
	begun := k.log.length()
	p.begin()
	end := k.watch(p, proc)
	if proc != nil {
		if end.grace > 0 {
			proc.stop(end.grace)
		} else {
			proc.kill()
		}
		if end.reason == "" && end.state == bridge.StateCrashed {
			end.reason = proc.how() + k.lastWords(begun)
		}
	}
	p.close()
	k.ended(end)
}

// lastWords are what a program wrote to its standard error that says most of its
// end, with what its fence may have had to do with it.
func (k *keeper) lastWords(begun int64) string {
	said := words(k.log.since(begun))
	if said == "" {
		return ""
	}
	hint := ""
	if denied(said) && k.h.o.Sandbox != "" && sandbox.Level() > 0 {
		hint = "; its fence lets it read its package and the system and write its own folder, and nothing else"
	}
	return ": " + said + hint
}

// watch waits for the end of a connection.
func (k *keeper) watch(p *peer, proc *process) ending {
	t := k.h.times
	ready, ping := time.NewTimer(t.Ready), time.NewTicker(t.Ping)
	defer ready.Stop()
	defer ping.Stop()
	idle := time.NewTimer(t.Idle)
	defer idle.Stop()
	exited := make(chan struct{})
	if proc != nil {
		exited = proc.exited
	}
	for {
		select {
		case <-exited:
			killTree(proc) // nobody else holds the pipe any more
			<-p.done       // what it still said was heard
			return ending{state: bridge.StateCrashed}
		case <-p.done:
			return p.end(proc)
		case <-p.over:
			return p.end(proc)
		case <-k.ctx.Done():
			return k.farewell(p)
		case <-ready.C:
			if end, late := k.notReady(p); late {
				return end
			}
		case <-ping.C:
			if end, over := k.check(p, proc); over {
				return end
			}
		case <-idle.C:
			left, over := k.suspend(p)
			if over {
				return ending{state: bridge.StateSuspended, grace: t.Suspend}
			}
			idle.Reset(left)
		}
	}
}

// farewell tells the extension of its end.
func (k *keeper) farewell(p *peer) ending {
	t := k.h.times
	p.tell("lifecycle.shutdown", map[string]int64{"graceMs": t.Stop.Milliseconds()})
	return ending{state: bridge.StateOff, grace: t.Stop}
}

// notReady ends a connection that did not come up in time.
func (k *keeper) notReady(p *peer) (ending, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !p.ready {
		return ending{state: bridge.StateCrashed, reason: fmt.Sprintf("it did not say host.ready within %v", k.h.times.Ready)}, true
	}
	if missing := k.missing(p); len(missing) > 0 {
		return ending{state: bridge.StateFailed, reason: codeHandlerMissing + ": no handler for " + strings.Join(missing, ", "), grace: k.h.times.Suspend}, true
	}
	return ending{}, false
}

// missing are the declared tools that a Switchboard extension has no handler for;
// k.mu is held.
func (k *keeper) missing(p *peer) (list []string) {
	if k.x.Dialect != bridge.DialectSwitchboard {
		return nil
	}
	for _, tool := range k.x.declared() {
		if !p.registered[tool] {
			list = append(list, tool)
		}
	}
	return list
}

// check asks the extension whether it lives, and weighs it.
func (k *keeper) check(p *peer, proc *process) (ending, bool) {
	k.mu.Lock()
	silent, ready := k.h.o.Now().Sub(p.heard), p.ready
	p.seq++
	seq := p.seq
	k.mu.Unlock()
	if ready && silent > k.h.times.Silent {
		return ending{state: bridge.StateCrashed, reason: fmt.Sprintf("it was silent for %v", k.h.times.Silent)}, true
	}
	if ready {
		p.tell("host.ping", map[string]int64{"seq": seq})
	}
	if proc == nil {
		return ending{}, false
	}
	switch resident, count := weight(proc); {
	case resident > mostResident:
		return ending{state: bridge.StateCrashed, reason: fmt.Sprintf("it used %d MiB of memory, more than %d", resident>>20, mostResident>>20)}, true
	case count > mostProcesses:
		return ending{state: bridge.StateCrashed, reason: fmt.Sprintf("it ran %d processes, more than %d", count, mostProcesses)}, true
	}
	return ending{}, false
}

// suspend notes the suspension of an idle extension. Otherwise it tells when to
// look again.
func (k *keeper) suspend(p *peer) (left time.Duration, over bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	idle := k.h.times.Idle
	if !p.ready || len(k.calls) > 0 || k.x.may("background") || p.own {
		return idle, false
	}
	if left = idle - k.h.o.Now().Sub(k.used); left > 0 {
		return left, false
	}
	k.peer = nil
	k.setState(bridge.StateSuspended, "")
	p.tell("lifecycle.suspend", map[string]int64{"graceMs": k.h.times.Suspend.Milliseconds()})
	return 0, true
}

// ended notes how a connection ended, fails its calls and sees to the next start.
func (k *keeper) ended(end ending) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.peer = nil
	if end.state == bridge.StateCrashed {
		k.crashed(&end)
	}
	k.setState(end.state, end.reason)
	select {
	case <-k.ch: // a wish that this start has fulfilled
	default:
	}
	switch end.state {
	case bridge.StateCrashed, bridge.StateFailed:
		k.h.o.Log.Warn("extension_ended", slog.String("extension", k.x.Name), slog.String("state", string(end.state)), slog.String("reason", end.reason))
		k.failCalls(unavailable("the extension %s ended while the call waited for it (%s); the call is not sent again", k.x.Name, end.reason))
		if end.state == bridge.StateCrashed && k.x.may("background") {
			k.wake()
		}
	default:
		if len(k.calls) > 0 { // they came while it was being suspended
			k.wake()
		}
	}
}

// crashed counts a crash; k.mu is held.
func (k *keeper) crashed(end *ending) {
	now, t := k.h.o.Now(), k.h.times
	k.crashes = slices.DeleteFunc(append(k.crashes, now), func(at time.Time) bool { return now.Sub(at) > t.Breaker })
	if len(k.crashes) >= mostCrashes {
		end.state, end.reason = bridge.StateFailed, fmt.Sprintf("it crashed %d times within %v: %s", len(k.crashes), t.Breaker, end.reason)
		return
	}
	wait := t.Backoff << (len(k.crashes) - 1)
	k.retryAt = now.Add(min(wait, t.MostBackoff))
}

// Attached serves a connection that an extension opened itself, until it ends or
// ctx does. Its first message names the package by a one-time token.
func (h *Host) Attached(ctx context.Context, s Stream) error {
	h.mu.Lock()
	if h.ctx.Err() != nil {
		h.mu.Unlock()
		return s.Close()
	}
	h.running.Add(1)
	h.mu.Unlock()
	defer h.running.Done()
	defer context.AfterFunc(ctx, func() { _ = s.Close() })()
	defer context.AfterFunc(h.ctx, func() { _ = s.Close() })()
	return h.attach(ctx, s)
}

// confinement says how a process is shut in.
func (k *keeper) confinement(proc *process) string {
	switch {
	case proc == nil:
		return "not confined: it runs outside of Meterbridge"
	case k.h.o.Sandbox == "":
		return "not confined: this system has no fence for it, only limits of its process group"
	case sandbox.Level() == 0:
		return "not confined: the kernel has no Landlock; limits of files and time hold"
	case sandbox.Level() < 4:
		return "files: Landlock; connections are not confined by this kernel"
	}
	return "files and connections: Landlock"
}
