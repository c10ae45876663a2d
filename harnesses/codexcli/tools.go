package codexcli

import (
	"bytes"
	"slices"

	"meterbridge"
	"meterbridge/harnesses/walk"
)

// call is a tool call that still lacks its request or its result.
type call struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	At      int64  `json:"at"`
	Request string `json:"request,omitempty"`
	OK      *bool  `json:"ok,omitempty"`
	// Sent: emitted as it stands.
	Sent bool `json:"sent,omitempty"`
}

// maxOpen bounds the calls that are kept open; the oldest go out as they are.
const maxOpen = 64

// maxTools bounds the names that one request can gather.
const maxTools = 1000

// asked is what a call's item says, as raw texts.
type asked struct{ typ, title, callID, itemID, status []byte }

// readAsked reads the item that the cursor stands before; ok is false when it
// is no object.
func readAsked(c *walk.Cursor) (a asked, ok bool) {
	if !c.Object() {
		return a, false
	}
	for first := true; c.Member(&first); {
		switch string(c.Key()) {
		case "type":
			a.typ, _ = c.Text()
		case "name":
			a.title, _ = c.Text()
		case "call_id":
			a.callID, _ = c.Text()
		case "id":
			a.itemID, _ = c.Text()
		case "status":
			a.status, _ = c.Text()
		default:
			c.Skip()
		}
	}
	return a, c.Err() == nil
}

// toolCall handles the model's call of a tool.
func (r *rollout) toolCall(payload []byte) {
	c := walk.Over(payload)
	if a, ok := readAsked(&c); ok {
		r.ask(a)
	}
}

func (r *rollout) ask(a asked) {
	r.m.Answer = true
	r.releaseHeld()
	title, callID := r.word(a.title), a.callID
	if len(callID) == 0 {
		callID = a.itemID
	}
	searched := false
	switch string(a.typ) {
	case "local_shell_call":
		title = "local_shell"
	case "web_search_call":
		title, searched = "web_search", true
		r.m.Searches++
	}
	r.called(title, walk.Unquote(callID, 0), searched, a.status)
}

// word is a raw text, from the few that a log repeats.
func (r *rollout) word(raw []byte) string {
	if w, ok := r.words[string(raw)]; ok {
		return w
	}
	w := walk.Unquote(raw, 0)
	if r.words == nil {
		r.words = map[string]string{}
	}
	if len(r.words) < maxOpen {
		r.words[string(raw)] = w
	}
	return w
}

func (r *rollout) called(title, callID string, searched bool, status []byte) {
	if title != "" && len(r.m.Tools) < maxTools {
		r.m.Tools = append(r.m.Tools, title)
	}
	if callID == "" {
		return
	}
	if i := r.openCall([]byte(callID)); i >= 0 { // an id used twice: the newer call counts
		r.m.Open = slices.Delete(r.m.Open, i, i+1)
	}
	if len(r.m.Open) >= maxOpen {
		r.send(r.m.Open[0], 0)
		r.m.Open = slices.Delete(r.m.Open, 0, 1)
	}
	k := call{ID: callID, Name: title, At: r.ms}
	if searched { // a search runs at the provider: its line is its end
		k.OK = outcome(status)
	}
	r.m.Open = append(r.m.Open, k)
}

// claimCalls gives the open calls the request that asked for them.
func (r *rollout) claimCalls(request string) {
	for i := range r.m.Open {
		if k := &r.m.Open[i]; k.Request == "" {
			k.Request, k.Sent = request, false
		}
	}
}

// forgetCalls sends the calls of a turn that is over.
func (r *rollout) forgetCalls() {
	r.flushCalls()
	r.m.Open = nil
}

func (r *rollout) flushCalls() {
	for i := range r.m.Open {
		if k := &r.m.Open[i]; !k.Sent {
			r.send(*k, 0)
			k.Sent = true
		}
	}
}

func (r *rollout) send(k call, ended int64) {
	r.out.ToolCalls = append(r.out.ToolCalls, meterbridge.ToolCall{
		Harness: id, NativeID: r.m.Thread + "/" + k.ID, Session: r.m.Thread, Request: k.Request,
		Name: k.Name, StartedAt: at(k.At), EndedAt: at(ended), OK: k.OK,
	})
}

// toolOutput handles a call's result: it goes out whole with its call.
func (r *rollout) toolOutput(payload []byte) {
	c := walk.Over(payload)
	if !c.Object() {
		return
	}
	var callID, output []byte
	for first := true; c.Member(&first); {
		switch string(c.Key()) {
		case "call_id":
			callID, _ = c.Text()
		case "output":
			output = c.Raw()
		default:
			c.Skip()
		}
	}
	if len(callID) > 0 {
		r.result(callID, outputOK(output))
	}
}

// result emits a call with its end. A call that no request has claimed yet
// stays open for it.
func (r *rollout) result(callID []byte, ok *bool) {
	i := r.openCall(callID)
	var k call
	if i < 0 {
		k = call{ID: walk.Unquote(callID, 0)}
	} else if k = r.m.Open[i]; k.Request != "" {
		r.m.Open = slices.Delete(r.m.Open, i, i+1)
	} else {
		r.m.Open[i].Sent = true
	}
	if ok != nil {
		k.OK = ok
	}
	r.send(k, r.ms)
}

func (r *rollout) openCall(callID []byte) int {
	return slices.IndexFunc(r.m.Open, func(k call) bool { return k.ID == string(callID) })
}

func outcome(status []byte) *bool {
	switch string(status) {
	case "completed":
		return verdict(true)
	case "failed", "declined":
		return verdict(false)
	}
	return nil
}

func verdict(ok bool) *bool { return &ok }

// headOfOutput is how far into a result the exit code of its head can lie,
// tailOfOutput how far before the end of its line that of its end.
const (
	headOfOutput = 300
	tailOfOutput = 2000
)

// outputOK reads what a result says of itself; nil where it tells nothing.
func outputOK(output []byte) *bool {
	if t := quoted(output); t != nil {
		return textOK(t)
	}
	switch string(member(output, "success")) {
	case "true":
		return verdict(true)
	case "false":
		return verdict(false)
	}
	return nil
}

// textOK reads the exit code that Codex writes into the text of a result: at
// the end of a JSON text ({"output":…,"metadata":{"exit_code":0}}), or as a line
// of its head. t is raw and may go on behind the text.
func textOK(t []byte) *bool {
	if bytes.HasPrefix(t, []byte(`{\"output\":`)) {
		mark := []byte(`,\"metadata\":{\"exit_code\":`)
		tail := t[max(0, len(t)-tailOfOutput):]
		if i := bytes.LastIndex(tail, mark); i >= 0 {
			return exitCode(tail[i+len(mark):])
		}
		return nil
	}
	head := t[:min(len(t), headOfOutput)]
	if i := bytes.IndexByte(head, '"'); i >= 0 {
		head = head[:i]
	}
	if rest, ok := bytes.CutPrefix(head, []byte("Exit code: ")); ok {
		return exitCode(rest)
	}
	if i := bytes.Index(head, []byte(`\nOutput:`)); i >= 0 {
		head = head[:i]
	}
	mark := []byte(`\nProcess exited with code `)
	if i := bytes.Index(head, mark); i >= 0 {
		return exitCode(head[i+len(mark):])
	}
	return nil
}

// exitCode reads the number that b begins with.
func exitCode(b []byte) *bool {
	n := 0
	for n < len(b) && (b[n] >= '0' && b[n] <= '9' || n == 0 && b[n] == '-') {
		n++
	}
	if code, ok := number(b[:n]); ok {
		return verdict(code == 0)
	}
	return nil
}
