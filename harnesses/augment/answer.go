package augment

import (
	"strings"

	"meterbridge"
	"meterbridge/harnesses/jsonvalue"
)

// usageNode is the type of the nodes with counts of tokens.
const usageNode = 10

// answer is what the nodes of a response tell.
type answer struct {
	text   string
	called []call
	// usage: there is a node with counts; the last one counts.
	usage, wrong bool
	tokens       meterbridge.Tokens
}

type call struct{ id, name string }

func readAnswer(nodes jsonvalue.Value) (a answer) {
	var texts []string
	for _, v := range nodes.Elements() {
		o := v.Object()
		kind, _ := o["type"].Int()
		if id := o.At("tool_use", "tool_use_id").Text(); id != "" {
			a.called = append(a.called, call{id, o.At("tool_use", "tool_name").Text()})
		}
		switch kind {
		case 0:
			if t := o["content"].Text(); strings.TrimSpace(t) != "" {
				texts = append(texts, t)
			}
		case usageNode:
			a.read(o["token_usage"].Object())
		}
	}
	a.text = strings.Join(texts, "\n")
	return a
}

// read takes over counts. Input leaves out both cache classes.
func (a *answer) read(o jsonvalue.Object) {
	if o == nil {
		return
	}
	var c jsonvalue.Counts
	a.tokens = meterbridge.Tokens{
		Input: c.Of(o["input_tokens"]), Output: c.Of(o["output_tokens"]),
		CacheRead: c.Of(o["cache_read_input_tokens"]), CacheWrite5m: c.Of(o["cache_creation_input_tokens"]),
	}
	a.usage, a.wrong = true, c.Wrong
}

func (a *answer) tools() []string {
	var names []string
	for _, c := range a.called {
		names = append(names, c.name)
	}
	return names
}
