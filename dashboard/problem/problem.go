// Package problem is how the HTTP side says that something went wrong: RFC 9457
// problem documents with a hint. The other rooms of dashboard write them; it
// imports nothing of the project.
package problem

import (
	"encoding/json"
	"net/http"
	"strconv"
)

// ContentType of a problem document.
const ContentType = "application/problem+json"

// Problem is the body of every answer with a status of 400 or more.
type Problem struct {
	// Title is the status in words.
	Title  string `json:"title" doc:"The status in words."`
	Status int    `json:"status" doc:"The status of the answer."`
	// Detail is what is wrong this time.
	Detail string `json:"detail" doc:"What is wrong."`
	// Hint says what to do next; absent where there is nothing to say.
	Hint string `json:"hint,omitempty" doc:"What to do next."`
	// Parameters names the parameters that are wrong.
	Parameters []Parameter `json:"parameters,omitempty" doc:"The parameters that are wrong."`
	// Candidates are what an ambiguous id may mean.
	Candidates []string `json:"candidates,omitempty" doc:"What an ambiguous id may mean."`
}

// Parameter says what is wrong with one parameter.
type Parameter struct {
	Name    string `json:"name"`
	Message string `json:"message"`
}

// New is a problem of that status.
func New(status int, detail, hint string) *Problem {
	return &Problem{Title: http.StatusText(status), Status: status, Detail: detail, Hint: hint}
}

// Error is the detail.
func (p *Problem) Error() string { return p.Detail }

// GetStatus is the status, by the name under which the API's framework asks for it.
func (p *Problem) GetStatus() int { return p.Status }

// ContentType is that of problems, whatever was negotiated.
func (p *Problem) ContentType(string) string { return ContentType }

// Write answers with the problem.
func (p *Problem) Write(w http.ResponseWriter) {
	body, err := json.Marshal(p)
	if err != nil {
		body = []byte(`{}`)
	}
	h := w.Header()
	h.Set("Content-Type", ContentType)
	h.Set("Content-Length", strconv.Itoa(len(body)))
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(p.Status)
	_, _ = w.Write(body)
}
