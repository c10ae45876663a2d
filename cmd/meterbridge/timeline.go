package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"meterbridge/internal/daemon"
)

func newTimelineCmd(a *app) *cobra.Command {
	var f windowFlags
	var noScan bool
	cmd := &cobra.Command{
		Use: "timeline ID", Short: "Requests and turns of a session or an agent, drawn over time", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			m, err := a.openAbout(cmd.Context(), args[0], noScan)
			if err != nil {
				return err
			}
			defer m.Close()
			w, err := f.resolve(m.Period())
			if err != nil {
				return err
			}
			if m.IsAgent(cmd.Context(), args[0]) {
				return a.agentTimeline(cmd.Context(), m, args[0], w)
			}
			t, err := m.Timeline(cmd.Context(), args[0], w.Since, w.Until)
			if err != nil {
				return err
			}
			if a.json {
				return a.printJSON(t)
			}
			return a.drawTimeline(t, w.Zone)
		},
	}
	f.add(cmd)
	cmd.Flags().BoolVar(&noScan, "no-scan", false, "answer from the ledger as it is")
	return cmd
}

// openAbout is openScanned for a question about a session or an agent: an agent may
// be there before any log is.
func (a *app) openAbout(ctx context.Context, which string, noScan bool) (*daemon.Meter, error) {
	m, err := a.openScanned(ctx, noScan)
	var fault *daemon.Fault
	if !errors.As(err, &fault) || !fault.Nothing {
		return m, err
	}
	m, opened := a.open(ctx)
	if opened != nil {
		return nil, opened
	}
	if !m.IsAgent(ctx, which) {
		// That no log was found is no answer to a question about one thing.
		unknown := &daemon.Fault{
			Err: fmt.Errorf("no such agent or session: %q", which), Nothing: true,
			Hint: "`meterbridge agents list --all` lists the agents, `meterbridge sessions` the sessions",
		}
		return nil, errors.Join(unknown, m.Close())
	}
	return m, nil
}

func (a *app) agentTimeline(ctx context.Context, m *daemon.Meter, which string, w daemon.Period) error {
	t, err := m.AgentTimeline(ctx, which, w.Since, w.Until)
	if err != nil {
		return err
	}
	if a.json {
		return a.printJSON(t)
	}
	r, err := m.Agent(ctx, which)
	if err != nil {
		return err
	}
	return a.drawAgent(t, r.Name+" ("+r.ID+")", w.Zone)
}

// axis maps instants (epoch milliseconds) to columns.
type axis struct {
	from, to int64
	width    int
}

func axisOf(t daemon.Timeline, width int) axis {
	x := axis{width: width}
	for i, r := range t.Requests {
		start := r.EndedAt
		if r.StartedAt != nil {
			start = *r.StartedAt
		}
		if i == 0 || start < x.from {
			x.from = start
		}
		x.to = max(x.to, r.EndedAt)
	}
	return x
}

func (x axis) column(at int64) int {
	if x.to <= x.from {
		return 0
	}
	c := int(float64(at-x.from) / float64(x.to-x.from) * float64(x.width-1))
	return min(max(c, 0), x.width-1)
}

// bar is a request on the axis: a bar from start to end, a tick where only the
// end is logged.
func (x axis) bar(r daemon.TimedRequest) string {
	line := []rune(strings.Repeat("·", x.width))
	end := x.column(r.EndedAt)
	if r.StartedAt == nil {
		line[end] = '▕'
		return string(line)
	}
	for i := x.column(*r.StartedAt); i <= end; i++ {
		line[i] = '█'
	}
	return string(line)
}

// timelineWidth is the number of columns of the axis where there is room.
const timelineWidth = 40

func (a *app) drawTimeline(t daemon.Timeline, zone *time.Location) error {
	if len(t.Requests) == 0 {
		_, err := fmt.Fprintln(a.out, "No requests in this window.")
		return err
	}
	width := timelineWidth
	if a.width > 0 {
		width = min(width, max(10, a.width-60))
	}
	x := axisOf(t, width)
	at := func(ms int64) time.Time { return time.UnixMilli(ms).In(zone) }
	fmt.Fprintf(a.out, "%s  %s\n%s to %s, %d requests, %d turns\n", plain(t.Session), t.Harness,
		at(x.from).Format(time.DateTime), at(x.to).Format(time.DateTime+" MST"), len(t.Requests), len(t.Turns))
	if t.Truncated {
		fmt.Fprintf(a.out, "Only the newest %d requests are shown.\n", len(t.Requests))
	}
	g := grid{columns: []column{
		{name: "End"},
		{name: "Over time"},
		{name: "Took", right: true, drop: 2},
		{name: "Model", shrink: true, drop: 4},
		{name: "Sub-agent", shrink: true, drop: 5},
		{name: "Input", right: true},
		{name: "Output", right: true},
		{name: "Cache read", right: true, drop: 1},
		{name: "Tools", shrink: true, drop: 3},
	}}
	for _, r := range t.Requests {
		g.rows = append(g.rows, []string{
			at(r.EndedAt).Format(time.TimeOnly), x.bar(r), took(r), text(r.Model), subagentOf(r),
			count(r.InputTokens), count(r.OutputTokens), count(r.CacheReadTokens), strings.Join(r.Tools, " "),
		})
	}
	return g.print(a.out, a.width, a.colour())
}

func took(r daemon.TimedRequest) string { return tookFor(r.StartedAt, r.EndedAt) }

func tookFor(start *int64, end int64) string {
	if start == nil {
		return notReported
	}
	return fmt.Sprintf("%.1f s", float64(end-*start)/1000)
}

func subagentOf(r daemon.TimedRequest) string { return subagentName(r.Subagent) }

func subagentName(s *daemon.Subagent) string {
	switch {
	case s == nil:
		return ""
	case s.Name != nil:
		return *s.Name
	}
	return shortID(s.ID)
}
