package strictjson

import (
	"fmt"
	"strings"
)

// member hears of a member before its value is read. It returns what hears of
// the members inside the value (nil for nobody) and where the value's place is
// to be noted (nil for nowhere).
type member func(key string) (inside member, place *Span, err error)

// top hears of the members of the message itself.
func (m *Message) top() member {
	return func(key string) (member, *Span, error) {
		switch key {
		case "jsonrpc":
			return nil, &m.JSONRPC, nil
		case "id":
			return nil, &m.ID, nil
		case "method":
			return nil, &m.Method, nil
		case "params":
			return m.params(), &m.Params, nil
		case "result":
			return nil, &m.Result, nil
		case "error":
			return nil, &m.Error, nil
		}
		return nil, nil, otherCase(key, "jsonrpc", "id", "method", "params", "result", "error")
	}
}

// params hears of the members of params. Those that mcp-go reads there may not
// be spelled in another case, as it would take them all the same.
func (m *Message) params() member {
	return func(key string) (member, *Span, error) {
		switch key {
		case "name":
			return nil, &m.Name, nil
		case "arguments":
			return nil, &m.Arguments, nil
		case "_meta":
			return exact("progressToken"), &m.Meta, nil
		}
		return nil, nil, otherCase(key, "name", "arguments", "_meta", "task", "cursor", "protocolVersion", "capabilities",
			"clientInfo", "requestId", "requestState", "inputResponses", "notifications", "uri", "level", "ref", "argument", "taskId")
	}
}

// exact hears of members of which the named ones may not be in another case.
func exact(names ...string) member {
	return func(key string) (member, *Span, error) { return nil, nil, otherCase(key, names...) }
}

// otherCase refuses a key that differs from one of the names in case only, with
// the folding that encoding/json uses.
func otherCase(key string, names ...string) error {
	for _, name := range names {
		if key != name && strings.EqualFold(key, name) {
			return fmt.Errorf("%w: the key %q must be spelled %q", ErrShape, key, name)
		}
	}
	return nil
}

// keys notices a key that comes twice. Small objects are compared one by one.
type keys struct {
	few  []string
	many map[string]struct{}
}

const few = 16

func (k *keys) add(key string) bool {
	if k.many != nil {
		_, twice := k.many[key]
		k.many[key] = struct{}{}
		return !twice
	}
	for _, other := range k.few {
		if other == key {
			return false
		}
	}
	if k.few = append(k.few, key); len(k.few) > few {
		k.many = make(map[string]struct{}, 4*few)
		for _, other := range k.few {
			k.many[other] = struct{}{}
		}
	}
	return true
}
