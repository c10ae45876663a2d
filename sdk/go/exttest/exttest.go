// Package exttest is a host for tests of extensions: it calls their tools, takes
// their requests and plays agents and terminals. It imports package ext alone;
// tests of extensions import it.
package exttest

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"sync"

	ext "meterbridge/sdk/go"
)

// Host is a host with one extension.
type Host struct {
	// Agents are the agents and terminals that there are; Connected ones are linked.
	Agents []ext.AgentRecord
	// Permissions are those that are granted; nil grants all.
	Permissions []string
	// Methods answer requests in place of the host's own answers; an *ext.Error is
	// answered with its code.
	Methods map[string]func(params json.RawMessage) (any, error)

	// Extension is the one under test.
	Extension *ext.Extension

	toExtension *io.PipeWriter
	fromOut     *io.PipeReader

	mu         sync.Mutex
	requests   []Request
	registered map[string]bool
	waiting    []invocation
	answers    map[string]chan Answer
	last       int
	ready      chan struct{}
}

// Request is what the extension asked.
type Request struct {
	Method string
	Params json.RawMessage
}

// Answer is what an agent would get: a result, or the text of an error.
type Answer struct {
	Result json.RawMessage `json:"result"`
	Error  *string         `json:"error"`
}

type invocation struct {
	CallID string          `json:"callId"`
	Tool   string          `json:"tool"`
	Args   json.RawMessage `json:"args"`
	Agent  ext.Agent       `json:"agent"`
	// Deadline is epoch ms, left out without one.
	Deadline int64 `json:"deadline,omitempty"`
}

// New makes a host and an extension that is connected to it; Run of the extension
// is the test's to call, and Close ends it.
func New() *Host {
	in, toExtension := io.Pipe()
	fromOut, out := io.Pipe()
	h := &Host{
		Extension: ext.New(in, out), toExtension: toExtension, fromOut: fromOut, registered: map[string]bool{},
		answers: map[string]chan Answer{}, ready: make(chan struct{}),
	}
	go h.read()
	return h
}

// Close ends the connection.
func (h *Host) Close() {
	_ = h.toExtension.Close()
	_ = h.fromOut.Close()
}

// Requests are what the extension asked so far, in order.
func (h *Host) Requests(method string) (list []Request) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, r := range h.requests {
		if method == "" || r.Method == method {
			list = append(list, r)
		}
	}
	return list
}

// Call calls a tool and waits for its answer; it is cancelled with ctx. A call
// without a handler waits for it.
func (h *Host) Call(ctx context.Context, tool string, args any, agent ext.Agent) (Answer, error) {
	text, err := json.Marshal(args)
	if err != nil {
		return Answer{}, fmt.Errorf("write the arguments: %w", err)
	}
	select {
	case <-h.ready:
	case <-ctx.Done():
		return Answer{}, ctx.Err()
	}
	h.mu.Lock()
	h.last++
	in := invocation{CallID: "c-" + strconv.Itoa(h.last), Tool: tool, Args: text, Agent: agent}
	if at, ok := ctx.Deadline(); ok {
		in.Deadline = at.UnixMilli()
	}
	answer := make(chan Answer, 1)
	h.answers[in.CallID] = answer
	h.waiting = append(h.waiting, in)
	h.mu.Unlock()
	h.deliver()
	select {
	case a := <-answer:
		return a, nil
	case <-ctx.Done():
	}
	h.mu.Lock()
	delete(h.answers, in.CallID)
	h.waiting = slices.DeleteFunc(h.waiting, func(w invocation) bool { return w.CallID == in.CallID })
	h.mu.Unlock()
	reason := "cancelled"
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		reason = "timeout"
	}
	h.Emit("tools.cancel", map[string]string{"callId": in.CallID, "reason": reason})
	return Answer{}, ctx.Err()
}

// Emit tells the extension of an event.
func (h *Host) Emit(event string, data any) {
	h.write(map[string]any{"jsonrpc": "2.0", "method": event, "params": data})
}

func (h *Host) write(v any) {
	text, err := json.Marshal(v)
	if err != nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	_, _ = h.toExtension.Write(append(text, '\n')) // a closed one hears nothing
}

// deliver sends the calls whose handlers are there.
func (h *Host) deliver() {
	h.mu.Lock()
	var now []invocation
	h.waiting = slices.DeleteFunc(h.waiting, func(in invocation) bool {
		if h.registered[in.Tool] {
			now = append(now, in)
		}
		return h.registered[in.Tool]
	})
	h.mu.Unlock()
	for _, in := range now {
		h.Emit("tools.call", in)
	}
}

// read answers requests until the extension ends.
func (h *Host) read() {
	lines := bufio.NewScanner(h.fromOut)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var r struct {
			ID     int64
			Method string
			Params json.RawMessage
		}
		if json.Unmarshal(lines.Bytes(), &r) != nil {
			continue
		}
		h.mu.Lock()
		h.requests = append(h.requests, Request{r.Method, r.Params})
		h.mu.Unlock()
		go h.respond(r.ID, r.Method, r.Params)
	}
}

func (h *Host) respond(id int64, method string, params json.RawMessage) {
	result, err := h.answer(method, params)
	if err == nil {
		h.write(map[string]any{"jsonrpc": "2.0", "id": id, "result": result})
		if method == "host.capabilities" {
			close(h.ready)
		}
		h.deliver()
		return
	}
	data := map[string]any{"code": "INTERNAL"}
	message := err.Error()
	var coded *ext.Error
	if errors.As(err, &coded) {
		message = coded.Message
		data["code"] = coded.Code
		if coded.RetryAfterMs > 0 {
			data["retryAfterMs"] = coded.RetryAfterMs
		}
	}
	h.write(map[string]any{"jsonrpc": "2.0", "id": id, "error": map[string]any{"code": -32000, "message": message, "data": data}})
}

// answer is the host's own answer of a request.
func (h *Host) answer(method string, params json.RawMessage) (any, error) {
	if own := h.Methods[method]; own != nil {
		return own(params)
	}
	var in struct {
		Tool, CallID, AgentID string
		Handlers, Topics      []string
		Result                json.RawMessage
		Error                 *string
	}
	_ = json.Unmarshal(params, &in) // what is not there is empty
	h.mu.Lock()
	defer h.mu.Unlock()
	switch method {
	case "host.ready":
		for _, tool := range in.Handlers {
			h.registered[tool] = true
		}
		return map[string]any{"protocol": 1, "appVersion": "test", "launch": "created"}, nil
	case "host.capabilities":
		return map[string]any{"protocol": 1, "methods": []string{"agents.list", "agents.get", "terminals.run", "terminals.write"}}, nil
	case "tools.register":
		h.registered[in.Tool] = true
	case "tools.unregister":
		delete(h.registered, in.Tool)
	case "tools.respond":
		answer := h.answers[in.CallID]
		if answer == nil {
			return nil, &ext.Error{Code: "NOT_FOUND", Message: "nobody waits for this call any more"}
		}
		delete(h.answers, in.CallID)
		answer <- Answer{Result: in.Result, Error: in.Error}
	case "agents.list":
		return h.Agents, nil
	case "agents.get", "agents.readScreen", "agents.lastReply", "agents.prompt", "terminals.run", "terminals.write":
		return h.agent(method, in.AgentID)
	case "events.subscribe":
		return map[string]any{"topics": in.Topics}, nil
	}
	return nil, nil
}

func (h *Host) agent(method, id string) (any, error) {
	for _, a := range h.Agents {
		switch {
		case a.ID != id:
		case method == "agents.get":
			return a, nil
		case !a.Connected:
			return nil, &ext.Error{Code: "NOT_CONNECTED", Message: a.Name + " is not linked"}
		case method == "terminals.run":
			return map[string]any{"exitCode": 0, "output": "", "truncated": false, "timedOut": false}, nil
		default:
			return map[string]any{"text": nil, "delivered": "sent"}, nil
		}
	}
	return nil, &ext.Error{Code: "NOT_FOUND", Message: "there is no agent " + id}
}
