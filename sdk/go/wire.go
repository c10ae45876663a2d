package ext

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
)

// mostInFlight is how many requests the host takes at once; more wait.
const mostInFlight = 64

// Error is what the host answered instead of a result.
type Error struct {
	// Code is one of the protocol's, such as NOT_CONNECTED.
	Code string
	// Message is the host's sentence, fit to be shown to people.
	Message string
	// Method is what was asked.
	Method string
	// RetryAfterMs is how long to wait after RATE_LIMITED; 0 with other codes.
	RetryAfterMs int64
	// Permission is the one that is missing; empty with other codes.
	Permission string
}

// Error implements error.
func (e *Error) Error() string { return e.Method + ": " + e.Message + " (" + e.Code + ")" }

// IsError tells whether an error is the host's, of that code; "" is any code.
func IsError(err error, code string) bool {
	var e *Error
	return errors.As(err, &e) && (code == "" || e.Code == code)
}

// wire is JSON-RPC over lines.
type wire struct {
	in *bufio.Reader
	// event hears of notifications.
	event func(method string, params json.RawMessage)
	slots chan struct{}

	mu     sync.Mutex
	out    io.Writer
	last   int64
	open   map[int64]chan answer
	closed error
}

type answer struct {
	result json.RawMessage
	err    *Error
}

func newWire(in io.Reader, out io.Writer) *wire {
	return &wire{in: bufio.NewReaderSize(in, 64<<10), out: out, open: map[int64]chan answer{}, slots: make(chan struct{}, mostInFlight)}
}

type message struct {
	ID     int64           `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Message string          `json:"message"`
		Data    json.RawMessage `json:"data"`
	} `json:"error"`
}

// read hears messages until the connection ends.
func (w *wire) read() error {
	for {
		line, err := w.in.ReadBytes('\n')
		if err != nil {
			w.end(err)
			return err
		}
		var m message
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		if err := json.Unmarshal(line, &m); err != nil {
			err = fmt.Errorf("read a message of the host: %w", err)
			w.end(err)
			return err
		}
		if m.Method != "" {
			w.event(m.Method, m.Params)
			continue
		}
		w.settle(m)
	}
}

func (w *wire) settle(m message) {
	w.mu.Lock()
	ask := w.open[m.ID]
	delete(w.open, m.ID)
	w.mu.Unlock()
	if ask == nil {
		return
	}
	a := answer{result: m.Result}
	if m.Error != nil {
		a.err = &Error{Code: "INTERNAL", Message: m.Error.Message}
		var data struct {
			Code         string
			RetryAfterMs int64
			Permission   string
		}
		if json.Unmarshal(m.Error.Data, &data) == nil && data.Code != "" {
			a.err.Code, a.err.RetryAfterMs, a.err.Permission = data.Code, data.RetryAfterMs, data.Permission
		}
	}
	ask <- a
}

// end fails all that waits.
func (w *wire) end(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closed = err
	for id, ask := range w.open {
		delete(w.open, id)
		ask <- answer{err: &Error{Code: "UNAVAILABLE", Message: "the connection to the host has ended"}}
	}
}

// send sends a request and returns where its answer comes.
func (w *wire) send(method string, params any) (chan answer, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed != nil {
		return nil, &Error{Code: "UNAVAILABLE", Message: "the connection to the host has ended", Method: method}
	}
	var line bytes.Buffer
	e := json.NewEncoder(&line)
	e.SetEscapeHTML(false)
	if err := e.Encode(map[string]any{"jsonrpc": "2.0", "id": w.last + 1, "method": method, "params": params}); err != nil {
		return nil, fmt.Errorf("%s: %w", method, err)
	}
	w.last++
	ask := make(chan answer, 1)
	w.open[w.last] = ask
	if _, err := w.out.Write(line.Bytes()); err != nil {
		delete(w.open, w.last)
		return nil, fmt.Errorf("%s: %w", method, err)
	}
	return ask, nil
}

// ask asks and waits for the answer.
func (w *wire) ask(ctx context.Context, method string, params, into any) error {
	select {
	case w.slots <- struct{}{}:
		defer func() { <-w.slots }()
	case <-ctx.Done():
		return ctx.Err()
	}
	asked, err := w.send(method, params)
	if err != nil {
		return err
	}
	select {
	case a := <-asked:
		switch {
		case a.err != nil:
			a.err.Method = method
			return a.err
		case into == nil || len(a.result) == 0:
			return nil
		}
		if err := json.Unmarshal(a.result, into); err != nil {
			return fmt.Errorf("%s: %w", method, err)
		}
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// post asks without waiting.
func (w *wire) post(method string, params any) {
	asked, err := w.send(method, params)
	if err == nil {
		go func() { <-asked }()
	}
}
