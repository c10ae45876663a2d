package terminals

import (
	"context"
	"encoding/json"
	"net/http"
	"sync"
	"time"

	"github.com/coder/websocket"
)

const (
	// longestMessage bounds what a browser sends at once, in bytes: a paste.
	longestMessage = 1 << 20
	// writeTime is how long a browser may take to receive a message.
	writeTime = 15 * time.Second
	// defaultCols and defaultRows are the size of a viewer that names none.
	defaultCols = 80
	defaultRows = 24
)

// note is a message of text: of the browser, that its terminal has another size; of the
// server, that the program has ended. Output and keys are messages of bytes.
type note struct {
	Type string `json:"type"`
	Cols int    `json:"cols,omitempty"`
	Rows int    `json:"rows,omitempty"`
	*Ended
}

// attach joins a browser's terminal to that of an agent.
func (s *server) attach(w http.ResponseWriter, r *http.Request) {
	cols, err := number(r, "cols", mostCells)
	if err == nil && cols == 0 {
		cols = defaultCols
	}
	rows, second := number(r, "rows", mostCells)
	if second == nil && rows == 0 {
		rows = defaultRows
	}
	if err == nil {
		err = second
	}
	if err == nil && r.Header.Get("Upgrade") == "" {
		err = &Refusal{Status: http.StatusUpgradeRequired, Text: "this path speaks WebSocket"}
	}
	if err != nil {
		s.refuse(w, err)
		return
	}
	v, ended, err := s.terminals.Attach(r.Context(), r.PathValue("id"), cols, rows)
	if err != nil {
		s.refuse(w, err)
		return
	}
	defer v.Close()
	c, err := websocket.Accept(w, r, nil)
	if err != nil {
		return // it has answered
	}
	defer func() { _ = c.CloseNow() }() // it may have ended
	c.SetReadLimit(longestMessage)
	show(r.Context(), c, v, ended)
}

// show passes output to the browser and keys back, until one ends.
func show(ctx context.Context, c *websocket.Conn, v Viewer, ended func() Ended) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var keys sync.WaitGroup
	keys.Go(func() {
		defer cancel()
		obey(ctx, c, v)
	})
	if pass(ctx, c, v) && ctx.Err() == nil {
		e := ended()
		text, err := json.Marshal(note{Type: "ended", Ended: &e})
		if err == nil && send(ctx, c, websocket.MessageText, text) == nil {
			_ = c.Close(websocket.StatusNormalClosure, "the program has ended")
		}
	}
	cancel()
	_ = c.CloseNow()
	keys.Wait()
}

// pass tells whether the program has ended, rather than the browser.
func pass(ctx context.Context, c *websocket.Conn, v Viewer) bool {
	for {
		b, _, err := v.Next(ctx)
		if err != nil {
			return true
		}
		if send(ctx, c, websocket.MessageBinary, b) != nil {
			return false
		}
	}
}

func send(ctx context.Context, c *websocket.Conn, kind websocket.MessageType, b []byte) error {
	ctx, cancel := context.WithTimeout(ctx, writeTime)
	defer cancel()
	return c.Write(ctx, kind, b)
}

// obey takes keys and sizes; what is neither ends the connection.
func obey(ctx context.Context, c *websocket.Conn, v Viewer) {
	for {
		kind, b, err := c.Read(ctx)
		if err != nil {
			return
		}
		if kind == websocket.MessageBinary {
			if v.Write(ctx, b) != nil {
				return
			}
			continue
		}
		var n note
		if json.Unmarshal(b, &n) != nil || n.Type != "resize" || n.Cols < 1 || n.Cols > mostCells || n.Rows < 1 || n.Rows > mostCells {
			_ = c.Close(websocket.StatusUnsupportedData, "a message of text is {\"type\":\"resize\",\"cols\":…,\"rows\":…}")
			return
		}
		_ = v.Resize(n.Cols, n.Rows) // a program that has just ended has no size
	}
}
