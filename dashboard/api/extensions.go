package api

import (
	"context"

	"github.com/danielgtaylor/huma/v2"

	"meterbridge/analytics"
	"meterbridge/dashboard"
	"meterbridge/dashboard/query"
)

// ExtensionParam names an extension in the path.
type ExtensionParam struct {
	Name string `path:"name" minLength:"1" maxLength:"128" doc:"The name of its manifest." example:"ticket-desk"`
}

// extensions are questions only: what is installed, approved, linked and turned on
// is the user's to decide, with the command ext.
func (s *server) extensions(h huma.API) {
	look(s, h, operation("extensions", "/extensions", "The extensions that are installed",
		"The answer of `meterbridge ext list --json`, in the order in which they were installed."),
		func(context.Context, *noInput) (dashboard.ExtensionList, error) { return s.meter.ListExtensions(), nil })
	look(s, h, operation("extension", "/extensions/{name}", "One extension, with everything that a model is told of its tools",
		"The answer of `meterbridge ext show NAME --json`; nothing is cut.", 404),
		func(_ context.Context, in *ExtensionParam) (dashboard.ExtensionAnswer, error) {
			return s.meter.ShowExtension(in.Name)
		})
	look(s, h, operation("links", "/links", "Which extension may work with which agent or terminal",
		"Links between agents are in the answer of `/agents`."),
		func(context.Context, *noInput) (dashboard.ExtensionLinkList, error) { return s.meter.ListLinks(), nil })
	look(s, h, operation("calls", "/calls", "Calls of tools over the bridge",
		"The answer of `meterbridge tools log --json`, the newest first; arguments are there by their keys and types, values with `[bridge] trace_values = true` alone."),
		s.calls)
}

type callsInput struct {
	Agent     string `query:"agent" maxLength:"400" doc:"Only calls of this agent, by its id."`
	Extension string `query:"extension" maxLength:"128" doc:"Only tools of this extension."`
	Tool      string `query:"tool" maxLength:"400" doc:"Only this tool, by either name."`
	Since     string `query:"since" maxLength:"64" doc:"First day or instant, inclusive." example:"2026-11-01"`
	Timezone  string `query:"timezone" maxLength:"64" doc:"IANA time zone in which a day begins." example:"Europe/Berlin"`
	Last      int    `query:"last" minimum:"1" maximum:"1000" default:"50" doc:"How many, the newest."`
}

func (s *server) calls(ctx context.Context, in *callsInput) (dashboard.ToolCallList, error) {
	p, err := s.period(query.Period{Since: in.Since, Timezone: in.Timezone})
	if err != nil {
		return dashboard.ToolCallList{}, err
	}
	return s.meter.ToolCalls(ctx, analytics.BridgeCallQuery{
		Agent: in.Agent, Package: in.Extension, Tool: in.Tool, Since: p.Since, Most: in.Last,
	})
}
