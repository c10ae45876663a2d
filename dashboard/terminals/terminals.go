// Package terminals answers over HTTP for agents' terminals: their screens, one
// command in a shell, and a terminal in a browser (a WebSocket). It imports nothing of
// the project but dashboard/problem; internal/daemon gives it the terminals, and puts
// a guard before it, for whoever may type may do what the user may.
package terminals

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strconv"
	"time"

	"meterbridge/dashboard/problem"
)

// The paths, as net/http's ServeMux has them.
const (
	ScreenPath = "GET /api/v1/agents/{id}/screen"
	RunsPath   = "GET /api/v1/agents/{id}/runs"
	RunPath    = "POST /api/v1/agents/{id}/runs"
	AttachPath = "GET /api/v1/agents/{id}/attach"
)

// Terminals are those of the agents, by id, name or a unique beginning of one. An
// error that is a *Refusal is told as it is.
type Terminals interface {
	// Screen has the last lines (0 for all that are given at once) of a screen.
	Screen(ctx context.Context, agent string, lines int) (Screen, error)
	// Run runs a command for a person; a timeout of 0 is the longest.
	Run(ctx context.Context, agent, command string, timeout time.Duration) (Run, error)
	// Runs are the newest commands and texts that callers other than a person sent, 0
	// for all that are given at once.
	Runs(ctx context.Context, agent string, last int) (RunList, error)
	// Attach joins a viewer; ended tells how the program ended once Next fails.
	Attach(ctx context.Context, agent string, cols, rows int) (v Viewer, ended func() Ended, err error)
}

// Viewer is a person's view of a terminal.
type Viewer interface {
	// Next waits for output and returns it; an error is the end.
	Next(ctx context.Context) (b []byte, missed int64, err error)
	Write(ctx context.Context, b []byte) error
	Resize(cols, rows int) error
	Close()
}

// Screen is what a terminal shows.
type Screen struct {
	SchemaVersion int    `json:"schemaVersion"`
	AgentID       string `json:"agentId"`
	// Generation counts the agent's processes.
	Generation int `json:"generation"`
	// Text are the last logical lines, joined by LF.
	Text  string `json:"text"`
	Title string `json:"title"`
	Cols  int    `json:"cols"`
	Rows  int    `json:"rows"`
	// Exited: the program has ended, and this is what it left.
	Exited bool `json:"exited"`
}

// Run is what a command did.
type Run struct {
	SchemaVersion int `json:"schemaVersion"`
	// ExitCode is null after a timeout and where the shell did not tell; Reason says why.
	ExitCode  *int   `json:"exitCode"`
	Output    string `json:"output"`
	Truncated bool   `json:"truncated"`
	TimedOut  bool   `json:"timedOut"`
	// Exited: the shell itself ended.
	Exited bool    `json:"exited"`
	Reason *string `json:"reason"`
}

// RunList is what callers other than a person sent to a terminal, the newest first.
type RunList struct {
	SchemaVersion int       `json:"schemaVersion"`
	AgentID       string    `json:"agentId"`
	Rows          []RunLine `json:"rows"`
}

// RunLine is one command or text.
type RunLine struct {
	// Caller is the agent or extension that sent it; At is epoch milliseconds.
	Caller string `json:"caller"`
	At     int64  `json:"at"`
	Verb   string `json:"verb" enum:"run,write"`
	// Command has at most 200 characters; null where no texts are kept.
	Command  *string `json:"command"`
	ExitCode *int64  `json:"exitCode"`
	// Bytes is the length of the output, or of the text that was written.
	Bytes int64 `json:"bytes"`
	Ms    int64 `json:"ms"`
	// Outcome is ok, timeout or the code of a refusal.
	Outcome string `json:"outcome"`
}

// Ended is how a terminal's program ended.
type Ended struct {
	// Code is null when a signal ended it; Signal names that.
	Code   *int    `json:"exitCode"`
	Signal *string `json:"signal"`
}

// Refusal is an error that is told to the client.
type Refusal struct {
	Status     int
	Text, Hint string
	// Wait is when a caller may ask again.
	Wait time.Duration
}

func (r *Refusal) Error() string { return r.Text }

// Options of the handlers; the zero value is valid.
type Options struct {
	// Log hears of what went wrong; nil for nobody.
	Log *slog.Logger
}

type server struct {
	terminals Terminals
	o         Options
}

// Handlers are the handlers by their paths.
func Handlers(t Terminals, o Options) map[string]http.Handler {
	s := &server{t, o}
	return map[string]http.Handler{
		ScreenPath: http.HandlerFunc(s.screen), RunsPath: http.HandlerFunc(s.runs), RunPath: http.HandlerFunc(s.run), AttachPath: http.HandlerFunc(s.attach),
	}
}

func (s *server) screen(w http.ResponseWriter, r *http.Request) {
	lines, err := number(r, "lines", mostLines)
	if err != nil {
		s.refuse(w, err)
		return
	}
	answer, err := s.terminals.Screen(r.Context(), r.PathValue("id"), lines)
	s.answer(w, answer, err)
}

const (
	// mostLines is how many lines of a screen are given at once.
	mostLines = 500
	// mostCells bounds the size of a viewer.
	mostCells = 1000
)

// number is a parameter from 1 to most; 0 when it is not there.
func number(r *http.Request, name string, most int) (int, error) {
	text := r.URL.Query().Get(name)
	if text == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > most {
		return 0, &Refusal{Status: http.StatusUnprocessableEntity, Text: name + " is no number from 1 to " + strconv.Itoa(most)}
	}
	return n, nil
}

// refuse writes an error; the text of one that is nobody's wish stays in the log.
func (s *server) refuse(w http.ResponseWriter, err error) {
	var told *Refusal
	if !errors.As(err, &told) {
		if s.o.Log != nil {
			s.o.Log.Error("terminal not answered", slog.Any("error", err))
		}
		told = &Refusal{Status: http.StatusInternalServerError, Text: "the terminal did not answer", Hint: "the daemon's log tells why"}
	}
	if told.Wait > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(told.Wait.Seconds())+1))
	}
	problem.New(told.Status, told.Text, told.Hint).Write(w)
}
