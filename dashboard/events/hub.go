package events

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Options of a hub. The zero value is valid.
type Options struct {
	// Kept is how many events a client that comes back can catch up with; 0 is 1024.
	Kept int
	// Clients bounds those that listen at once; 0 is 64.
	Clients int
	// Behind is how many events a client may be behind before it is dropped; 0 is 256.
	Behind int
	// Heartbeat is how often a silent stream gets a comment; 0 is 15 s.
	Heartbeat time.Duration
	// Patience is how long one write may take; 0 is 10 s.
	Patience time.Duration
	// Boot tells the ids of one process from those of the next; empty is the time.
	Boot string
}

// ErrClosed says that the hub ends.
var ErrClosed = errors.New("the hub of events is closed")

// ErrCrowded says that too many clients listen.
var ErrCrowded = errors.New("too many clients listen to events")

// Hub passes events on to the clients that listen. Its methods may be called at
// once; publishing waits for nobody.
type Hub struct {
	o Options

	mu sync.Mutex
	// last is the number of the newest event, ring the newest events by number.
	last    uint64
	ring    []event
	clients map[*client]struct{}
	closed  bool
}

// event is a published event as it is sent.
type event struct {
	number uint64
	kind   Type
	data   []byte
}

// client is one that listens.
type client struct {
	events chan event
	// gone is closed when the hub has dropped the client.
	gone chan struct{}
}

// NewHub makes a hub.
func NewHub(o Options) *Hub {
	orElse := func(n *int, d int) {
		if *n <= 0 {
			*n = d
		}
	}
	orElse(&o.Kept, 1024)
	orElse(&o.Clients, 64)
	orElse(&o.Behind, 256)
	if o.Heartbeat <= 0 {
		o.Heartbeat = 15 * time.Second
	}
	if o.Patience <= 0 {
		o.Patience = 10 * time.Second
	}
	if o.Boot == "" {
		o.Boot = strconv.FormatInt(time.Now().UnixMilli(), 36)
	}
	return &Hub{o: o, ring: make([]event, 0, o.Kept), clients: map[*client]struct{}{}}
}

// Publish tells the clients. A client that is too far behind is dropped; it comes
// back and catches up. The error is about data that is no JSON.
func (h *Hub) Publish(kind Type, data any) error {
	text, err := json.Marshal(data)
	if err != nil {
		return fmt.Errorf("publish a %s event: %w", kind, err)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return ErrClosed
	}
	h.last++
	e := event{number: h.last, kind: kind, data: text}
	if len(h.ring) < h.o.Kept {
		h.ring = append(h.ring, e)
	} else {
		h.ring[(h.last-1)%uint64(h.o.Kept)] = e
	}
	for c := range h.clients {
		select {
		case c.events <- e:
		default:
			h.drop(c)
		}
	}
	return nil
}

// drop ends a client. The lock is held.
func (h *Hub) drop(c *client) {
	if _, ok := h.clients[c]; ok {
		delete(h.clients, c)
		close(c.gone)
	}
}

// Close ends all streams. Publishing is an error from then on.
func (h *Hub) Close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closed = true
	for c := range h.clients {
		h.drop(c)
	}
}

// Clients is how many listen now.
func (h *Hub) Clients() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.clients)
}

// listen adds a client that has seen the event of that id, empty for none. What
// it missed comes first: complete is false when some of that is no longer kept,
// and now is the id from which on it hears everything.
func (h *Hub) listen(seen string) (c *client, missed []event, now string, complete bool, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case h.closed:
		return nil, nil, "", false, ErrClosed
	case len(h.clients) >= h.o.Clients:
		return nil, nil, "", false, ErrCrowded
	}
	c = &client{events: make(chan event, h.o.Behind), gone: make(chan struct{})}
	h.clients[c] = struct{}{}
	now, complete = h.id(h.last), true
	if seen != "" {
		missed, complete = h.since(seen)
	}
	return c, missed, now, complete, nil
}

// since are the events after the one of that id; false when some are gone, or
// the id is of another process.
func (h *Hub) since(seen string) ([]event, bool) {
	boot, text, _ := strings.Cut(seen, "-")
	number, err := strconv.ParseUint(text, 10, 64)
	if err != nil || boot != h.o.Boot || number > h.last || h.last-number > uint64(len(h.ring)) {
		return nil, false
	}
	missed := make([]event, 0, h.last-number)
	for n := number + 1; n <= h.last; n++ {
		missed = append(missed, h.ring[(n-1)%uint64(h.o.Kept)])
	}
	return missed, true
}

func (h *Hub) id(number uint64) string { return h.o.Boot + "-" + strconv.FormatUint(number, 10) }

// leave takes a client off that went by itself.
func (h *Hub) leave(c *client) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.drop(c)
}
