// Package asking holds calls of tools until a person allows or declines them, where
// the settings want that (`ask = "bridge"`), and remembers what they decided for good.
// It imports bridge with its rooms; internal/daemon makes one and hands it to the MCP
// edge, and `meterbridge confirm` decides.
package asking

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"

	"meterbridge/bridge"
	"meterbridge/bridge/pipeline"
)

// Own is the package of our own tools in settings.
const Own = "meterbridge"

// mostHeld is how many calls of one agent are held at once.
const mostHeld = 32

// Answer is what a person decides.
type Answer string

// The answers: for this call, for this agent from now on, for every agent from now on.
const (
	Once    Answer = "once"
	Agent   Answer = "agent"
	Always  Answer = "always"
	Decline Answer = "decline"
)

// ErrUnknown says that no such call is held, ErrAnswer that there is no such answer.
var (
	ErrUnknown = errors.New("no such call waits for a decision")
	ErrAnswer  = errors.New("a call is allowed once, for its agent or always, or declined")
)

// Memory keeps what was decided for good, by agent ("" is every agent) and digest.
type Memory interface {
	Allows(agent string, tool bridge.Digest) bool
	Allow(agent, tool string, digest bridge.Digest) error
}

// Options of a desk. Asks and Memory are needed.
type Options struct {
	// Asks tells whether a person is asked before calls of a tool, PACKAGE/TOOL.
	Asks   func(tool string) bool
	Memory Memory
	// Now is the clock; nil is time.Now.
	Now func() time.Time
}

// Held is a call that waits for a person.
type Held struct {
	ID    string
	Since time.Time
	// Agent is the caller's id; Tool is PACKAGE/TOOL, Exposed the name for agents.
	Agent, Tool, Exposed string
	// Args are its arguments, which the person sees whole.
	Args   json.RawMessage
	digest bridge.Digest
	answer chan error
}

// Desk holds calls. Its methods may be called at once.
type Desk struct {
	o    Options
	mu   sync.Mutex
	last int64
	held []*Held
}

// New returns a desk.
func New(o Options) *Desk {
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Desk{o: o}
}

// Ask returns when the call may go on; its error is the call's.
func (d *Desk) Ask(ctx context.Context, c pipeline.Call) error {
	h := &Held{Agent: c.Who.Agent, Tool: Own + "/" + c.Tool.Name, Exposed: c.Tool.Name, Args: c.Args, answer: make(chan error, 1)}
	if f := c.Tool.From; f != nil {
		h.Tool, h.digest = f.Package+"/"+f.Tool, f.ToolDigest
	} else {
		h.digest = sha256.Sum256([]byte(c.Tool.Name + "\x00" + c.Tool.Description + "\x00" + string(c.Tool.Tool.Input)))
	}
	if !d.o.Asks(h.Tool) || d.o.Memory.Allows(h.Agent, h.digest) {
		return nil
	}
	if err := d.hold(h); err != nil {
		return err
	}
	defer d.drop(h)
	select {
	case err := <-h.answer:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (d *Desk) hold(h *Held) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	mine := 0
	for _, other := range d.held {
		if other.Agent == h.Agent {
			mine++
		}
	}
	if mine >= mostHeld {
		return &bridge.ToolError{Code: bridge.CodeBusy, Message: fmt.Sprintf("%d calls wait for a person already", mine)}
	}
	d.last++
	h.ID, h.Since = "ca-"+strconv.FormatInt(d.last, 10), d.o.Now()
	d.held = append(d.held, h)
	return nil
}

func (d *Desk) drop(h *Held) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.held = slices.DeleteFunc(d.held, func(other *Held) bool { return other == h })
}

// Waiting are the calls that are held, the oldest first.
func (d *Desk) Waiting() []Held {
	d.mu.Lock()
	defer d.mu.Unlock()
	list := make([]Held, len(d.held))
	for i, h := range d.held {
		list[i] = *h
	}
	return list
}

// Decide answers for a call. What is decided for good lets through the other calls
// that wait for the same word.
func (d *Desk) Decide(id string, a Answer) error {
	h := d.find(id)
	var agent string
	switch {
	case h == nil:
		return fmt.Errorf("%w: %s", ErrUnknown, id)
	case a == Once:
		h.tell(nil)
		return nil
	case a == Decline:
		h.tell(&bridge.ToolError{Code: bridge.CodeUserCancelled, Message: "a person declined the call of " + h.Exposed})
		return nil
	case a == Agent:
		agent = h.Agent
	case a != Always:
		return fmt.Errorf("%w: %q is none of them", ErrAnswer, a)
	}
	if err := d.o.Memory.Allow(agent, h.Tool, h.digest); err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, other := range d.held {
		if other.digest == h.digest && (agent == "" || other.Agent == agent) {
			other.tell(nil)
		}
	}
	return nil
}

func (d *Desk) find(id string) *Held {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, h := range d.held {
		if h.ID == id {
			return h
		}
	}
	return nil
}

// tell answers once; a second answer comes too late.
func (h *Held) tell(err error) {
	select {
	case h.answer <- err:
	default:
	}
}
