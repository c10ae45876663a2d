package web

import (
	"context"
	"net/http"
	"net/url"
	"time"
)

// Tools are those that agents are offered, and what became of calls of them.
type Tools interface {
	// Faces are all tools that any agent may see now, by name.
	Faces() []ToolFace
	// Sums are the calls of each tool since a time, by name.
	Sums(ctx context.Context, since time.Time) (map[string]ToolSum, error)
	// Calls are the newest, of one tool or for "" of all.
	Calls(ctx context.Context, tool string, most int) ([]ToolCall, error)
}

// ToolFace is a tool as a model is told of it, nothing cut.
type ToolFace struct {
	Name, Title, Description string
	// Input and Output are JSON Schemas, indented; Output is empty without one.
	Input, Output         string
	ReadOnly, Destructive bool
	// Package is the extension's; empty for a tool of our own. Version is its version.
	Package, Version string
	// Tokens estimates those of the definition, which every request of an agent carries.
	Tokens int64
}

// ToolSum are the calls of one tool. Cost is of the requests that carried its
// results, as a whole.
type ToolSum struct {
	Calls, OK, Failed, Cancelled int64
	MedianMs, P95Ms              int64
	ResultTokens                 int64
	CostMicroUSD                 *int64
	CostPartial                  bool
}

// ToolCall is one call.
type ToolCall struct {
	At            time.Time
	Tool, Agent   string
	Outcome       string
	TookMs        int64
	ArgumentShape string
	ResultBytes   int
}

// toolsPage lists the tools.
type toolsPage struct {
	Rows []toolLine
	// Asked is the tool that was asked for; nil for the list.
	Asked *toolLine
	Calls []ToolCall
	Now   time.Time
	Days  int
}

// toolLine is a tool and its calls.
type toolLine struct {
	ToolFace
	Sum  *ToolSum
	Link string
}

// Ago tells how long ago a call was.
func (p *toolsPage) Ago(at time.Time) string { return ago(at, p.Now) }

// toolDays are summed up.
const toolDays = 30

// tools makes the page of tools, and that of one tool.
func (s *Site) tools(ctx context.Context, r *http.Request, _ prefs) (view, error) {
	page := &toolsPage{Now: s.o.Now(), Days: toolDays}
	v := view{Page: "tools", Title: "Tools", Nav: "/tools", Data: page}
	if s.o.Tools == nil {
		return v, nil
	}
	sums, err := s.o.Tools.Sums(ctx, page.Now.AddDate(0, 0, -toolDays))
	if err != nil {
		return v, err
	}
	asked := r.URL.Query().Get("tool")
	for _, f := range s.o.Tools.Faces() {
		line := toolLine{ToolFace: f, Link: "/tools?tool=" + url.QueryEscape(f.Name)}
		if sum, ok := sums[f.Name]; ok {
			line.Sum = &sum
		}
		page.Rows = append(page.Rows, line)
		if f.Name == asked {
			page.Asked = &line
		}
	}
	page.Calls, err = s.o.Tools.Calls(ctx, asked, 50)
	return v, err
}
