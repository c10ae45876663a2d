// Package carrier lets extensions that run already speak over a WebSocket: it
// upgrades a request and hands on a connection that carries whole messages. Who
// speaks, the first message says, by a one-time token; the guard before it checks
// host and origin. It imports nothing of the project; internal/daemon joins it with
// the host of extensions.
package carrier

import (
	"context"
	"net/http"
	"time"

	"github.com/coder/websocket"
)

// Path is where extensions connect, Protocol the sub-protocol that they ask for.
const (
	Path     = "/ext"
	Protocol = "meterbridge.ext.v1"
)

const (
	// longestMessage is that of the methods which carry files, in bytes.
	longestMessage = 12<<20 + 64<<10
	writeTime      = 15 * time.Second
)

// Conn carries one message a frame of text. One reader and one writer use it.
type Conn struct {
	ctx    context.Context
	socket *websocket.Conn
}

// Read returns the next message.
func (c *Conn) Read() ([]byte, error) {
	for {
		kind, message, err := c.socket.Read(c.ctx)
		if err != nil {
			return nil, err
		}
		if kind == websocket.MessageText {
			return message, nil
		}
		_ = c.socket.Close(websocket.StatusUnsupportedData, "messages are text")
	}
}

// Write sends a message.
func (c *Conn) Write(message []byte) error {
	ctx, cancel := context.WithTimeout(c.ctx, writeTime)
	defer cancel()
	return c.socket.Write(ctx, websocket.MessageText, message)
}

// Close ends the connection at once.
func (c *Conn) Close() error { return c.socket.CloseNow() }

// Handler upgrades requests and has serve work with the connection until it ends.
func Handler(serve func(ctx context.Context, c *Conn) error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// The guard has checked the origin against the user's own list.
		socket, err := websocket.Accept(w, r, &websocket.AcceptOptions{Subprotocols: []string{Protocol}, InsecureSkipVerify: true})
		if err != nil {
			return // it has answered
		}
		defer func() { _ = socket.CloseNow() }()
		if socket.Subprotocol() != Protocol {
			_ = socket.Close(websocket.StatusPolicyViolation, "ask for the sub-protocol "+Protocol)
			return
		}
		socket.SetReadLimit(longestMessage)
		_ = serve(r.Context(), &Conn{ctx: r.Context(), socket: socket}) // why it ended, the extension was told
	})
}
