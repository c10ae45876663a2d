// Command asker is an extension for tests: its tool asks the host whatever it is told
// to ask, and tells the answer, or the events that came.
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
	// Event is one to wait for after the answer.
	Event string
}

func main() {
	x := ext.New(os.Stdin, os.Stdout)
	ext.Handle(x, "ask", func(ctx context.Context, in ask, _ *ext.Call) (any, error) {
		came := make(chan json.RawMessage, 100)
		if in.Event != "" {
			defer x.On(in.Event, func(data json.RawMessage) { came <- data })()
		}
		var answer json.RawMessage
		if err := x.Ask(ctx, in.Method, in.Params, &answer); err != nil {
			var told *ext.Error
			if errors.As(err, &told) {
				return map[string]string{"code": told.Code, "message": told.Message}, nil
			}
			return nil, err
		}
		told := map[string]any{"answer": answer}
		if in.Event != "" {
			select {
			case told["event"] = <-came:
			case <-time.After(10 * time.Second):
				return nil, ext.Errorf("no %s came", in.Event)
			}
		}
		return told, nil
	})
	if err := x.Run(context.Background()); err != nil {
		os.Exit(1)
	}
}
