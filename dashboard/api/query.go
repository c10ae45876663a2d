package api

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"unicode/utf8"

	"meterbridge/dashboard/problem"
	"meterbridge/dashboard/query"
)

// misread is what is wrong with an address before it means anything: what cannot
// be read is refused, for an answer to half of a question looks like one to all of
// it. nil where nothing is wrong.
func misread(r *http.Request) *problem.Problem {
	if !utf8.ValidString(r.URL.Path) {
		return problem.New(http.StatusUnprocessableEntity, "the path is no UTF-8", "bytes beyond ASCII are those of UTF-8, each written %XX")
	}
	given, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return problem.New(http.StatusUnprocessableEntity, "the query: "+err.Error(), "parameters are joined by &, and special characters written %XX")
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		switch list := given[name]; {
		case len(list) > 1:
			return query.Invalid(name, "given more than once", "each parameter has one value")
		case !utf8.ValidString(name + list[0]):
			return query.Invalid(name, "no UTF-8", "bytes beyond ASCII are those of UTF-8, each written %XX")
		}
	}
	return nil
}
