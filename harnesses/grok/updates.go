package grok

import (
	"cmp"
	"encoding/json"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"meterbridge"
	"meterbridge/harnesses"
	"meterbridge/harnesses/facts"
	"meterbridge/harnesses/jsonvalue"
)

// updates reads the lines of updates.jsonl.
type updates struct {
	facts.Writer
	session string
	m       memory
}

// memory is what goes on from line to line.
type memory struct {
	Project string `json:"project,omitempty"`
	// Speaking: the last line was part of a prompt.
	Speaking bool `json:"speaking,omitempty"`
}

func newUpdates(o harnesses.Options) *updates {
	u := &updates{Writer: facts.Writer{Harness: id, Store: store, Trace: o.Trace}, session: sessionOf(o.Rel)}
	if json.Unmarshal(o.State, &u.m) != nil {
		u.m = memory{Project: folderOf(o)}
	}
	return u
}

// folderOf is the working directory after which the folder of a session's folder
// is named; of a long one it only bears a hash, and a file in it tells.
func folderOf(o harnesses.Options) string {
	name, _, _ := strings.Cut(o.Rel, "/")
	plain, err := url.PathUnescape(name)
	if err == nil && (strings.HasPrefix(plain, "/") || len(plain) > 2 && plain[1] == ':') {
		return facts.Name(plain)
	}
	told, err := os.ReadFile(filepath.Join(filepath.Dir(filepath.Dir(o.Path)), ".cwd"))
	if err != nil {
		return ""
	}
	return facts.Name(strings.TrimSpace(string(told)))
}

// Line implements harnesses.LineParser.
func (u *updates) Line(line []byte, at meterbridge.Place, out *meterbridge.Batch) {
	u.Out = out
	o, ok := u.Object(line, at)
	if !ok {
		return
	}
	now, update := o["timestamp"].Seconds(), o.At("params", "update").Object()
	kind := update["sessionUpdate"].Text()
	spoke := u.m.Speaking
	u.m.Speaking = kind == "user_message_chunk"
	switch kind {
	case "turn_completed":
		u.turn(update, now, at)
	case "user_message_chunk":
		if !spoke && !now.IsZero() {
			u.Prompt(meterbridge.Prompt{
				NativeID: u.session + "/p" + strconv.FormatInt(at.Line, 10), Session: u.session, Project: u.m.Project,
				At: now, Preview: update.At("content", "text").Clip(meterbridge.PreviewRunes), Place: at,
			})
		}
	case "tool_call", "tool_call_update":
		u.call(update, now)
	}
}

// Flush implements harnesses.LineParser.
func (u *updates) Flush(*meterbridge.Batch) {}

// State implements harnesses.LineParser.
func (u *updates) State() []byte {
	return facts.State(u.m)
}

func (u *updates) call(update jsonvalue.Object, now time.Time) {
	call := update["toolCallId"].Text()
	if call == "" {
		return
	}
	c := meterbridge.ToolCall{NativeID: u.session + "/" + call, Session: u.session, Name: update["title"].Text()}
	if update["sessionUpdate"].Text() == "tool_call" {
		c.StartedAt = now
	}
	switch update["status"].Text() {
	case "completed":
		c.EndedAt, c.OK = now, facts.Outcome(true)
	case "failed":
		c.EndedAt, c.OK = now, facts.Outcome(false)
	}
	u.Call(c)
}

// turn counts a turn by its models. A replay writes it again under the same id.
func (u *updates) turn(update jsonvalue.Object, now time.Time, at meterbridge.Place) {
	prompt := cmp.Or(update["prompt_id"].Text(), "#"+strconv.FormatInt(at.Line, 10))
	u.Turn(meterbridge.Turn{NativeID: u.session + "/" + prompt, Session: u.session, EndedAt: now, Outcome: outcome(update["stop_reason"].Text())})
	usage := update["usage"].Object()
	models := usage["modelUsage"].Object()
	if len(models) == 0 && usage != nil {
		u.count(usage, meterbridge.Request{NativeID: u.session + "/" + prompt, EndedAt: now, Place: at, Rule: "turn"})
		return
	}
	for _, model := range slices.Sorted(maps.Keys(models)) {
		u.count(models[model].Object(), meterbridge.Request{
			NativeID: u.session + "/" + prompt + "/" + model, Model: model, EndedAt: now, Place: at, Rule: "turn-of-model",
		})
	}
}

func outcome(reason string) string {
	switch reason {
	case "cancelled":
		return "interrupted"
	case "refusal", "error":
		return "failed"
	}
	return "finished"
}

// ticksPico is the worth of a tick: 10^10 of them are a dollar.
const ticksPico = 100

// count counts one model's part of a turn. Input holds what was read from the
// cache, output the reasoning.
func (u *updates) count(o jsonvalue.Object, r meterbridge.Request) {
	if o == nil {
		return
	}
	var c jsonvalue.Counts
	read := c.Of(o["cachedReadTokens"])
	r.Session, r.Project, r.Precision = u.session, u.m.Project, meterbridge.PerTurn
	r.Tokens = meterbridge.Tokens{
		Input: jsonvalue.Minus(c.Of(o["inputTokens"]), read), Output: c.Of(o["outputTokens"]), Reasoning: c.Of(o["reasoningTokens"]),
		CacheRead: read, CacheWrite5m: c.Of(o["cacheCreationTokens"]),
	}
	r.Tokens.Reasoning.N = min(r.Tokens.Reasoning.N, r.Tokens.Output.N)
	if ticks, ok := o["costUsdTicks"].Int(); ok && ticks > 0 && ticks <= meterbridge.MaxCount {
		r.Recorded = meterbridge.SomePico(meterbridge.Pico(ticks).Times(ticksPico))
	}
	switch {
	case c.Wrong:
		u.Wrong(r)
	case r.Tokens.Total() == 0:
		u.Drop(r, "zero-usage")
	default:
		u.Request(r)
	}
}
