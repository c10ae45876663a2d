package daemon

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"meterbridge/analytics"
	"meterbridge/bridge"
)

// callDesk keeps the traces of tool calls: a call does not wait for the ledger.
type callDesk struct {
	ledger *analytics.Ledger
	log    *slog.Logger
	called func(tool, outcome string, queued, took time.Duration)
	// session is that of an agent now; nil where nothing is known of agents.
	session func(agent string) string

	mu sync.Mutex
	// waiting are those that are not in the ledger yet, dropped how many had no room.
	waiting []analytics.BridgeCall
	dropped int
	more    chan struct{}
}

// mostWaitingCalls bounds the traces that wait for the ledger.
const mostWaitingCalls = 20_000

// callsEvery is how often traces are written.
const callsEvery = time.Second

func newCallDesk(l *analytics.Ledger, log *slog.Logger, called func(string, string, time.Duration, time.Duration)) *callDesk {
	return &callDesk{ledger: l, log: log, called: called, more: make(chan struct{}, 1)}
}

// done hears of a call that ended.
func (d *callDesk) done(r bridge.CallRecord) {
	d.called(r.Exposed, r.Outcome, r.Queued, r.Ended.Sub(r.Started))
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.waiting) >= mostWaitingCalls {
		d.dropped++
		return
	}
	if r.Session == "" && d.session != nil {
		r.Session = d.session(r.Agent)
	}
	d.waiting = append(d.waiting, traceRow(r))
	select {
	case d.more <- struct{}{}:
	default:
	}
}

// traceRow is a trace as the ledger keeps it.
func traceRow(r bridge.CallRecord) analytics.BridgeCall {
	return analytics.BridgeCall{
		ID: r.ID, Started: r.Started, Ended: r.Ended, Agent: r.Agent, Session: r.Session, Via: r.By, Package: r.Package, Version: r.Version,
		Tool: r.Tool, Exposed: r.Exposed, ToolDigest: r.ToolDigest.String(), TreeDigest: r.TreeDigest.String(), Instance: r.Instance,
		Queued: r.Queued, Woke: r.Woke, Handled: r.Handled, ArgumentBytes: r.ArgumentBytes, ArgumentShape: string(r.ArgumentShape),
		ResultBytes: r.ResultBytes, Items: r.Items, Removed: r.Removed, Progress: r.Progress, Outcome: r.Outcome, Era: r.Era, TraceID: r.TraceID, Arguments: r.Arguments, Answer: r.Answer,
	}
}

// start writes traces until the function that it returns is called, which writes
// the last ones.
func (d *callDesk) start(ctx context.Context) func() {
	ctx, stop := context.WithCancel(context.WithoutCancel(ctx))
	var wg sync.WaitGroup
	wg.Go(func() {
		timer := time.NewTimer(callsEvery)
		defer timer.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-d.more:
			}
			timer.Reset(callsEvery)
			select {
			case <-ctx.Done():
				return
			case <-timer.C:
				d.write(ctx)
			}
		}
	})
	return func() {
		stop()
		wg.Wait()
		d.write(context.WithoutCancel(ctx))
	}
}

// write writes what waits. Without a daemon there is nothing.
func (d *callDesk) write(ctx context.Context) {
	if d == nil {
		return
	}
	d.mu.Lock()
	list, dropped := d.waiting, d.dropped
	d.waiting, d.dropped = nil, 0
	d.mu.Unlock()
	if dropped > 0 {
		d.log.Warn("traces of tool calls were dropped", slog.Int("calls", dropped))
	}
	if len(list) == 0 {
		return
	}
	if err := d.ledger.SaveBridgeCalls(ctx, list); err != nil {
		d.log.Warn("tool calls are not kept", slog.Any("error", err))
	}
}

// mcpSessions counts the sessions of MCP.
func (s *server) mcpSessions() int {
	if s.mcp == nil {
		return 0
	}
	return s.mcp.Sessions()
}

// agentName is what an agent's user calls it, its id when that is not known.
func (m *Meter) agentName(id string) string {
	if m.fleet == nil {
		return id
	}
	if a, err := m.fleet.Agents().Get(id); err == nil && a.ID == id && a.Name != "" {
		return a.Name
	}
	return id
}

// sessionOf is the session that an agent is bound to now, empty when none is.
func (m *Meter) sessionOf(id string) string {
	if m.fleet == nil {
		return ""
	}
	a, err := m.fleet.Agents().Get(id)
	if err != nil || a.ID != id || len(a.Bindings) == 0 {
		return ""
	}
	return a.Bindings[len(a.Bindings)-1].Session
}
