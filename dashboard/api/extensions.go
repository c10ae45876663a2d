package api

import (
	"context"

	"github.com/danielgtaylor/huma/v2"

	"meterbridge/dashboard"
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
}
