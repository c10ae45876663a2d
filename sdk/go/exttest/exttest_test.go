package exttest

import (
	"context"
	"encoding/json"
	"testing"

	"go.uber.org/goleak"

	ext "meterbridge/sdk/go"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// The host answers requests as the test says.
func TestHost_MethodsOfTheTest(t *testing.T) {
	h := New()
	h.Methods = map[string]func(json.RawMessage) (any, error){
		"agents.lastReply": func(json.RawMessage) (any, error) { return map[string]any{"text": "done", "at": 1}, nil },
		"agents.get": func(json.RawMessage) (any, error) {
			return nil, &ext.Error{Code: "RATE_LIMITED", Message: "later", RetryAfterMs: 7}
		},
	}
	ended := make(chan error, 1)
	go func() { ended <- h.Extension.Run(context.Background()) }()
	<-h.Extension.Started()
	if text, err := h.Extension.LastReply(t.Context(), "a"); err != nil || text == nil || *text != "done" {
		t.Errorf("got %v, %v", text, err)
	}
	_, err := h.Extension.Agent(t.Context(), "a")
	if !ext.IsError(err, "RATE_LIMITED") || err.Error() != "agents.get: later (RATE_LIMITED)" {
		t.Errorf("got %v", err)
	}
	h.Close()
	if err := <-ended; err != nil {
		t.Errorf("it ended with %v", err)
	}
}
