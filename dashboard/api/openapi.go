package api

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"reflect"
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"meterbridge/analytics"
	"meterbridge/dashboard/problem"
)

// configuration is the framework without its own pages, links and formats.
func configuration(version string) huma.Config {
	registry := huma.NewMapRegistry("#/components/schemas/", huma.DefaultSchemaNamer)
	// These write themselves as JSON; their fields in Go are others.
	registry.RegisterTypeAlias(reflect.TypeFor[analytics.UsageRow](), reflect.TypeFor[UsageRow]())
	c := huma.Config{
		OpenAPI: &huma.OpenAPI{
			OpenAPI: "3.1.0",
			Info: &huma.Info{
				Title: "Meterbridge", Version: version,
				Description: "Exact usage and cost of coding agents, and why. Answers are those of the commands' --json; docs/http.md tells the rest.",
			},
			Components: &huma.Components{
				Schemas: registry,
				SecuritySchemes: map[string]*huma.SecurityScheme{
					"token":  {Type: "http", Scheme: "bearer", Description: "A token of `meterbridge token new`."},
					"cookie": {Type: "apiKey", In: "cookie", Name: "meterbridge", Description: "What a browser gets for a one-time link; the name ends in the port."},
				},
			},
			Security: []map[string][]string{{"token": {}}, {"cookie": {}}},
		},
		Formats:                      map[string]huma.Format{"application/json": {Marshal: writeJSON}, "json": {Marshal: writeJSON}},
		DefaultFormat:                "application/json",
		RejectUnknownQueryParameters: true,
		Transformers:                 []huma.Transformer{asProblem},
	}
	c.AllowAdditionalPropertiesByDefault = true
	return c
}

// writeJSON writes what the commands' --json write, byte for byte.
func writeJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// asProblem turns the framework's errors into ours.
func asProblem(_ huma.Context, _ string, v any) (any, error) {
	m, ok := v.(*huma.ErrorModel)
	if !ok {
		return v, nil
	}
	return framed(m), nil
}

// operation is one question by GET.
func operation(id, path, summary, description string, more ...int) huma.Operation {
	return huma.Operation{
		OperationID: id, Method: http.MethodGet, Path: path, Summary: summary, Description: description,
		Errors: append([]int{http.StatusUnauthorized, http.StatusForbidden, http.StatusUnprocessableEntity, http.StatusServiceUnavailable}, more...),
	}
}

// finish corrects what the framework cannot know: problems are ours, a list is
// never null, an ETag comes with each answer.
func finish(doc *huma.OpenAPI) {
	schemas := doc.Components.Schemas
	ref := schemas.Schema(reflect.TypeFor[problem.Problem](), true, "")
	delete(schemas.Map(), "ErrorModel")
	delete(schemas.Map(), "ErrorDetail")
	for _, s := range schemas.Map() {
		noNullLists(s)
	}
	optional(schemas.Map()["ExplainRecord"], reflect.TypeFor[analytics.RowCost]())
	optional(schemas.Map()["KeptRow"], reflect.TypeFor[analytics.RowCost]())
	for _, item := range doc.Paths {
		for status, r := range item.Get.Responses {
			if status >= "400" {
				r.Content = map[string]*huma.MediaType{problem.ContentType: {Schema: ref}}
				continue
			}
			if r.Headers == nil {
				r.Headers = map[string]*huma.Param{}
			}
			r.Headers["ETag"] = &huma.Param{Description: "Send it as If-None-Match to be told 304 while nothing changed.", Schema: &huma.Schema{Type: huma.TypeString}}
		}
	}
}

// optional takes the fields of an embedded pointer out of what is required: they
// come all together or not at all.
func optional(s *huma.Schema, embedded reflect.Type) {
	for i := range embedded.NumField() {
		name := embedded.Field(i).Tag.Get("json")
		s.Required = slices.DeleteFunc(s.Required, func(r string) bool { return r == name })
	}
}

func noNullLists(s *huma.Schema) {
	if s == nil {
		return
	}
	if s.Type == huma.TypeArray {
		s.Nullable = false
		noNullLists(s.Items)
	}
	for _, p := range s.Properties {
		noNullLists(p)
	}
}

// described is the document as text.
func described(doc *huma.OpenAPI) ([]byte, error) {
	text, err := json.Marshal(doc)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if err := json.Indent(&out, text, "", "  "); err != nil {
		return nil, err
	}
	out.WriteByte('\n')
	return out.Bytes(), nil
}
