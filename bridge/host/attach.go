package host

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"meterbridge/bridge"
)

// tokenLife is how long a token for a connection is good.
const tokenLife = 30 * time.Second

// token lets one connection speak for one package, once.
type token struct {
	pkg   string
	until time.Time
}

type tokens struct {
	mu sync.Mutex
	of map[string]token
}

// Token makes a one-time token with which an extension that runs already can
// attach itself within 30 seconds.
func (h *Host) Token(pkg string) (string, error) {
	if h.find(pkg) == nil {
		return "", ErrUnknown
	}
	h.tokens.mu.Lock()
	defer h.tokens.mu.Unlock()
	now := h.o.Now()
	for id, t := range h.tokens.of {
		if now.After(t.until) {
			delete(h.tokens.of, id)
		}
	}
	id := randomID()
	h.tokens.of[id] = token{pkg: pkg, until: now.Add(tokenLife)}
	return id, nil
}

// spend returns the package of a token, once.
func (h *Host) spend(id string) (string, bool) {
	h.tokens.mu.Lock()
	defer h.tokens.mu.Unlock()
	t, ok := h.tokens.of[id]
	delete(h.tokens.of, id)
	return t.pkg, ok && !h.o.Now().After(t.until)
}

// ErrRefused says that a connection was not let in.
var ErrRefused = errors.New("the connection of an extension was refused")

// attach reads the first message of a connection and hands it to its keeper.
func (h *Host) attach(ctx context.Context, s Stream) error {
	opened := time.AfterFunc(h.times.Ready, func() { _ = s.Close() })
	first, err := s.Read()
	opened.Stop()
	if err != nil {
		return errors.Join(err, s.Close())
	}
	env := envelopeOf(first)
	if env == nil {
		return errors.Join(ErrRefused, s.Close())
	}
	r, f := env.read(first)
	var hello struct{ Token string }
	if f == nil && r.method == "host.ready" {
		_ = json.Unmarshal(r.params, &hello) // no token is a wrong one
	}
	pkg, ok := h.spend(hello.Token)
	k := h.find(pkg)
	if !ok || k == nil {
		refuse(s, env, r.id, faulty(codeNotReady, "the first message must be host.ready with a token of `meterbridge ext show NAME --token`; a token is good once, for 30 seconds"))
		return errors.Join(ErrRefused, s.Close())
	}
	p := newPeer(k, s, "reloaded")
	p.own, p.first = true, first
	return k.take(ctx, p, env, r.id)
}

// take gives the connection to the keeper and waits for its end.
func (k *keeper) take(ctx context.Context, p *peer, env envelope, id int64) error {
	k.mu.Lock()
	busy := k.peer != nil && k.peer.own
	if k.peer != nil && !busy {
		k.peer.fail(ending{state: bridge.StateSuspended, grace: k.h.times.Suspend}) // its place is taken
	}
	k.mu.Unlock()
	if busy {
		refuse(p.stream, env, id, faulty(bridge.CodeBusy, "another connection speaks for this extension"))
		return errors.Join(ErrRefused, p.stream.Close())
	}
	select {
	case k.attached <- p:
		<-p.gone
		return nil
	case <-k.ctx.Done():
	case <-ctx.Done():
	}
	return errors.Join(ErrRefused, p.stream.Close())
}

func refuse(s Stream, env envelope, id int64, f *fault) {
	if id == 0 {
		return
	}
	if message, err := env.failure(id, f); err == nil {
		_ = s.Write(message) // it is closed next
	}
}

// ServeSocket serves the connections of a listener until it is closed or the host
// is.
func (h *Host) ServeSocket(ctx context.Context, l net.Listener) error {
	defer context.AfterFunc(h.ctx, func() { _ = l.Close() })()
	var serving sync.WaitGroup
	defer serving.Wait()
	for {
		conn, err := l.Accept()
		if err != nil {
			if h.ctx.Err() != nil || errors.Is(err, net.ErrClosed) {
				return nil
			}
			return fmt.Errorf("take connections of extensions: %w", err)
		}
		serving.Go(func() {
			_ = h.Attached(ctx, Lines(conn, conn, conn.Close)) // why it ended, the extension was told
		})
	}
}
