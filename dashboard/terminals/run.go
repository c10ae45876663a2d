package terminals

import (
	"encoding/json"
	"net/http"
	"time"
)

// command is the body of a request to run one.
type command struct {
	Command string `json:"command"`
	// TimeoutMs is null or absent for the longest.
	TimeoutMs *int64 `json:"timeoutMs"`
}

// most is the longest body in bytes: 20,000 characters, escaped.
const most = 256 << 10

func (s *server) run(w http.ResponseWriter, r *http.Request) {
	var c command
	in := json.NewDecoder(http.MaxBytesReader(w, r.Body, most))
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
