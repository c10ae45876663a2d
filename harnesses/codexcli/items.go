package codexcli

import (
	"meterbridge"
	"meterbridge/harnesses/walk"
)

// item is an item of a paginated log, as raw texts.
type item struct {
	typ, id, content []byte
	end              ending
}

// ending is what an event or an item tells of how a call went.
type ending struct{ exitCode, success, result, status []byte }

// readItem reads the item that the cursor stands before; ok is false when it is
// no object.
func readItem(c *walk.Cursor) (i item, ok bool) {
	if !c.Object() {
		return i, false
	}
	for first := true; c.Member(&first); {
		switch string(c.Key()) {
		case "type":
			i.typ, _ = c.Text()
		case "id":
			i.id, _ = c.Text()
		case "content":
			i.content = c.Raw()
		default:
			i.end.read(c)
		}
	}
	return i, c.Err() == nil
}

func (e *ending) read(c *walk.Cursor) {
	switch string(c.Key()) {
	case "exit_code":
		e.exitCode = c.Raw()
	case "success":
		e.success = c.Raw()
	case "result":
		e.result = c.Raw()
	case "status":
		e.status, _ = c.Text()
	default:
		c.Skip()
	}
}

// completed is an item_completed.
type completed struct {
	item  item
	found bool
}

func readCompleted(c *walk.Cursor) (n completed, ok bool) {
	if !c.Object() {
		return n, false
	}
	for first := true; c.Member(&first); {
		if string(c.Key()) == "item" && c.Peek() == '{' {
			n.item, n.found = readItem(c)
			continue
		}
		c.Skip()
	}
	return n, c.Err() == nil
}

// itemCompleted handles an item of a paginated log.
func (r *rollout) itemCompleted(payload []byte) {
	c := walk.Over(payload)
	if n, ok := readCompleted(&c); ok && n.found {
		r.item(n.item, payload)
	}
}

func (r *rollout) item(i item, payload []byte) {
	switch string(i.typ) {
	case "UserMessage":
		r.afterCut()
		r.m.Began = r.ms
		r.spoken(contents(i.content, meterbridge.PreviewRunes))
	case "AgentMessage":
		r.m.Answer = true
		r.releaseHeld()
		r.noteReply(payload, fromItem)
	case "Reasoning":
		r.m.Answer = true
	case "CommandExecution", "McpToolCall", "FileChange", "DynamicToolCall":
		r.went(i.id, i.end.ok())
	}
}

// toolEnd handles an event that tells how a call went.
func (r *rollout) toolEnd(payload []byte) {
	c := walk.Over(payload)
	if !c.Object() {
		return
	}
	var callID []byte
	var e ending
	for first := true; c.Member(&first); {
		if string(c.Key()) == "call_id" {
			callID, _ = c.Text()
			continue
		}
		e.read(&c)
	}
	r.went(callID, e.ok())
}

// ok reads whichever of them is there.
func (e *ending) ok() *bool {
	if n, ok := number(e.exitCode); ok {
		return verdict(n == 0)
	}
	switch string(e.success) {
	case "true":
		return verdict(true)
	case "false":
		return verdict(false)
	}
	if !null(e.result) {
		if !null(member(e.result, "Err")) {
			return verdict(false)
		}
		if fine := member(e.result, "Ok"); !null(fine) {
			return verdict(string(member(fine, "isError")) != "true" && string(member(fine, "is_error")) != "true")
		}
	}
	return outcome(e.status)
}

func (r *rollout) went(callID []byte, ok *bool) {
	if len(callID) == 0 || ok == nil {
		return
	}
	if i := r.openCall(callID); i >= 0 {
		r.m.Open[i].OK, r.m.Open[i].Sent = ok, false
		return
	}
	r.send(call{ID: walk.Unquote(callID, 0), OK: ok}, 0)
}
