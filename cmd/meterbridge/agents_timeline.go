package main

import (
	"fmt"
	"math"
	"strings"
	"time"

	"meterbridge/internal/daemon"
)

// agentWidth is the number of columns of the lanes where there is room.
const agentWidth = 72

// lane is one line of a timeline.
type lane struct {
	name  string
	cells []rune
}

func newLane(name string, width int) lane {
	return lane{name, []rune(strings.Repeat(" ", width))}
}

// fill draws a stretch of time.
func (l lane) fill(x axis, from, to int64, mark rune) {
	if to < x.from || from > x.to {
		return
	}
	for i := x.column(from); i <= x.column(to); i++ {
		l.cells[i] = mark
	}
}

// drawAgent draws statuses, turns and requests of an agent, one lane for itself and
// one for each sub-agent, all over the same time.
func (a *app) drawAgent(t daemon.AgentTimeline, name string, zone *time.Location) error {
	width := agentWidth
	if a.width > 0 {
		width = min(max(a.width-16, 20), 160)
	}
	x := agentAxis(t, width, a.now().UnixMilli())
	if x.to == x.from {
		_, err := fmt.Fprintln(a.out, "It did nothing in this window.")
		return err
	}
	counted := 0
	for _, turn := range t.Turns {
		if turn.Counted {
			counted++
		}
	}
	at := func(ms int64) time.Time { return time.UnixMilli(ms).In(zone) }
	fmt.Fprintf(a.out, "%s  %s\n%s to %s, %d requests, %d prompts\n", plain(name), t.Harness,
		at(x.from).Format(time.DateTime), at(x.to).Format(time.DateTime+" MST"), len(t.Requests), counted)
	if t.Truncated {
		fmt.Fprintf(a.out, "Only the newest %d requests are shown.\n", len(t.Requests))
	}
	for _, l := range append([]lane{statusLane(t, x), turnLane(t, x, a.now().UnixMilli())}, requestLanes(t, x)...) {
		fmt.Fprintf(a.out, "%-14s %s\n", shorten(plain(l.name), 14), strings.TrimRight(string(l.cells), " "))
	}
	fmt.Fprintf(a.out, "%-14s %s\n", "", "█ working or a request  ▒ needs input  · finished or idle  × exited  ▕ only its end is logged")
	if len(t.Requests) == 0 {
		return nil
	}
	return a.agentRequests(t, zone)
}

// agentAxis spans the turns and requests, or else the statuses.
func agentAxis(t daemon.AgentTimeline, width int, now int64) axis {
	x := axis{from: math.MaxInt64, to: math.MinInt64, width: width}
	take := func(from, to int64) { x.from, x.to = min(x.from, from), max(x.to, to) }
	for _, r := range t.Requests {
		take(startOf(r), r.EndedAt)
	}
	for _, turn := range t.Turns {
		take(turn.Start, endOf(turn.End, now))
	}
	if x.from > x.to {
		for _, s := range t.Statuses {
			take(s.From, endOf(s.To, now))
		}
	}
	if x.from > x.to {
		x.from, x.to = 0, 0
	}
	return x
}

func startOf(r daemon.AgentRequest) int64 {
	if r.StartedAt == nil {
		return r.EndedAt
	}
	return *r.StartedAt
}

func endOf(end *int64, now int64) int64 {
	if end == nil {
		return now
	}
	return *end
}

func statusLane(t daemon.AgentTimeline, x axis) lane {
	marks := map[string]rune{"working": '█', "needs-input": '▒', "finished": '·', "idle": '·', "exited": '×'}
	l := newLane("Status", x.width)
	// Short spans are drawn last: a question of a second must not vanish.
	for _, status := range []string{"finished", "idle", "exited", "working", "needs-input"} {
		for _, s := range t.Statuses {
			if s.Status == status {
				l.fill(x, s.From, endOf(s.To, x.to), marks[status])
			}
		}
	}
	return l
}

func turnLane(t daemon.AgentTimeline, x axis, now int64) lane {
	l := newLane("Prompts", x.width)
	for _, turn := range t.Turns {
		if !turn.Counted || turn.Start > x.to {
			continue
		}
		end := endOf(turn.End, now)
		l.fill(x, turn.Start, end, '─')
		l.cells[x.column(turn.Start)] = '├'
		if turn.End != nil && x.column(end) > x.column(turn.Start) {
			l.cells[x.column(end)] = '┤'
		}
	}
	return l
}

// requestLanes are a lane for the agent itself and one for each of its sub-agents.
func requestLanes(t daemon.AgentTimeline, x axis) []lane {
	lanes := []lane{newLane("Requests", x.width)}
	of := map[string]int{}
	for _, r := range t.Requests {
		at := 0
		if r.Subagent != nil {
			i, known := of[r.Subagent.ID]
			if !known {
				i = len(lanes)
				of[r.Subagent.ID] = i
				lanes = append(lanes, newLane(subagentName(r.Subagent), x.width))
			}
			at = i
		}
		mark := '█'
		if r.StartedAt == nil {
			mark = '▕'
		}
		lanes[at].fill(x, startOf(r), r.EndedAt, mark)
	}
	return lanes
}

func (a *app) agentRequests(t daemon.AgentTimeline, zone *time.Location) error {
	g := grid{columns: []column{
		{name: "End"},
		{name: "Took", right: true, drop: 2},
		{name: "Model", shrink: true, drop: 4},
		{name: "Sub-agent", shrink: true, drop: 5},
		{name: "Input", right: true},
		{name: "Output", right: true},
		{name: "Cache write", right: true, drop: 6},
		{name: "Cache read", right: true, drop: 1},
		{name: "Tools", shrink: true, drop: 3},
	}}
	for _, r := range t.Requests {
		g.rows = append(g.rows, []string{
			time.UnixMilli(r.EndedAt).In(zone).Format(time.TimeOnly), tookFor(r.StartedAt, r.EndedAt), text(r.Model), subagentName(r.Subagent),
			count(r.InputTokens), count(r.OutputTokens), count(r.CacheWriteTokens), count(r.CacheReadTokens), strings.Join(r.Tools, " "),
		})
	}
	return g.print(a.out, a.width, a.colour())
}
