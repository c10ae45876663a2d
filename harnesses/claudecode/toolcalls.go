package claudecode

import (
	"meterbridge"
	"meterbridge/harnesses/walk"
)

// toolCalls emits the starts of the tool calls that the answer asks for.
func (p *parser) toolCalls(native string) {
	for i := range p.row.message.blocks {
		b := &p.row.message.blocks[i]
		if b.kind != toolUse || len(b.id) == 0 {
			continue
		}
		p.out.ToolCalls = append(p.out.ToolCalls, meterbridge.ToolCall{
			Harness: ID, NativeID: walk.Unquote(b.id, 0), Session: p.who.credited,
			Request: native, Name: p.names.tool(b.name), StartedAt: p.when,
		})
	}
}

// toolResults emits the ends of tool calls.
func (p *parser) toolResults() {
	for i := range p.row.message.blocks {
		b := &p.row.message.blocks[i]
		if b.kind != toolResult || len(b.id) == 0 {
			continue
		}
		ok := !b.failed
		p.out.ToolCalls = append(p.out.ToolCalls, meterbridge.ToolCall{
			Harness: ID, NativeID: walk.Unquote(b.id, 0), Session: p.who.credited, EndedAt: p.when, OK: &ok,
		})
	}
}
