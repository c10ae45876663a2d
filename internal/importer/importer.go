// Package importer joins an MCP server that its user imported with the hosting
// protocol: one process of ours per server, which starts or calls the server and
// answers for the tools that were pinned, whatever the server says of itself
// later. It imports bridge/imported and sdk/go; the hidden command of the program
// runs it, inside the fence of bridge/host.
package importer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"

	"meterbridge/bridge/imported"
	"meterbridge/bridge/manifest"
	ext "meterbridge/sdk/go"
)

// Command is the hidden command: PROGRAM Command MANIFEST.
const Command = "__import"

// Main runs the adapter of a manifest until the host ends it, and returns the exit
// code.
func Main(ctx context.Context, args []string, in io.Reader, out io.Writer) int {
	if err := run(ctx, args, in, out); err != nil {
		fmt.Fprintln(os.Stderr, "meterbridge:", err)
		return 1
	}
	return 0
}

// errUsage says that the hidden command was called by somebody else.
var errUsage = errors.New("this command is for imported MCP servers only")

func run(ctx context.Context, args []string, in io.Reader, out io.Writer) error {
	if len(args) != 1 {
		return errUsage
	}
	text, err := os.ReadFile(args[0])
	if err != nil {
		return fmt.Errorf("read the import: %w", err)
	}
	m, err := manifest.ReadImport(text)
	if err != nil {
		return err
	}
	server := imported.Server{Command: m.Server.Command, Env: os.Environ(), URL: m.Server.URL, Version: ext.Version}
	if m.Server.AuthorizationEnv != "" {
		server.Authorization = os.Getenv(m.Server.AuthorizationEnv)
	}
	if len(server.Command) > 0 {
		if server.Command[0], err = exec.LookPath(server.Command[0]); err != nil {
			return fmt.Errorf("find the MCP server: %w", err)
		}
	}
	server.Stderr = os.Stderr
	c, err := imported.Connect(ctx, server)
	if err != nil {
		return err
	}
	defer c.Close()
	return serve(ctx, m, c, in, out)
}

// errLost says that the server has gone.
var errLost = errors.New("the connection to the MCP server was lost")

// serve answers calls of the pinned tools until the host or the server ends.
func serve(ctx context.Context, m manifest.Import, c *imported.Client, in io.Reader, out io.Writer) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	x := ext.New(in, out)
	for _, tool := range m.Tools {
		_, err := ext.Handle(x, tool.Name, func(ctx context.Context, args json.RawMessage, call *ext.Call) (any, error) {
			r, err := c.Call(ctx, tool.ServerName, args, call.Progress)
			if err != nil && ctx.Err() == nil && !c.Alive(ctx) {
				// The end of this process is the answer: the host starts it and the server anew.
				cancel(errLost)
				<-ctx.Done()
			}
			if err != nil {
				return nil, err
			}
			answer := ext.Result{IsError: r.IsError}
			for _, item := range r.Content {
				answer.Content = append(answer.Content, ext.Content(item))
			}
			return answer, nil
		})
		if err != nil {
			return err
		}
	}
	go func() {
		select {
		case <-c.Lost():
			cancel(errLost)
		case <-ctx.Done():
		}
	}()
	err := x.Run(ctx)
	if cause := context.Cause(ctx); errors.Is(cause, errLost) {
		return cause
	}
	return err
}
