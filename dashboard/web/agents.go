package web

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"meterbridge/analytics"
	"meterbridge/dashboard"
	"meterbridge/dashboard/problem"
)

// Fleet is what a person does with agents. An error that is a *problem.Problem is
// told as it is.
type Fleet interface {
	Start(ctx context.Context, s AgentStart) (dashboard.AgentAnswer, error)
	Restart(ctx context.Context, which string) (dashboard.AgentAnswer, error)
	Stop(ctx context.Context, which string) (dashboard.AgentAnswer, error)
	Rename(ctx context.Context, which, name string) (dashboard.AgentAnswer, error)
}

// AgentLinks says which agent may work with which.
type AgentLinks interface {
	Link(ctx context.Context, from, to string) error
	Unlink(ctx context.Context, from, to string) error
}

// AgentStart says what is to be started.
type AgentStart struct {
	// Harness is an id of Options.Starters; Argv are further arguments.
	Harness          string
	Argv             []string
	Name, Dir, Model string
	Workspace        string
	Dangerous, Trust bool
}

// agentsPage lists the agents.
type agentsPage struct {
	Rows     []agentLine
	Starters []string
	// Can: a fleet runs, so agents can be started.
	Can bool
	Dir string
	Now time.Time
	All bool
}

// agentLine is an agent with what it spent today.
type agentLine struct {
	dashboard.AgentAnswer
	Now   time.Time
	Today *analytics.AgentUsage
}

// Since tells how long the status has held.
func (l agentLine) Since() string { return ago(time.UnixMilli(l.StatusAt), l.Now) }

// Tone is how the status is shown.
func (l agentLine) Tone() string {
	return map[string]string{"working": "good", "needs-input": "warn", "finished": "", "idle": "", "exited": "off"}[l.Status]
}

// Link is the page of the agent.
func (l agentLine) Link() string { return "/agents/" + url.PathEscape(l.ID) }

// Live: a process of it runs.
func (l agentLine) Live() bool { return l.Status != "exited" }

// Terminal: what it shows can be seen and typed to.
func (l agentLine) Terminal() bool { return l.Live() && l.Origin == "started" }

// agents makes the list of agents.
func (s *Site) agents(ctx context.Context, r *http.Request, p prefs) (view, error) {
	page := &agentsPage{Can: s.o.Fleet != nil, Starters: s.o.Starters, Dir: s.o.Home, Now: s.o.Now(), All: r.URL.Query().Get("all") == "true"}
	var err error
	page.Rows, err = s.agentLines(ctx, page.All, s.zoneOf(p))
	return view{Page: "agents", Title: "Agents", Nav: "/agents", Data: page}, err
}

// agentLines are the agents, those that wait for their user first.
func (s *Site) agentLines(ctx context.Context, all bool, zone *time.Location) ([]agentLine, error) {
	list, err := s.meter.Agents(ctx, dashboard.AgentQuery{All: all})
	if err != nil {
		return nil, err
	}
	now := s.o.Now()
	local := now.In(zone)
	morning := time.Date(local.Year(), local.Month(), local.Day(), 0, 0, 0, 0, zone)
	var lines []agentLine
	for _, a := range list.Rows {
		line := agentLine{AgentAnswer: a, Now: now}
		if a.Kind == "ai" {
			u, err := s.meter.AgentUsage(ctx, a.ID, morning, time.Time{})
			if err != nil {
				return nil, err
			}
			line.Today = &u
		}
		lines = append(lines, line)
	}
	rank := map[string]int{"needs-input": 0, "working": 1, "finished": 2, "idle": 3, "exited": 4}
	slices.SortStableFunc(lines, func(a, b agentLine) int { return rank[a.Status] - rank[b.Status] })
	return lines, nil
}

// agentPage is one agent.
type agentPage struct {
	agentLine
	Usage    *analytics.AgentUsage
	Zone     *time.Location
	Data     string
	Can      bool
	Windows  bool
	Linked   []linkLine
	Queue    *queuePage
	Sessions []dashboard.BoundSession
}

// Called is the agent's name.
func (p *agentPage) Called() string { return p.Name }

// agent makes the page of one agent.
func (s *Site) agent(ctx context.Context, r *http.Request, p prefs) (view, error) {
	a, err := s.meter.Agent(ctx, r.PathValue("id"))
	if err != nil {
		return view{}, err
	}
	page := &agentPage{
		agentLine: agentLine{AgentAnswer: a, Now: s.o.Now()}, Zone: s.zoneOf(p), Can: s.o.Fleet != nil,
		Data: "/api/v1/agents/" + url.PathEscape(a.ID) + "/timeline", Sessions: a.Sessions,
	}
	if a.Kind == "ai" {
		u, err := s.meter.AgentUsage(ctx, a.ID, time.Time{}, time.Time{})
		if err != nil {
			return view{}, err
		}
		page.Usage = &u
	}
	if page.Queue, err = s.queueOf(ctx, a.ID, page.Link()+"#prompts", p); err != nil {
		return view{}, err
	}
	lines, err := s.linkLines(ctx)
	if err != nil {
		return view{}, err
	}
	for _, l := range lines {
		if l.From.ID == a.ID || l.To.ID == a.ID {
			page.Linked = append(page.Linked, l)
		}
	}
	return view{Page: "agent", Title: a.Name, Nav: "/agents", Data: page}, nil
}

// errNoFleet says that nothing can be started.
func errNoFleet() *problem.Problem {
	return problem.New(http.StatusConflict, "no agents can be started here", "`meterbridge serve` starts a daemon that can")
}

// act does what a form asks and leads on to a page.
func (s *Site) act(do func(ctx context.Context, r *http.Request) (string, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), s.o.Timeout)
		defer cancel()
		err := r.ParseForm()
		to := ""
		if err == nil {
			to, err = do(ctx, r)
		}
		if err != nil {
			s.fail(w, r, err)
			return
		}
		http.Redirect(w, r, to, http.StatusSeeOther)
	}
}

// actions are what forms ask of agents and links.
func (s *Site) actions() {
	s.mux.HandleFunc("POST /agents", s.act(s.start))
	s.mux.HandleFunc("POST /agents/{id}/prompts", s.act(s.prompt))
	s.mux.HandleFunc("POST /queue/{id}", s.act(s.change))
	for name, do := range map[string]func(Fleet, context.Context, string) (dashboard.AgentAnswer, error){"restart": Fleet.Restart, "stop": Fleet.Stop} {
		s.mux.HandleFunc("POST /agents/{id}/"+name, s.act(func(ctx context.Context, r *http.Request) (string, error) {
			if s.o.Fleet == nil {
				return "", errNoFleet()
			}
			a, err := do(s.o.Fleet, ctx, r.PathValue("id"))
			return "/agents/" + url.PathEscape(a.ID), err
		}))
	}
	s.mux.HandleFunc("POST /agents/{id}/rename", s.act(func(ctx context.Context, r *http.Request) (string, error) {
		if s.o.Fleet == nil {
			return "", errNoFleet()
		}
		a, err := s.o.Fleet.Rename(ctx, r.PathValue("id"), strings.TrimSpace(r.PostForm.Get("name")))
		return "/agents/" + url.PathEscape(a.ID), err
	}))
	s.mux.HandleFunc("POST /links", s.act(func(ctx context.Context, r *http.Request) (string, error) {
		if s.o.Links == nil {
			return "", errNoFleet()
		}
		return "/links", s.o.Links.Link(ctx, r.PostForm.Get("from"), r.PostForm.Get("to"))
	}))
	s.mux.HandleFunc("POST /links/remove", s.act(func(ctx context.Context, r *http.Request) (string, error) {
		if s.o.Links == nil {
			return "", errNoFleet()
		}
		return "/links", s.o.Links.Unlink(ctx, r.PostForm.Get("from"), r.PostForm.Get("to"))
	}))
}

// start starts an agent.
func (s *Site) start(ctx context.Context, r *http.Request) (string, error) {
	if s.o.Fleet == nil {
		return "", errNoFleet()
	}
	f := r.PostForm
	a, err := s.o.Fleet.Start(ctx, AgentStart{
		Harness: f.Get("harness"), Argv: strings.Fields(f.Get("argv")), Name: strings.TrimSpace(f.Get("name")), Dir: strings.TrimSpace(f.Get("dir")),
		Model: strings.TrimSpace(f.Get("model")), Workspace: strings.TrimSpace(f.Get("workspace")),
		Dangerous: f.Get("dangerous") == "on", Trust: f.Get("trust") == "on",
	})
	return "/agents/" + url.PathEscape(a.ID), err
}
