// Package ext is for extensions of Meterbridge in Go: it speaks the hosting
// protocol on the process's standard streams, so that a tool is a function. It
// imports nothing but the standard library; programs of others import it.
package ext

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
)

// Version is that of this package.
const Version = "0.1.0"

// Extension is one connection to the host. Its methods may be called by several
// goroutines.
type Extension struct {
	wire    *wire
	context Context

	mu       sync.Mutex
	handlers map[string]handler
	running  map[string]context.CancelCauseFunc
	calls    sync.WaitGroup
	ready    bool
	heard    map[string]map[int]func(json.RawMessage)
	last     int
	outputs  map[int][]string
	methods  map[string]bool
	ending   []func(context.Context)
	// told are events that wait for their listeners; telling: somebody sees to it.
	told    []func()
	telling bool

	// started is closed after the handshake.
	started chan struct{}
	// over is closed when the host has ended the extension.
	over chan struct{}
	once sync.Once
}

// Context is what the host tells an extension at its start.
type Context struct {
	Protocol   int    `json:"protocol"`
	AppVersion string `json:"appVersion"`
	Instance   struct {
		InstanceID string `json:"instanceId"`
		Name       string `json:"name"`
		Version    string `json:"version"`
		Dev        bool   `json:"dev"`
	} `json:"instance"`
	// Workspace is nil without one; its Path needs a permission of files.
	Workspace *struct {
		ID   string `json:"id"`
		Name string `json:"name"`
		Path string `json:"path"`
	} `json:"workspace"`
	Settings    Settings     `json:"settings"`
	Permissions []Permission `json:"permissions"`
	// Launch is "created", "reloaded" or "woken".
	Launch string `json:"launch"`
}

// Settings are the values that the user set; Secrets tells which secrets are set.
type Settings struct {
	Values  map[string]json.RawMessage `json:"values"`
	Secrets map[string]bool            `json:"secrets"`
}

// Permission is one that the manifest names.
type Permission struct {
	ID      string   `json:"id"`
	Hosts   []string `json:"hosts"`
	Granted bool     `json:"granted"`
}

// New makes an extension that speaks on a pair of streams, usually os.Stdin and
// os.Stdout. Nothing else may write to out.
func New(in io.Reader, out io.Writer) *Extension {
	x := &Extension{
		wire: newWire(in, out), handlers: map[string]handler{}, running: map[string]context.CancelCauseFunc{},
		heard: map[string]map[int]func(json.RawMessage){}, outputs: map[int][]string{}, methods: map[string]bool{}, over: make(chan struct{}), started: make(chan struct{}),
	}
	x.wire.event = x.event
	return x
}

// Run answers calls until the host ends the connection or ctx ends.
func (x *Extension) Run(ctx context.Context) error {
	ended := make(chan error, 1)
	go func() { ended <- x.wire.read() }()
	if err := x.hello(ctx); err != nil {
		return err
	}
	var err error
	select {
	case err = <-ended:
	case <-x.over:
	case <-ctx.Done():
		err = ctx.Err()
	}
	x.cancelAll()
	x.calls.Wait()
	if errors.Is(err, io.EOF) || errors.Is(err, os.ErrClosed) {
		return nil
	}
	return err
}

// hello is the handshake.
func (x *Extension) hello(ctx context.Context) error {
	x.mu.Lock()
	names := make([]string, 0, len(x.handlers))
	for name := range x.handlers {
		names = append(names, name)
	}
	x.ready = true
	x.mu.Unlock()
	err := x.wire.ask(ctx, "host.ready", map[string]any{"sdkVersion": Version, "protocol": 1, "handlers": names}, &x.context)
	if err != nil {
		return fmt.Errorf("connect to Meterbridge: %w", err)
	}
	var can struct{ Methods []string }
	if err := x.wire.ask(ctx, "host.capabilities", struct{}{}, &can); err != nil {
		return fmt.Errorf("connect to Meterbridge: %w", err)
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, name := range can.Methods {
		x.methods[name] = true
	}
	close(x.started)
	return nil
}

// Started is closed when the handshake is done; from then on the host can be asked.
func (x *Extension) Started() <-chan struct{} { return x.started }

// Context is what the host told at the start; the zero value before Run.
func (x *Extension) Context() Context { return x.context }

// Supports tells whether the host knows a method.
func (x *Extension) Supports(method string) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.methods[method]
}

// Ask asks the host by a method of the protocol; answer takes its result and may
// be nil.
func (x *Extension) Ask(ctx context.Context, method string, params, answer any) error {
	return x.wire.ask(ctx, method, params, answer)
}

// Log writes a line to the extension's log; level is debug, info, warn or error.
func (x *Extension) Log(level, message string) {
	x.wire.post("host.log", map[string]string{"level": level, "message": cut(message, 2000)})
}

// SetEnabled hides or shows one of the declared tools, for every agent.
func (x *Extension) SetEnabled(ctx context.Context, tool string, enabled bool) error {
	return x.Ask(ctx, "tools.setEnabled", map[string]any{"tool": tool, "enabled": enabled}, nil)
}

// OnSuspend has f run before the extension is suspended or ended, to keep what it
// must not lose; ctx is how long that may take.
func (x *Extension) OnSuspend(f func(ctx context.Context)) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.ending = append(x.ending, f)
}

// cut shortens a text to so many characters.
func cut(text string, most int) string {
	n := 0
	for i := range text {
		if n++; n > most {
			return text[:i]
		}
	}
	return text
}
