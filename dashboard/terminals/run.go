package terminals

import (
	"encoding/json"
	"net/http"
	"time"
)

// Command is the body of a request to run one.
type Command struct {
	Command string `json:"command" minLength:"1" maxLength:"20000"`
	// TimeoutMs is null or absent for the longest.
	TimeoutMs *int64 `json:"timeoutMs,omitempty" minimum:"1000" maximum:"120000"`
}

// MaxBody is the longest body in bytes: 20,000 characters, escaped.
const MaxBody = 256 << 10

func (s *server) run(w http.ResponseWriter, r *http.Request) {
	var c Command
	in := json.NewDecoder(http.MaxBytesReader(w, r.Body, MaxBody))
	in.DisallowUnknownFields()
	if err := in.Decode(&c); err != nil {
		s.refuse(w, &Refusal{Status: http.StatusUnprocessableEntity, Text: "the body is not {\"command\": …, \"timeoutMs\": …}"})
		return
	}
	var timeout time.Duration
	if c.TimeoutMs != nil {
		timeout = time.Duration(*c.TimeoutMs) * time.Millisecond
		if timeout <= 0 || *c.TimeoutMs > int64(time.Hour/time.Millisecond) {
			s.refuse(w, &Refusal{Status: http.StatusUnprocessableEntity, Text: "timeoutMs is no number from 1000 to 120000"})
			return
		}
	}
	answer, err := s.terminals.Run(r.Context(), r.PathValue("id"), c.Command, timeout)
	s.answer(w, answer, err)
}

// mostRuns is how many runs are given at once.
const mostRuns = 500

func (s *server) runs(w http.ResponseWriter, r *http.Request) {
	last, err := number(r, "last", mostRuns)
	if err != nil {
		s.refuse(w, err)
		return
	}
	if last == 0 {
		last = mostRuns
	}
	answer, err := s.terminals.Runs(r.Context(), r.PathValue("id"), last)
	s.answer(w, answer, err)
}

func (s *server) answer(w http.ResponseWriter, answer any, err error) {
	if err != nil {
		s.refuse(w, err)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	_ = e.Encode(answer) // the client that went away needs no answer
}
