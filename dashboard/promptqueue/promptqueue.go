// Package promptqueue answers over HTTP for the prompt queue: what waits, what was
// delivered, and changes of both. It imports dashboard and dashboard/problem only;
// internal/daemon gives it the queue and puts a guard before it, for whoever may
// prompt may do what the user may.
package promptqueue

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"strconv"
	"time"

	"meterbridge/dashboard"
	"meterbridge/dashboard/problem"
)

// The paths, as net/http's ServeMux has them.
const (
	SendPath   = "POST /api/v1/agents/{id}/prompts"
	OfPath     = "GET /api/v1/agents/{id}/prompts"
	ListPath   = "GET /api/v1/queue"
	LogPath    = "GET /api/v1/queue/log"
	ChangePath = "PATCH /api/v1/queue/{prompt}"
	RemovePath = "DELETE /api/v1/queue/{prompt}"
	DecidePath = "POST /api/v1/queue/{prompt}/decision"
	GoPath     = "POST /api/v1/agents/{id}/queue/go"
)

// MaxBody is the largest body in bytes: a person's prompt has no limit of its own.
const MaxBody = 4 << 20

// Send is a prompt of a person.
type Send struct {
	Text      string `json:"text" doc:"The prompt."`
	Submit    *bool  `json:"submit" required:"false" doc:"False to type it without Enter; true when absent."`
	WhenBusy  string `json:"whenBusy" required:"false" enum:"queue,send,fail," doc:"What to do while the agent works; queue when absent."`
	Command   bool   `json:"command" required:"false" doc:"It is a command of the harness, which starts no turn."`
	NotBefore *int64 `json:"notBefore" required:"false" doc:"When it may go out, in epoch milliseconds."`
	After     string `json:"after" required:"false" doc:"An agent that must finish first."`
}

// Change is what is changed of a prompt that waits; absent members stay.
type Change struct {
	Text  *string `json:"text" required:"false" doc:"The new text."`
	Place *int    `json:"place" required:"false" doc:"The new place in its agent's queue, from 1."`
}

// Decision is what a person decides on a prompt.
type Decision struct {
	Send bool `json:"send" doc:"True lets it go out, false drops it."`
}

// Done says that something was done.
type Done struct {
	OK bool `json:"ok"`
}

// Queue is the prompt queue. An error that is a *Refusal is told as it is.
type Queue interface {
	Send(ctx context.Context, agent string, s Send) (dashboard.PromptAnswer, error)
	// List has what waits of an agent ("" for all); with most above 0 the newest of
	// what does not wait any more.
	List(ctx context.Context, agent string, most int) (dashboard.PromptList, error)
	// Change changes a prompt that waits, removes it where c is nil.
	Change(ctx context.Context, prompt string, c *Change) (dashboard.PromptAnswer, error)
	// Decide lets a prompt through that waits for a person, or not; without a prompt
	// the agent's queue goes on.
	Decide(ctx context.Context, agent, prompt string, send bool) error
}

// Refusal is an error that is told to the client.
type Refusal struct {
	Status int
	// Code is one of the bridge's; empty for none.
	Code, Text, Hint string
	// Wait is when it may be tried again; zero where that is not known.
	Wait time.Duration
}

func (r *Refusal) Error() string { return r.Text }

type server struct {
	queue Queue
	log   *slog.Logger
}

// Handlers are the handlers by their paths; a nil log tells nobody.
func Handlers(q Queue, log *slog.Logger) map[string]http.HandlerFunc {
	s := &server{q, log}
	return map[string]http.HandlerFunc{
		SendPath: s.send, OfPath: s.list, ListPath: s.list, LogPath: s.list, ChangePath: s.change, RemovePath: s.remove, DecidePath: s.decide, GoPath: s.goOn,
	}
}

func (s *server) send(w http.ResponseWriter, r *http.Request) {
	var in Send
	if !s.body(w, r, &in) {
		return
	}
	answer, err := s.queue.Send(r.Context(), r.PathValue("id"), in)
	s.answer(w, answer, err)
}

// mostRows is how many rows of a log are given at once.
const mostRows = 1000

func (s *server) list(w http.ResponseWriter, r *http.Request) {
	agent, most := r.PathValue("id"), 0
	if agent == "" {
		agent = r.URL.Query().Get("agent")
	}
	if r.URL.Path == "/api/v1/queue/log" {
		most = 50
		if text := r.URL.Query().Get("last"); text != "" {
			n, err := strconv.Atoi(text)
			if err != nil || n < 1 || n > mostRows {
				s.answer(w, nil, &Refusal{Status: http.StatusUnprocessableEntity, Text: "last is no number from 1 to " + strconv.Itoa(mostRows)})
				return
			}
			most = n
		}
	}
	answer, err := s.queue.List(r.Context(), agent, most)
	s.answer(w, answer, err)
}

func (s *server) change(w http.ResponseWriter, r *http.Request) {
	var in Change
	if !s.body(w, r, &in) {
		return
	}
	answer, err := s.queue.Change(r.Context(), r.PathValue("prompt"), &in)
	s.answer(w, answer, err)
}

func (s *server) remove(w http.ResponseWriter, r *http.Request) {
	answer, err := s.queue.Change(r.Context(), r.PathValue("prompt"), nil)
	s.answer(w, answer, err)
}

func (s *server) decide(w http.ResponseWriter, r *http.Request) {
	var in Decision
	if !s.body(w, r, &in) {
		return
	}
	s.answer(w, Done{OK: true}, s.queue.Decide(r.Context(), "", r.PathValue("prompt"), in.Send))
}

func (s *server) goOn(w http.ResponseWriter, r *http.Request) {
	s.answer(w, Done{OK: true}, s.queue.Decide(r.Context(), r.PathValue("id"), "", true))
}

// body reads a body that has the members of in and no others.
func (s *server) body(w http.ResponseWriter, r *http.Request, in any) bool {
	d := json.NewDecoder(http.MaxBytesReader(w, r.Body, MaxBody))
	d.DisallowUnknownFields()
	if err := d.Decode(in); err != nil {
		s.answer(w, nil, &Refusal{Status: http.StatusUnprocessableEntity, Code: "INVALID_PARAMS", Text: "the body cannot be read: " + err.Error()})
		return false
	}
	return true
}

// answer writes an answer, or an error; the text of one that is nobody's wish stays
// in the log.
func (s *server) answer(w http.ResponseWriter, answer any, err error) {
	if err == nil {
		w.Header().Set("Content-Type", "application/json")
		if err := json.NewEncoder(w).Encode(answer); err != nil && s.log != nil {
			s.log.Debug("answer not sent", slog.Any("error", err))
		}
		return
	}
	var told *Refusal
	if !errors.As(err, &told) {
		if s.log != nil {
			s.log.Error("request failed", slog.Any("error", err))
		}
		told = &Refusal{Status: http.StatusInternalServerError, Text: "this went wrong here; the daemon's log says why"}
	}
	if told.Wait > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int((told.Wait+time.Second-1)/time.Second)))
	}
	text := told.Text
	if told.Code != "" {
		text = told.Code + ": " + text
	}
	problem.New(told.Status, text, told.Hint).Write(w)
}
