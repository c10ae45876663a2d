// Package hookjson reads payloads of hooks: the JSON object that a harness gives
// to a command, an address or a plugin. It holds what several harnesses share: the
// members that each payload has, and texts cut to what a person is shown. It
// imports the domain and harnesses/jsonvalue; the hooks of harnesses call it.
package hookjson

import (
	"bytes"
	"strings"

	"meterbridge"
	"meterbridge/harnesses/jsonvalue"
)

const (
	// mostPrompt and mostReply bound the texts that a fact carries, in characters:
	// a submitted prompt is compared with one that was typed by its beginning.
	mostPrompt = 4000
	mostReply  = 4000
)

// Payload is one payload.
type Payload struct{ jsonvalue.Object }

// Read reads a payload; a byte order mark is tolerated, and what is no JSON object
// is an empty payload.
func Read(text []byte) Payload {
	o, _ := jsonvalue.Parse(bytes.TrimPrefix(text, []byte("\xef\xbb\xbf")))
	return Payload{o}
}

// Event is the name of the event.
func (p Payload) Event() string { return p.Text("hook_event_name") }

// Text is a member's text; empty where there is none.
func (p Payload) Text(names ...string) string { return p.At(names...).Text() }

// Fact begins a fact of the payload: the session, the log and the folder that it
// names, and the time where it tells one.
func (p Payload) Fact(kind meterbridge.FactKind) meterbridge.StatusFact {
	return meterbridge.StatusFact{
		Kind: kind, Source: meterbridge.FromHook, Confidence: meterbridge.Exact,
		At: p.At("timestamp").Time(), Session: p.Text("session_id"), Transcript: p.Text("transcript_path"), Dir: p.Text("cwd"),
		Model: p.Text("model"), Subagent: p.Text("agent_id"), SubagentName: p.Text("agent_type"),
	}
}

// Subagents is what SubagentStart and SubagentStop tell; nil where no sub-agent is named.
// fact begins a fact as its harness does.
func (p Payload) Subagents(fact func(meterbridge.FactKind) meterbridge.StatusFact) []meterbridge.StatusFact {
	kind := meterbridge.FactSubagentStarted
	if p.Event() == "SubagentStop" {
		kind = meterbridge.FactSubagentStopped
	}
	f := fact(kind)
	if f.Subagent == "" {
		return nil
	}
	return []meterbridge.StatusFact{f}
}

// Log is the log that the payload names, if it is a JSONL file below a folder of
// that name: nothing else is ever opened because a payload names it.
func (p Payload) Log(folder string) string {
	path := p.Text("transcript_path")
	slashed := strings.ReplaceAll(path, `\`, "/")
	if !strings.HasSuffix(slashed, ".jsonl") || !strings.Contains(slashed, "/"+folder+"/") || strings.Contains(slashed, "/../") {
		return ""
	}
	return path
}

// Prompt is a submitted text, Reply the agent's last message: their beginnings.
func (p Payload) Prompt(name string) string { return p.At(name).Clip(mostPrompt) }

// Reply is the agent's last message.
func (p Payload) Reply(name string) string { return p.At(name).Clip(mostReply) }

// OneLine is a text on one line, at most limit characters of it.
func OneLine(text string, limit int) string {
	text = strings.Join(strings.Fields(text), " ")
	if r := []rune(text); len(r) > limit {
		return string(r[:limit])
	}
	return text
}

// Background are the sub-agents that run, of a list of background tasks: others
// says that tasks of another kind run too.
func Background(list jsonvalue.Value) (agents []meterbridge.RunningSubagent, others bool) {
	for _, item := range list.Elements() {
		task := item.Object()
		switch task.At("status").Text() {
		case "completed", "failed", "killed", "stopped", "cancelled":
			continue
		}
		if task.At("type").Text() != "subagent" {
			others = true
			continue
		}
		if id := task.At("id").Text(); id != "" {
			name := task.At("agent_type").Text()
			if name == "" {
				name = task.At("description").Text()
			}
			agents = append(agents, meterbridge.RunningSubagent{ID: id, Name: OneLine(name, 48)})
		}
	}
	return agents, others
}
