package treelog

import (
	"encoding/json"
	"time"

	"meterbridge/harnesses/facts"
)

// openLimit bounds how many calls without a result are remembered.
const openLimit = 256

// memory is all that the parser must know of the entries it has read to go on
// with the next one.
type memory struct {
	// Session is the header's id; empty before it.
	Session string `json:"session,omitempty"`
	Project string `json:"project,omitempty"`
	// Parent is the session that this one was forked from or started by.
	Parent string `json:"parent,omitempty"`
	// Sub: another agent started the session, so its prompts are no person's.
	Sub bool `json:"sub,omitempty"`
	// Made is the header's time, Last that of the last entry that had one, in ms.
	Made int64 `json:"made,omitempty"`
	Last int64 `json:"last,omitempty"`
	// Model and Provider are those in force.
	Model    string `json:"model,omitempty"`
	Provider string `json:"provider,omitempty"`
	// Titled: the first prompt was given as a title.
	Titled bool `json:"titled,omitempty"`
	// Open are the calls that wait for their result, oldest first.
	Open []call `json:"open,omitempty"`
}

// call is a call of a tool: its own id and the native id of its request.
type call struct {
	ID      string `json:"i"`
	Request string `json:"r"`
}

// remember reads what State wrote; anything else is an empty memory.
func remember(state []byte) memory {
	var m memory
	if len(state) > 0 && json.Unmarshal(state, &m) != nil {
		m = memory{}
	}
	return m
}

// State implements harnesses.LineParser.
func (p *Parser) State() []byte {
	return facts.State(&p.m)
}

// open notes a call whose result is to come.
func (m *memory) open(id, request string) {
	if len(m.Open) >= openLimit {
		m.Open = append(m.Open[:0], m.Open[1:]...)
	}
	m.Open = append(m.Open, call{ID: id, Request: request})
}

// close takes the newest open call of the id; its request is empty when none is known.
func (m *memory) close(id string) (request string) {
	for i := len(m.Open) - 1; i >= 0; i-- {
		if m.Open[i].ID == id {
			request = m.Open[i].Request
			m.Open = append(m.Open[:i], m.Open[i+1:]...)
			return request
		}
	}
	return ""
}

// instant is a time of epoch milliseconds; 0 is none.
func instant(ms int64) time.Time {
	if ms <= 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}
