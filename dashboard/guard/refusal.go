package guard

import (
	"fmt"
	"net/http"
	"strings"

	"meterbridge/dashboard/problem"
)

// refusal is a check that failed.
type refusal struct {
	reason       Reason
	status       int
	detail, hint string
}

const linkHint = "open the link that `meterbridge serve` printed, or another one of `meterbridge status --link`"

// writer writes a problem in some form.
type writer = func(http.ResponseWriter, *http.Request, *problem.Problem)

// write answers with the problem in the protocol's own form, where there is one;
// else a person at a browser gets a sentence.
func (f *refusal) write(w http.ResponseWriter, r *http.Request, own, page writer) {
	if f.status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", `Bearer realm="meterbridge"`)
	}
	if f.status == http.StatusRequestEntityTooLarge {
		// What follows of the body is not read.
		w.Header().Set("Connection", "close")
	}
	if own != nil {
		own(w, r, problem.New(f.status, f.detail, f.hint))
		return
	}
	if !strings.Contains(r.Header.Get("Accept"), "text/html") {
		problem.New(f.status, f.detail, f.hint).Write(w)
		return
	}
	hint := f.hint
	if f.status == http.StatusUnauthorized {
		hint = linkHint
	}
	if page != nil {
		page(w, r, problem.New(f.status, f.detail, hint))
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(f.status)
	fmt.Fprintf(w, "%s: %s\n\n%s.\n", http.StatusText(f.status), f.detail, hint)
}
