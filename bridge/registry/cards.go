package registry

import (
	"encoding/json"
	"fmt"
	"strings"

	"meterbridge/bridge"
)

// cardArgument is the property by which an agent chooses among several cards.
const cardArgument = "card"

// WithCard is the schema of a tool for an agent that several cards of its extension
// are linked to: one optional string more. With fewer than two it is the schema
// itself, byte for byte.
func WithCard(input json.RawMessage, cards []bridge.Card) json.RawMessage {
	if len(cards) < 2 {
		return input
	}
	var s map[string]json.RawMessage
	if json.Unmarshal(input, &s) != nil {
		return input
	}
	properties := map[string]json.RawMessage{}
	if s["properties"] != nil && json.Unmarshal(s["properties"], &properties) != nil {
		return input
	}
	var names []string
	for _, c := range cards {
		names = append(names, fmt.Sprintf("%s (%s)", c.ID, c.Name))
	}
	text, err := json.Marshal(map[string]string{"type": "string", "description": "Which card answers: an id or a name. Without it the first of " + strings.Join(names, ", ") + "."})
	if err != nil {
		return input
	}
	properties[cardArgument] = text
	if s["properties"], err = json.Marshal(properties); err != nil {
		return input
	}
	out, err := json.Marshal(s)
	if err != nil {
		return input
	}
	return out
}

// TakeCard takes the card out of a call's arguments and returns the id of the one
// that is meant, "" where there is only one to be meant. Its error is a *ToolError
// that names the cards.
func TakeCard(args json.RawMessage, cards []bridge.Card) (rest json.RawMessage, id string, err error) {
	if len(cards) < 2 {
		return args, "", nil
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(args, &members) != nil || members[cardArgument] == nil {
		return args, cards[0].ID, nil
	}
	var wanted string
	if json.Unmarshal(members[cardArgument], &wanted) != nil {
		return nil, "", whichCard("`/card`: must be a string", cards)
	}
	delete(members, cardArgument)
	if rest, err = json.Marshal(members); err != nil {
		return nil, "", fmt.Errorf("take the card out of the arguments: %w", err)
	}
	var found []string
	for _, c := range cards {
		if c.ID == wanted {
			return rest, c.ID, nil
		}
		if strings.EqualFold(c.Name, wanted) {
			found = append(found, c.ID)
		}
	}
	switch len(found) {
	case 0:
		return nil, "", whichCard("`/card`: there is no such card", cards)
	case 1:
		return rest, found[0], nil
	}
	return nil, "", whichCard("`/card`: several cards have this name", cards)
}

func whichCard(what string, cards []bridge.Card) error {
	var names []string
	for _, c := range cards {
		names = append(names, fmt.Sprintf("%s (%s)", c.ID, c.Name))
	}
	return &bridge.ToolError{Code: bridge.CodeInvalidParams, Message: what + "; linked are " + strings.Join(names, ", ")}
}
