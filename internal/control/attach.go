package control

import (
	"bufio"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
)

// AttachPath is where a person's terminal is joined to that of an agent.
const AttachPath = "/control/attach"

// attachment is the protocol that the connection of a viewer changes to.
const attachment = "meterbridge-attach"

// Attachment is which terminal a viewer wants, and its own size.
type Attachment struct {
	// Agent is an id, a name, or a unique beginning of one.
	Agent string `json:"agent"`
	Cols  int    `json:"cols"`
	Rows  int    `json:"rows"`
	// Within is the id of the agent in whose terminal the viewer itself runs; empty for none.
	Within string `json:"within,omitempty"`
	// Data is the data folder that the caller means.
	Data string `json:"data"`
}

// Ended is how a viewer's terminal ended.
type Ended struct {
	// Code is the exit code of its program, nil when a signal ended it; Signal names that.
	Code   *int   `json:"code"`
	Signal string `json:"signal,omitempty"`
}

// Viewer is a person's view of a terminal, on the daemon's side.
type Viewer interface {
	// Next waits for output and returns it; an error is the end.
	Next(ctx context.Context) (b []byte, missed int64, err error)
	Write(ctx context.Context, b []byte) error
	Resize(cols, rows int) error
	Close()
}

// Attacher finds terminals.
type Attacher interface {
	// Attach joins a viewer to a terminal; ended tells how it ended once Next fails.
	Attach(ctx context.Context, a Attachment) (v Viewer, ended func() Ended, err error)
}

// Refusal is an error that the daemon tells a viewer.
type Refusal struct {
	Text string `json:"error"`
	Hint string `json:"hint,omitempty"`
	// Nothing: there is no such terminal.
	Nothing bool `json:"nothing,omitempty"`
}

func (r *Refusal) Error() string { return r.Text }

// AttachHandler joins viewers to terminals; data is the daemon's data folder. An
// error of the attacher that is a *Refusal is told as it is.
func AttachHandler(to Attacher, data string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var a Attachment
		if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxCall)).Decode(&a); err != nil || r.Header.Get("Upgrade") != attachment {
			http.Error(w, "the request is malformed", http.StatusBadRequest)
			return
		}
		if a.Data != data {
			http.Error(w, ErrOtherData.Error(), http.StatusConflict)
			return
		}
		v, ended, err := to.Attach(r.Context(), a)
		if err != nil {
			refuse(w, err)
			return
		}
		defer v.Close()
		conn, from, err := takeOver(w, attachment)
		if err != nil {
			return
		}
		defer conn.Close()
		show(r.Context(), v, ended, conn, from)
	})
}

func refuse(w http.ResponseWriter, err error) {
	var told *Refusal
	if !errors.As(err, &told) {
		told = &Refusal{Text: err.Error()}
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusUnprocessableEntity)
	_ = json.NewEncoder(w).Encode(told) // the caller that went away needs no answer
}

// show passes a terminal's output to a viewer and its keys back, until one ends.
func show(ctx context.Context, v Viewer, ended func() Ended, conn net.Conn, from *bufio.Reader) {
	ctx, cancel := context.WithCancel(ctx)
	var keys sync.WaitGroup
	keys.Go(func() {
		defer cancel()
		obey(ctx, v, from)
	})
	f := &frames{w: conn}
	over := pass(ctx, v, f)
	if over && ctx.Err() == nil {
		text, err := json.Marshal(ended())
		if err == nil {
			_ = f.send(exit, text)
		}
	}
	cancel()
	_ = conn.Close() // ends the reader of keys
	keys.Wait()
}

// pass tells whether the terminal has ended, rather than its viewer.
func pass(ctx context.Context, v Viewer, f *frames) bool {
	out := stream{f, output}
	for {
		b, _, err := v.Next(ctx)
		if err != nil {
			return true
		}
		if _, err := out.Write(b); err != nil {
			return false
		}
	}
}

func obey(ctx context.Context, v Viewer, from io.Reader) {
	for {
		k, content, err := receive(from)
		switch {
		case err != nil:
			return
		case k == input:
			if v.Write(ctx, content) != nil {
				return
			}
		case k == resize && len(content) == 4:
			// A terminal that has just ended has no size.
			_ = v.Resize(int(binary.BigEndian.Uint16(content)), int(binary.BigEndian.Uint16(content[2:])))
		default:
			return
		}
	}
}

// Screen is the person's terminal.
type Screen struct {
	// In gives keys; its end detaches. Out shows output.
	In  io.Reader
	Out io.Writer
	// Sizes tells of other sizes, as columns and rows; nil for none.
	Sizes <-chan [2]int
}

// ErrDetached says that the person left the terminal, which goes on.
var ErrDetached = errors.New("detached")

// Attach joins a person's terminal to that of an agent until its program ends, or
// with ErrDetached until In ends. A reader of In may stay behind in a Read.
func (c *Client) Attach(ctx context.Context, a Attachment, s Screen) (Ended, error) {
	body, err := json.Marshal(a)
	if err != nil {
		return Ended{}, err
	}
	h := http.Header{}
	h.Set("Connection", "Upgrade")
	h.Set("Upgrade", attachment)
	resp, err := c.send(ctx, http.MethodPost, AttachPath, body, h)
	if err != nil {
		return Ended{}, err
	}
	defer resp.Body.Close()
	switch resp.StatusCode {
	case http.StatusSwitchingProtocols:
	case http.StatusUnprocessableEntity:
		var r Refusal
		if err := json.NewDecoder(io.LimitReader(resp.Body, maxCall)).Decode(&r); err != nil {
			return Ended{}, fmt.Errorf("read the daemon's answer: %w", err)
		}
		return Ended{}, &r
	case http.StatusConflict:
		return Ended{}, ErrOtherData
	default:
		return Ended{}, refused(resp)
	}
	return watch(ctx, resp.Body.(io.ReadWriteCloser), s)
}

// watch shows what comes, and sends keys and sizes.
func watch(ctx context.Context, conn io.ReadWriteCloser, s Screen) (Ended, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	left := make(chan struct{})
	f := &frames{w: conn}
	go func() {
		_, _ = io.Copy(stream{f, input}, s.In)
		close(left)
	}()
	var sending sync.WaitGroup
	sending.Go(func() { tell(ctx, f, s.Sizes) })
	sending.Go(func() {
		select {
		case <-left:
		case <-ctx.Done():
		}
		_ = conn.Close()
	})
	defer sending.Wait()
	defer cancel()
	for {
		k, content, err := receive(conn)
		switch {
		case err != nil:
			select {
			case <-left:
				return Ended{}, ErrDetached
			default:
			}
			if ctx.Err() != nil {
				return Ended{}, ctx.Err()
			}
			return Ended{}, fmt.Errorf("the daemon ended before the terminal did: %w", err)
		case k == output:
			if _, err := s.Out.Write(content); err != nil {
				return Ended{}, err
			}
		case k == exit:
			var e Ended
			return e, json.Unmarshal(content, &e)
		default:
			return Ended{}, errFrame
		}
	}
}

func tell(ctx context.Context, f *frames, sizes <-chan [2]int) {
	for {
		select {
		case <-ctx.Done():
			return
		case s := <-sizes:
			b := binary.BigEndian.AppendUint16(nil, uint16(s[0]))
			_ = f.send(resize, binary.BigEndian.AppendUint16(b, uint16(s[1]))) // the end is seen by the reader
		}
	}
}
