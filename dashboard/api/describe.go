package api

import (
	"net/http"
	"reflect"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"meterbridge/dashboard/problem"
)

// What follows describes operations that other rooms answer.

func pathParam(name, what string) *huma.Param {
	return &huma.Param{Name: name, In: "path", Required: true, Description: what, Schema: &huma.Schema{Type: huma.TypeString}}
}

func textParam(name, what string) *huma.Param {
	return &huma.Param{Name: name, In: "query", Description: what, Schema: &huma.Schema{Type: huma.TypeString}}
}

// body is a JSON body of a type.
func body(doc *huma.OpenAPI, of reflect.Type) *huma.RequestBody {
	return &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{
		"application/json": {Schema: doc.Components.Schemas.Schema(of, true, "")},
	}}
}

func count(name, what string, most float64) *huma.Param {
	least := 1.0
	return &huma.Param{Name: name, In: "query", Description: what, Schema: &huma.Schema{Type: huma.TypeInteger, Minimum: &least, Maximum: &most}}
}

// answers are the responses of an operation; without a type it changes the protocol.
func answers(doc *huma.OpenAPI, of reflect.Type, refused ...int) map[string]*huma.Response {
	all := map[string]*huma.Response{}
	if of == nil {
		all["101"] = &huma.Response{Description: http.StatusText(http.StatusSwitchingProtocols)}
	} else {
		all["200"] = &huma.Response{
			Description: http.StatusText(http.StatusOK),
			Content:     map[string]*huma.MediaType{"application/json": {Schema: doc.Components.Schemas.Schema(of, true, "")}},
		}
	}
	refusal := doc.Components.Schemas.Schema(reflect.TypeFor[problem.Problem](), true, "")
	for _, status := range refused {
		all[strconv.Itoa(status)] = &huma.Response{
			Description: http.StatusText(status), Content: map[string]*huma.MediaType{problem.ContentType: {Schema: refusal}},
		}
	}
	return all
}
