package claudecode

import (
	"encoding/json"
	"errors"
	"slices"
	"strconv"
)

// keptMessages is how many answers with tool calls may be written in turns and
// each still have its tools in order.
const keptMessages = 8

// keptCalls bounds the calls of one answer that are told apart.
const keptCalls = 256

// messageTools are the tools of one answer so far. An answer's lines may repeat
// the blocks of the lines before, so calls are known by a hash of their ids.
type messageTools struct {
	message uint64
	names   []string
	calls   []uint32
}

// tools are the tools of a message so far, in the order of their first lines. A
// replay in a side chain is kept apart.
func (s *state) tools(native string, side bool, m *message, n *names) []string {
	id := hash64([]byte(native))
	if side {
		id++
	}
	at := slices.IndexFunc(s.Messages, func(t messageTools) bool { return t.message == id })
	if at < 0 {
		if !m.has(toolUse) {
			return nil
		}
		if len(s.Messages) >= keptMessages {
			s.Messages = slices.Delete(s.Messages, 0, 1)
		}
		at = len(s.Messages)
		s.Messages = append(s.Messages, messageTools{message: id})
	}
	t := &s.Messages[at]
	for i := range m.blocks {
		if b := &m.blocks[i]; b.kind == toolUse {
			t.add(b, n)
		}
	}
	return t.names[:len(t.names):len(t.names)]
}

func (t *messageTools) add(b *block, n *names) {
	call := hash32(b.id)
	if len(t.calls) >= keptCalls || len(b.id) > 0 && slices.Contains(t.calls, call) {
		return
	}
	t.calls = append(t.calls, call)
	t.names = append(t.names, n.tool(b.name))
}

// appendTo writes the message, then each tool and its call, as one short list.
func (t *messageTools) appendTo(b []byte) []byte {
	b = appendKey(append(b, '['), t.message)
	for i, name := range t.names {
		b = appendText(append(b, ','), name)
		b = appendKey(append(b, ','), uint64(t.calls[i]))
	}
	return append(b, ']')
}

var errTools = errors.New("not a list of tools")

// UnmarshalJSON reads what appendTo wrote.
func (t *messageTools) UnmarshalJSON(b []byte) error {
	var list []string
	if err := json.Unmarshal(b, &list); err != nil {
		return err
	}
	if len(list)%2 != 1 {
		return errTools
	}
	id, err := strconv.ParseUint(list[0], 36, 64)
	if err != nil {
		return err
	}
	*t = messageTools{message: id}
	for i := 1; i < len(list); i += 2 {
		call, err := strconv.ParseUint(list[i+1], 36, 32)
		if err != nil {
			return err
		}
		t.names, t.calls = append(t.names, list[i]), append(t.calls, uint32(call))
	}
	return nil
}
