// Command asker is an extension for tests: its tool asks the host whatever it is told
// to ask, and tells the answers, with an event that came where one is waited for.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"time"

	ext "meterbridge/sdk/go"
)

type ask struct {
	Method string
	Params json.RawMessage
	// Event is one to wait for after the answer; empty for none.
	Event string
}

func main() {
	x := ext.New(os.Stdin, os.Stdout)
	ext.Handle(x, "ask", func(ctx context.Context, in struct{ Asks []ask }, _ *ext.Call) (any, error) {
		answers := make([]any, len(in.Asks))
		for i, one := range in.Asks {
			answers[i] = answer(ctx, x, one)
		}
		return answers, nil
	})
	if err := x.Run(context.Background()); err != nil {
		os.Exit(1)
	}
}

func answer(ctx context.Context, x *ext.Extension, in ask) any {
	came := make(chan json.RawMessage, 100)
	if in.Event != "" {
		defer x.On(in.Event, func(data json.RawMessage) { came <- data })()
	}
	var result json.RawMessage
	if err := x.Ask(ctx, in.Method, in.Params, &result); err != nil {
		var told *ext.Error
		if errors.As(err, &told) {
			return map[string]string{"code": told.Code, "message": told.Message}
		}
		return err.Error()
	}
	told := map[string]any{"answer": result}
	if in.Event == "" {
		return told
	}
	select {
	case told["event"] = <-came:
	case <-time.After(10 * time.Second):
		told["event"] = "none came"
	}
	return told
}
