package web

import (
	"context"
	"net/http"
	"time"

	"meterbridge/dashboard"
)

// linksPage tells which agent may work with which.
type linksPage struct {
	Rows []linkLine
	// From can be given a link, To can be linked to.
	From, To []dashboard.AgentAnswer
	Can      bool
}

// linkLine is one link.
type linkLine struct {
	From, To dashboard.AgentAnswer
	Since    string
}

// links makes the page of links.
func (s *Site) links(ctx context.Context, _ *http.Request, _ prefs) (view, error) {
	page := &linksPage{Can: s.o.Links != nil}
	list, err := s.meter.Agents(ctx, dashboard.AgentQuery{All: true})
	if err != nil {
		return view{}, err
	}
	for _, a := range list.Rows {
		if a.Status == "exited" {
			continue
		}
		page.To = append(page.To, a)
		if a.Kind == "ai" {
			page.From = append(page.From, a)
		}
	}
	page.Rows, err = s.linkLines(ctx)
	return view{Page: "links", Title: "Links", Nav: "/links", Data: page}, err
}

// linkLines are the links with the names of both ends.
func (s *Site) linkLines(ctx context.Context) ([]linkLine, error) {
	list, err := s.meter.Agents(ctx, dashboard.AgentQuery{All: true})
	if err != nil {
		return nil, err
	}
	of := map[string]dashboard.AgentAnswer{}
	for _, a := range list.Rows {
		of[a.ID] = a
	}
	end := func(id string) dashboard.AgentAnswer {
		if a, ok := of[id]; ok {
			return a
		}
		return dashboard.AgentAnswer{ID: id, Name: id}
	}
	var lines []linkLine
	for _, l := range list.Links {
		lines = append(lines, linkLine{From: end(l.From), To: end(l.To), Since: ago(time.UnixMilli(l.CreatedAt), s.o.Now())})
	}
	return lines, nil
}
