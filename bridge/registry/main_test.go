package registry

import (
	"context"
	"encoding/json"

	"meterbridge/bridge"
)

// tool is one that answers nothing.
func tool(name string) bridge.Tool {
	return bridge.Tool{
		Name: name, Description: "Does.", Input: json.RawMessage(`{"type":"object"}`),
		Call: func(context.Context, bridge.Identity, json.RawMessage) (bridge.Result, error) {
			return bridge.Result{}, nil
		},
	}
}

// markOfTheTest was calculated by sha256sum.
const markOfTheTest = "58beb6"
