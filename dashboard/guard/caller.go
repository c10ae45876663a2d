package guard

import (
	"context"
	"net"
)

// Kind says by what a caller was let in.
type Kind string

// The kinds of callers.
const (
	// KindNone: the handler asks for no credential.
	KindNone Kind = "none"
	// KindSocket: the request came over the Unix socket, which only its user can open.
	KindSocket  Kind = "socket"
	KindToken   Kind = "token"
	KindBrowser Kind = "browser"
)

// Caller is who sent a request.
type Caller struct {
	Kind Kind
	// ID is that of the token; empty for other kinds.
	ID string
	// Name is the token's, for people.
	Name string
}

type (
	callerKey struct{}
	socketKey struct{}
)

func withCaller(ctx context.Context, c Caller) context.Context {
	return context.WithValue(ctx, callerKey{}, c)
}

// CallerOf is who sent the request of the context; false when no guard let it in.
func CallerOf(ctx context.Context) (Caller, bool) {
	c, ok := ctx.Value(callerKey{}).(Caller)
	return c, ok
}

// Socket is the ConnContext of a server that listens on the Unix socket: the
// listener is the credential of its requests. Its file must be 0600 in a folder
// that is 0700.
func Socket(ctx context.Context, _ net.Conn) context.Context {
	return context.WithValue(ctx, socketKey{}, true)
}

func overSocket(ctx context.Context) bool {
	yes, _ := ctx.Value(socketKey{}).(bool)
	return yes
}
