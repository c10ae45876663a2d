package main

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"time"
)

// view draws the screen in width columns and height lines.
func (s topState) view(width, height int, colour bool) string {
	var b bytes.Buffer
	fmt.Fprintln(&b, s.headline())
	if len(s.agents) > 0 {
		_ = s.agentGrid().print(&b, width, colour)
	}
	if len(s.today.Rows) > 0 {
		_ = s.harnesses().print(&b, width, colour) // a Buffer takes everything
	} else {
		fmt.Fprintln(&b, "Nothing was spent today.")
	}
	if len(s.active.Rows) > 0 {
		_ = s.sessions().print(&b, width, colour)
	} else {
		fmt.Fprintf(&b, "No session was active in the last %d minutes.\n", int(activeWindow.Minutes()))
	}
	for _, budget := range s.budgets {
		fmt.Fprintln(&b, bar(budget, max(10, min(40, width-40))))
	}
	lines := strings.Split(strings.TrimRight(b.String(), "\n"), "\n")
	if room := height - 1; room > 0 && len(lines) > room {
		lines = lines[:room]
	}
	return strings.Join(append(lines, "q quits"), "\n")
}

func (s topState) headline() string {
	state := "up to date"
	switch {
	case !s.status.Ready:
		state = "reading the logs for the first time"
	case s.status.LagMs > 0:
		state = fmt.Sprintf("%d ms behind", s.status.LagMs)
	}
	t := s.today.Totals
	return fmt.Sprintf("Meterbridge  %s  today %s, %s tokens, %s requests  %s tokens/min  %s",
		s.at.Format(time.TimeOnly), dollars(t.CostMicroUSD, t.CostPartial), count(t.TotalTokens), grouped(t.Requests),
		grouped(perMinute(s.pace.Totals.TotalTokens)), state)
}

// agentGrid are the agents that run, and what they do.
func (s topState) agentGrid() grid {
	g := grid{columns: []column{
		{name: "Agent", shrink: true},
		{name: "Harness", drop: 1},
		{name: "Status"},
		{name: "For", right: true},
		{name: "What", shrink: true},
		{name: "Model", shrink: true, drop: 2},
	}}
	for _, r := range s.agents {
		g.rows = append(g.rows, []string{
			r.Name, r.Harness, agentStatus(r), ago(s.at.Sub(time.UnixMilli(r.StatusAt))), whatOf(r), text(r.Model),
		})
	}
	return g
}

// perMinute is the pace of the recent tokens; what is not reported is no pace.
func perMinute(tokens *int64) int64 {
	if tokens == nil {
		return 0
	}
	return *tokens / int64(paceWindow.Minutes())
}

func (s topState) harnesses() grid {
	g := grid{columns: []column{
		{name: "Harness"},
		{name: "Tokens/min", right: true},
		{name: "Requests today", right: true, drop: 1},
		{name: "Tokens today", right: true},
		{name: "Cost today", right: true},
	}}
	pace := map[string]*int64{}
	for _, row := range s.pace.Rows {
		pace[row.Harness] = row.TotalTokens
	}
	for _, row := range s.today.Rows {
		g.rows = append(g.rows, []string{
			row.Harness, grouped(perMinute(pace[row.Harness])), grouped(row.Requests), count(row.TotalTokens), dollars(row.CostMicroUSD, row.CostPartial),
		})
	}
	return g
}

// sessions are those that were active lately, the latest first.
func (s topState) sessions() grid {
	g := grid{columns: []column{
		{name: "Session", shrink: true},
		{name: "Project", shrink: true, drop: 2},
		{name: "Model", shrink: true, drop: 3},
		{name: "Tokens, 30 min", right: true},
		{name: "Cost", right: true},
		{name: "Last", right: true, drop: 1},
	}}
	for _, row := range slices.Backward(s.active.Rows) {
		name := shortID(row.Session)
		if row.Title != nil {
			name += "  " + *row.Title
		}
		last := notReported
		if row.LastAt != nil {
			last = s.at.Sub(*row.LastAt).Round(time.Second).String()
		}
		g.rows = append(g.rows, []string{
			name, text(row.Project), strings.Join(row.Models, ", "), count(row.TotalTokens), dollars(row.CostMicroUSD, row.CostPartial), last,
		})
	}
	return g
}

// bar draws how much of a budget is used.
func bar(b topBudget, width int) string {
	full := min(width, int(b.UsedRatio*float64(width)))
	note := ""
	if b.Reached {
		note = "  reached"
	}
	return fmt.Sprintf("%-20s %s%s %3.0f%% of the %s%s", plain(b.Name), strings.Repeat("█", full), strings.Repeat("░", width-full), b.UsedRatio*100, b.Window, note)
}
