package web

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"meterbridge/dashboard"
	"meterbridge/dashboard/query"
)

// Prompts is the queue of prompts, as a person uses it. An error that is a
// *problem.Problem is told as it is.
type Prompts interface {
	// Open are those that wait, of an agent or for "" of all.
	Open(ctx context.Context, agent string) (dashboard.PromptList, error)
	// Log are the newest that went out or were dropped.
	Log(ctx context.Context, agent string, most int) (dashboard.PromptList, error)
	Send(ctx context.Context, p PromptSend) error
	Change(ctx context.Context, c PromptChange) error
}

// PromptSend is a prompt of the person at the browser.
type PromptSend struct {
	Agent, Text string
	// Insert types it without Enter; Command lets it be a command of the agent.
	Insert, Command bool
	// WhenBusy is queue, send or fail.
	WhenBusy string
	// At is the earliest time, zero for at once.
	At time.Time
}

// PromptChange is what a person does with a prompt that waits.
type PromptChange struct {
	ID string
	// Do is edit, move, remove, or for one that waits for a decision send or drop.
	Do    string
	Text  string
	Place int
}

// queuePage is the queue of one agent, or of all.
type queuePage struct {
	Open, Log []dashboard.PromptAnswer
	// Agent is the id of the only agent; empty for all.
	Agent string
	Back  string
	Now   time.Time
	Zone  *time.Location
}

// Waiting are those that wait for a decision.
func (q *queuePage) Waiting() (list []dashboard.PromptAnswer) {
	for _, p := range q.Open {
		if p.State == "waiting" {
			list = append(list, p)
		}
	}
	return list
}

// Ago tells how long ago a time was.
func (q *queuePage) Ago(ms int64) string { return ago(time.UnixMilli(ms), q.Now) }

// Clock is a time to come.
func (q *queuePage) Clock(ms int64) string {
	at := time.UnixMilli(ms)
	return ahead(&at, q.Now, q.Zone)
}

// queueOf asks for the queue of an agent, or of all; nil where there is none.
func (s *Site) queueOf(ctx context.Context, agent, back string, p prefs) (*queuePage, error) {
	if s.o.Prompts == nil {
		return nil, nil
	}
	page := &queuePage{Agent: agent, Back: back, Now: s.o.Now(), Zone: s.zoneOf(p)}
	open, err := s.o.Prompts.Open(ctx, agent)
	if err != nil {
		return nil, err
	}
	log, err := s.o.Prompts.Log(ctx, agent, 20)
	page.Open, page.Log = open.Rows, log.Rows
	return page, err
}

// queue makes the page of all queues.
func (s *Site) queue(ctx context.Context, _ *http.Request, p prefs) (view, error) {
	page, err := s.queueOf(ctx, "", "/queue", p)
	return view{Page: "queue", Title: "Queue", Nav: "/agents", Data: page}, err
}

// waiting is what every page shows of prompts that wait for a decision.
func (s *Site) waiting(ctx context.Context, _ *http.Request, p prefs) (view, error) {
	page := &queuePage{Now: s.o.Now(), Zone: s.zoneOf(p)}
	if s.o.Prompts == nil {
		return view{Page: "waiting", Title: "Queue", Nav: "/agents", Data: page}, nil
	}
	open, err := s.o.Prompts.Open(ctx, "")
	page.Open = open.Rows
	return view{Page: "waiting", Title: "Queue", Nav: "/agents", Data: page}, err
}

// prompt sends what was written on an agent's page.
func (s *Site) prompt(ctx context.Context, r *http.Request) (string, error) {
	if s.o.Prompts == nil {
		return "", errNoFleet()
	}
	f := r.PostForm
	p := PromptSend{
		Agent: r.PathValue("id"), Text: strings.ReplaceAll(f.Get("text"), "\r\n", "\n"), Insert: f.Get("insert") == "on",
		Command: f.Get("command") == "on", WhenBusy: f.Get("whenBusy"),
	}
	if text := f.Get("at"); text != "" {
		period, err := query.Period{Since: text, Timezone: readPrefs(r).Zone}.Resolve(s.meter.Period())
		if err != nil {
			return "", err
		}
		p.At = period.Since
	}
	return "/agents/" + url.PathEscape(p.Agent) + "#prompts", s.o.Prompts.Send(ctx, p)
}

// change edits, moves, removes or decides on a prompt.
func (s *Site) change(ctx context.Context, r *http.Request) (string, error) {
	if s.o.Prompts == nil {
		return "", errNoFleet()
	}
	f := r.PostForm
	c := PromptChange{ID: r.PathValue("id"), Do: f.Get("do"), Text: strings.ReplaceAll(f.Get("text"), "\r\n", "\n")}
	if c.Do == "move" {
		var err error
		if c.Place, err = strconv.Atoi(f.Get("place")); err != nil || c.Place < 1 {
			return "", query.Invalid("place", "is no place of the queue", "the first is 1")
		}
	}
	return backTo(f.Get("back")), s.o.Prompts.Change(ctx, c)
}
