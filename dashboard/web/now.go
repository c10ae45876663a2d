package web

import (
	"context"
	"net/http"
)

// now makes the first page.
func (s *Site) now(_ context.Context, _ *http.Request, _ prefs) (view, error) {
	return view{Page: "now", Title: "Now", Nav: "/"}, nil
}
