package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"meterbridge/internal/control"
	"meterbridge/internal/daemon"
)

const (
	// paceWindow is the recent time that tokens per minute are of, activeWindow that
	// in which a session counts as active.
	paceWindow   = 10 * time.Minute
	activeWindow = 30 * time.Minute
)

// topRow is a row of usage, as far as the screen shows it.
type topRow struct {
	Harness      string     `json:"harness"`
	Session      string     `json:"session"`
	Title        *string    `json:"title"`
	Project      *string    `json:"project"`
	LastAt       *time.Time `json:"lastAt"`
	Models       []string   `json:"models"`
	Requests     int64      `json:"requests"`
	TotalTokens  *int64     `json:"totalTokens"`
	CostMicroUSD *int64     `json:"costMicroUsd"`
	CostPartial  bool       `json:"costPartial"`
}

type topUsage struct {
	Rows   []topRow `json:"rows"`
	Totals topRow   `json:"totals"`
}

type topBudget struct {
	Name      string  `json:"name"`
	Window    string  `json:"window"`
	UsedRatio float64 `json:"usedRatio"`
	Reached   bool    `json:"reached"`
}

// topState is what the screen shows.
type topState struct {
	at                  time.Time
	today, pace, active topUsage
	budgets             []topBudget
	agents              []daemon.AgentAnswer
	status              control.Status
}

// topSource asks the daemon over its socket.
type topSource struct {
	client *control.Client
	now    func() time.Time
}

func (s topSource) read(ctx context.Context) (topState, error) {
	now := s.now()
	out := topState{at: now}
	y, m, d := now.Date()
	day := time.Date(y, m, d, 0, 0, 0, 0, now.Location())
	var budgets struct {
		Rows []topBudget `json:"rows"`
	}
	var agents daemon.AgentList
	var err error
	if out.status, err = s.client.Status(ctx); err != nil {
		return out, err
	}
	for _, question := range []struct {
		path string
		into any
	}{
		{usagePath("harness", day), &out.today},
		{usagePath("harness", now.Add(-paceWindow)), &out.pace},
		{usagePath("session", now.Add(-activeWindow)), &out.active},
		{"/api/v1/budgets", &budgets},
		{"/api/v1/agents", &agents},
	} {
		if err := s.get(ctx, question.path, question.into); err != nil {
			return out, err
		}
	}
	out.budgets = budgets.Rows
	for _, a := range agents.Rows {
		if a.Status != "exited" {
			out.agents = append(out.agents, a)
		}
	}
	return out, nil
}

func usagePath(by string, since time.Time) string {
	return "/api/v1/usage?" + url.Values{"by": {by}, "since": {since.UTC().Format(time.RFC3339)}}.Encode()
}

func (s topSource) get(ctx context.Context, path string, into any) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://localhost"+path, nil)
	if err != nil {
		return fmt.Errorf("ask the daemon: %w", err)
	}
	resp, err := s.client.HTTP().Do(req)
	if err != nil {
		return fmt.Errorf("ask the daemon: %w", err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(io.LimitReader(resp.Body, 1024))
		return fmt.Errorf("the daemon answered %s: %s", resp.Status, text)
	}
	if err := json.NewDecoder(resp.Body).Decode(into); err != nil {
		return fmt.Errorf("read the daemon's answer: %w", err)
	}
	return nil
}
