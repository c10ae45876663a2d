package host

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os/exec"
	"reflect"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"meterbridge/bridge"
)

// keeper keeps one extension: it starts it when it is wanted, one process or
// connection at a time.
type keeper struct {
	h *Host
	x *extension
	// enabled is that of what was last told of the extension; h.mu guards it.
	enabled int64
	ch      chan struct{} // wanted: a start is asked for
	// attached takes connections that the extension opened itself.
	attached chan *peer
	ctx      context.Context
	stop     context.CancelCauseFunc
	// before is closed when the keeper that this one replaced has ended; gone when
	// this one has.
	before, gone chan struct{}
	log          *tail
	limiters     limiters
	store        *storage

	mu     sync.Mutex
	state  bridge.RunState
	reason string
	// peer is the connection that is in use, nil without one.
	peer *peer
	// confined says how its process is shut in.
	confined string
	// calls are those that wait for an answer, in order of arrival.
	calls  []*pending
	hidden map[string]bool
	// used is when the last call ended or the extension came up.
	used time.Time
	// crashes are when it crashed, retryAt is when it may start again.
	crashes []time.Time
	retryAt time.Time
	starts  int
}

// keep begins to keep an extension; h.mu is held.
func (h *Host) keep(installed bridge.Installed, before *keeper) *keeper {
	x := &extension{installed}
	k := &keeper{
		h: h, x: x, enabled: x.Enabled, ch: make(chan struct{}, 1), attached: make(chan *peer), gone: make(chan struct{}), state: bridge.StateIdle, log: &tail{},
		hidden: map[string]bool{}, limiters: limiters{of: map[string]*rate.Limiter{}, now: h.o.Now},
	}
	if before != nil {
		k.before = before.gone
	}
	if h.logs[x.Name] == nil {
		h.logs[x.Name] = k.log
	}
	k.log = h.logs[x.Name]
	k.store = newStorage(x.Data)
	k.ctx, k.stop = context.WithCancelCause(h.ctx)
	h.running.Go(k.run)
	return k
}

// keeps tells whether the keeper can go on with what is now told of its
// extension.
func (k *keeper) keeps(x bridge.Installed) bool {
	x.Enabled = k.x.Enabled // that it was turned on again stops nothing
	return reflect.DeepEqual(k.x.Installed, x)
}

// end ends the extension; why is one of the causes.
func (k *keeper) end(why error) {
	k.mu.Lock()
	k.setState(bridge.StateOff, "")
	k.mu.Unlock()
	k.cancelCalls(why, func(*pending) bool { return true })
	k.stop(why)
}

// setState notes a state; k.mu is held.
func (k *keeper) setState(s bridge.RunState, reason string) {
	if k.state == s && k.reason == reason || k.state == bridge.StateOff {
		return
	}
	k.state, k.reason = s, reason
	k.h.o.Log.Info("extension_state", slog.String("extension", k.x.Name), slog.String("state", string(s)), slog.String("reason", reason))
	k.h.o.Changed(k.x.Name)
}

func (k *keeper) wake() {
	select {
	case k.ch <- struct{}{}:
	default:
	}
}

// forgive forgets crashes and failures.
func (k *keeper) forgive() {
	k.mu.Lock()
	k.crashes, k.retryAt = nil, time.Time{}
	if k.state == bridge.StateFailed || k.state == bridge.StateCrashed {
		k.setState(bridge.StateIdle, "")
	}
	k.mu.Unlock()
}

// run is the life of the extension.
func (k *keeper) run() {
	defer close(k.gone)
	if k.before != nil {
		<-k.before
	}
	for k.ctx.Err() == nil {
		select {
		case <-k.ctx.Done():
		case p := <-k.attached:
			k.serve(p, nil)
		case <-k.ch:
			if k.rest() {
				k.start()
			}
		}
	}
}

// rest waits until a crashed extension may start again. It is false when it may
// not start at all.
func (k *keeper) rest() bool {
	k.mu.Lock()
	wait, failed, none := k.retryAt.Sub(k.h.o.Now()), k.state == bridge.StateFailed, !k.x.starts()
	k.mu.Unlock()
	if failed || none {
		return false
	}
	if wait <= 0 {
		return true
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-k.ctx.Done():
		return false
	}
}

// start starts the extension's process and serves it until it ends.
func (k *keeper) start() {
	k.mu.Lock()
	reason := "created"
	switch {
	case k.state == bridge.StateCrashed:
		reason = "crashed"
	case k.starts > 0:
		reason = "woken"
	}
	k.starts++
	k.setState(bridge.StateStarting, "")
	k.mu.Unlock()
	p, err := k.spawn()
	if err != nil {
		k.ended(ending{state: bridge.StateCrashed, reason: err.Error()})
		return
	}
	k.h.o.Started(k.x.Name, reason)
	launch := "woken"
	if reason == "created" {
		launch = "created"
	}
	peer := newPeer(k, Lines(p.stdout, p.stdin, p.stdout.Close), launch)
	k.serve(peer, p)
}

// spawn starts the program inside its fence.
func (k *keeper) spawn() (*process, error) {
	argv, err := k.x.argv(k.h.o.Runner, k.h.o.Importer, exec.LookPath)
	if err != nil {
		return nil, fmt.Errorf("find the program: %w", err)
	}
	if len(argv) == 0 {
		return nil, errors.New("it has no command, and this daemon no runner for it")
	}
	if err := folders(k.x); err != nil {
		return nil, err
	}
	if k.h.o.Sandbox != "" {
		if argv, err = fence(k.x, k.programs(argv), k.h.o.Shared).Argv(k.h.o.Sandbox, argv); err != nil {
			return nil, err
		}
	}
	mark := randomID()
	return start(argv, environment(k.x, mark, k.h.o.Getenv), k.x.Data, mark, k.log)
}

// programs are the files that the extension's process runs, besides those of the
// system: its own, and that of a server which it starts.
func (k *keeper) programs(argv []string) []string {
	list := []string{argv[0]}
	if k.x.Dialect == bridge.DialectMCP && len(k.x.Command) > 0 {
		if server, err := exec.LookPath(k.x.Command[0]); err == nil {
			list = append(list, server)
		}
	}
	return list
}

// sleeps tells whether no process and no connection is there.
func (k *keeper) sleeps() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.state == bridge.StateIdle || k.state == bridge.StateSuspended
}
