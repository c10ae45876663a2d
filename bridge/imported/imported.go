// Package imported is a client of other MCP servers: it lists their tools once,
// when they are imported, and calls them from then on. What a server says of
// itself is pinned by whoever imports it. It imports bridge and mcp-go; the
// adapter of internal/importer and the command `ext import` call it.
package imported

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"meterbridge/bridge"
)

// Server is an MCP server: a command that speaks on its standard streams, or an
// address.
type Server struct {
	// Command is an argv, its program a path; empty with a URL.
	Command []string
	// Env is the whole environment of the command.
	Env []string
	Dir string
	// URL is https, or http on this machine. Authorization is the value of that
	// header; empty for none.
	URL           string
	Authorization string
	// Version of the program, told to the server.
	Version string
	// Stderr takes what a command writes to its standard error; nil drops it.
	Stderr io.Writer
}

// ErrAddress says that an address may not be called.
var ErrAddress = errors.New("an MCP server is called by https, or by http on this machine")

// CheckURL refuses addresses whose traffic others could read.
func CheckURL(address string) error {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.User != nil {
		return ErrAddress
	}
	if u.Scheme == "https" || u.Scheme == "http" && loopback(u.Hostname()) {
		return nil
	}
	return ErrAddress
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// Tool is a tool as the server tells of it.
type Tool struct {
	Name, Title, Description string
	Input, Output            json.RawMessage
	ReadOnly                 bool
}

// Client is a connection to a server.
type Client struct {
	mcp  *client.Client
	last atomic.Int64
	mu   sync.Mutex
	// progress hears of the progress of calls, by token.
	progress map[string]func(text string)
	lost     chan struct{}
	once     sync.Once
}

// lastWords is how long those of a server that ended are waited for.
const lastWords = time.Second

// Connect connects to a server within ctx, which may end then.
func Connect(ctx context.Context, s Server) (*Client, error) {
	over, err := s.transport()
	if err != nil {
		return nil, err
	}
	c := &Client{mcp: client.NewClient(over), progress: map[string]func(string){}, lost: make(chan struct{})}
	// The transport lives as long as the context that starts it.
	if err := c.mcp.Start(context.WithoutCancel(ctx)); err != nil {
		return nil, fmt.Errorf("start the MCP server: %w", err)
	}
	heard := make(chan struct{})
	if said, ok := client.GetStderr(c.mcp); ok {
		to := s.Stderr
		if to == nil {
			to = io.Discard
		}
		// A server whose words nobody takes would stand still. It ends with the process.
		go func() {
			defer close(heard)
			_, _ = io.Copy(to, said)
		}()
	} else {
		close(heard)
	}
	c.mcp.OnNotification(c.heard)
	c.mcp.OnConnectionLost(func(error) { c.once.Do(func() { close(c.lost) }) })
	hello := mcp.InitializeRequest{}
	hello.Params.ProtocolVersion = mcp.LATEST_PROTOCOL_VERSION
	hello.Params.ClientInfo = mcp.Implementation{Name: "meterbridge", Version: s.Version}
	if _, err := c.mcp.Initialize(ctx, hello); err != nil {
		err = errors.Join(fmt.Errorf("connect to the MCP server: %w", err), c.mcp.Close())
		select { // its last words; another process may have its standard error
		case <-heard:
		case <-ctx.Done():
		case <-time.After(lastWords):
		}
		return nil, err
	}
	return c, nil
}

func (s Server) transport() (transport.Interface, error) {
	if s.URL == "" {
		command := func(ctx context.Context, program string, _ []string, args []string) (*exec.Cmd, error) {
			cmd := exec.CommandContext(ctx, program, args...)
			cmd.Env, cmd.Dir = s.Env, s.Dir
			return cmd, nil
		}
		return transport.NewStdioWithOptions(s.Command[0], nil, s.Command[1:], transport.WithCommandFunc(command)), nil
	}
	if err := CheckURL(s.URL); err != nil {
		return nil, err
	}
	headers := map[string]string{}
	if s.Authorization != "" {
		headers["Authorization"] = s.Authorization
	}
	over, err := transport.NewStreamableHTTP(s.URL, transport.WithHTTPHeaders(headers))
	if err != nil {
		return nil, fmt.Errorf("call the MCP server: %w", err)
	}
	return over, nil
}

// Lost is closed when the connection was lost.
func (c *Client) Lost() <-chan struct{} { return c.lost }

// Close ends the connection and the server's process.
func (c *Client) Close() error { return c.mcp.Close() }

// Tools lists the server's tools.
func (c *Client) Tools(ctx context.Context) ([]Tool, error) {
	list, err := c.mcp.ListTools(ctx, mcp.ListToolsRequest{})
	if err != nil {
		return nil, fmt.Errorf("list the tools of the MCP server: %w", err)
	}
	tools := make([]Tool, len(list.Tools))
	for i, t := range list.Tools {
		text, err := json.Marshal(t)
		if err != nil {
			return nil, fmt.Errorf("the tool %s: %w", t.Name, err)
		}
		var told struct {
			InputSchema, OutputSchema json.RawMessage
			Annotations               struct{ ReadOnlyHint *bool }
		}
		if err := json.Unmarshal(text, &told); err != nil {
			return nil, fmt.Errorf("the tool %s: %w", t.Name, err)
		}
		hint := told.Annotations.ReadOnlyHint
		tools[i] = Tool{Name: t.Name, Title: t.Title, Description: t.Description, Input: told.InputSchema, Output: told.OutputSchema, ReadOnly: hint != nil && *hint}
	}
	return tools, nil
}

// Call calls a tool; progress hears of its lines. A cancelled ctx cancels the call
// at the server.
func (c *Client) Call(ctx context.Context, tool string, args json.RawMessage, progress func(text string)) (bridge.Result, error) {
	token := strconv.FormatInt(c.last.Add(1), 10)
	c.mu.Lock()
	c.progress[token] = progress
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		delete(c.progress, token)
		c.mu.Unlock()
	}()
	request := mcp.CallToolRequest{}
	request.Params.Name, request.Params.Arguments = tool, args
	request.Params.Meta = &mcp.Meta{ProgressToken: token}
	answer, err := c.mcp.CallTool(ctx, request)
	if err != nil {
		return bridge.Result{}, fmt.Errorf("the MCP server: %w", err)
	}
	return result(answer), nil
}

// aliveTime is how long a server may take to show that it is there.
const aliveTime = 2 * time.Second

// Alive tells whether the server still answers.
func (c *Client) Alive(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, aliveTime)
	defer cancel()
	_, err := c.mcp.ListToolsByPage(ctx, mcp.ListToolsRequest{})
	return err == nil
}

// heard passes progress on.
func (c *Client) heard(n mcp.JSONRPCNotification) {
	if n.Method != string(mcp.MethodNotificationProgress) {
		return
	}
	fields := n.Params.AdditionalFields
	text, _ := fields["message"].(string)
	if text == "" {
		text = fmt.Sprintf("%v", fields["progress"])
		if total, has := fields["total"]; has {
			text += fmt.Sprintf(" of %v", total)
		}
	}
	c.mu.Lock()
	report := c.progress[fmt.Sprint(fields["progressToken"])]
	c.mu.Unlock()
	if report != nil {
		report(text)
	}
}

// mostItems is how many items an answer may have.
const mostItems = 16

// result is a server's answer in the shape that our agents get: texts and images.
// What is neither is told as JSON.
func result(a *mcp.CallToolResult) bridge.Result {
	r := bridge.Result{IsError: a.IsError}
	for _, item := range a.Content {
		r.Content = append(r.Content, content(item))
	}
	if len(r.Content) == 0 && a.StructuredContent != nil {
		text, _ := json.MarshalIndent(a.StructuredContent, "", "  ") // it came as JSON
		r.Content = append(r.Content, bridge.TextContent(string(text)))
	}
	if len(r.Content) == 0 {
		r.Content = []bridge.Content{bridge.TextContent("OK")}
	}
	if len(r.Content) > mostItems {
		var rest []string
		for _, item := range r.Content[mostItems-1:] {
			rest = append(rest, item.Text)
		}
		r.Content = append(r.Content[:mostItems-1], bridge.TextContent(strings.Join(rest, "\n")))
	}
	return r
}

func content(item mcp.Content) bridge.Content {
	switch v := item.(type) {
	case mcp.TextContent:
		return bridge.TextContent(v.Text)
	case mcp.ImageContent:
		switch v.MIMEType {
		case "image/png", "image/jpeg", "image/webp", "image/gif":
			return bridge.Content{Type: "image", Data: v.Data, MimeType: v.MIMEType}
		}
	case mcp.EmbeddedResource:
		if text, ok := v.Resource.(mcp.TextResourceContents); ok {
			return bridge.TextContent(text.Text)
		}
	}
	text, err := json.MarshalIndent(item, "", "  ")
	if err != nil {
		return bridge.TextContent("an item that cannot be shown")
	}
	return bridge.TextContent(string(text))
}
