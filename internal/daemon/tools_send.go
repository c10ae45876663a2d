package daemon

import (
	"context"
	"fmt"

	"meterbridge"
	"meterbridge/agents/queue"
	"meterbridge/bridge"
	"meterbridge/internal/daemon/fleet"
	"meterbridge/internal/daemon/prompting"
)

// sendTool is the tool by which an agent prompts another one.
type sendTool struct {
	agentTools
	room *prompting.Room
}

func newSendTool(f *fleet.Fleet, room *prompting.Room) (bridge.Tool, error) {
	t := &sendTool{agentTools{f}, room}
	return agentTool("agent_send", bridge.Annotations{Destructive: true, OpenWorld: true}, t.send)
}

type sendIn struct {
	Agent    string `json:"agent"`
	Text     string `json:"text"`
	Submit   *bool  `json:"submit"`
	WhenBusy string `json:"whenBusy"`
}

type toolDelivered struct {
	// Delivered is sent, queued or inserted.
	Delivered string `json:"delivered"`
	// ID is the prompt's.
	ID string `json:"id"`
}

// send takes the path of every prompt, with the calling agent as its sender.
func (t *sendTool) send(ctx context.Context, who bridge.Identity, in sendIn) (toolDelivered, string, error) {
	self, err := t.caller(who)
	if err != nil {
		return toolDelivered{}, "", err
	}
	to := in.Agent
	if i, err := t.f.Agents().Get(in.Agent); err == nil {
		if to = i.ID; i.Workspace != self.Workspace {
			return toolDelivered{}, "", &bridge.ToolError{Code: bridge.CodeNotFound, Message: fmt.Sprintf("there is no agent %q", in.Agent)}
		}
	}
	p, err := t.room.Submit(ctx, queue.Request{
		Sender: meterbridge.PromptSender{Kind: meterbridge.ByAgent, ID: self.ID, Name: self.Name}, Agent: to, Text: in.Text,
		Insert: in.Submit != nil && !*in.Submit, WhenBusy: queue.WhenBusy(in.WhenBusy),
	})
	if err != nil {
		return toolDelivered{}, "", prompting.ToolError(err)
	}
	delivered, err := prompting.DeliveryOf(p)
	if err != nil {
		return toolDelivered{}, "", err
	}
	return toolDelivered{Delivered: string(delivered), ID: p.ID}, fmt.Sprintf("The prompt was %s.", delivered), nil
}
