package claudecode

import (
	"bytes"

	"meterbridge/harnesses/walk"
)

// names turns raw text into strings and remembers the last ones of each kind:
// rows repeat their folder, branch, version, model and session.
type names struct {
	session, origin, cwd, branch, version, model, tier, speed, geo name
	agent, agentType, turn                                         name
	tools                                                          [8]name
	// own and credited are the ids built of a session and an agent.
	own, credited pair
}

type name struct {
	raw  []byte
	text string
}

func (n *name) of(raw []byte) string {
	if len(raw) == 0 {
		return ""
	}
	if !bytes.Equal(raw, n.raw) {
		n.raw = append(n.raw[:0], raw...)
		n.text = walk.Unquote(raw, 0)
	}
	return n.text
}

// tool is the name of a tool; a few are in use at a time.
func (n *names) tool(raw []byte) string {
	if len(raw) == 0 {
		return ""
	}
	slot := (int(raw[0])*7 + int(raw[len(raw)-1]) + len(raw)) % len(n.tools)
	return n.tools[slot].of(raw)
}

// pair is the id of a sub-agent's session.
type pair struct{ session, agent, id string }

func (p *pair) of(session, agent string) string {
	switch {
	case agent == "":
		return session
	case session == "":
		return agent
	}
	if p.session != session || p.agent != agent {
		*p = pair{session, agent, session + "/" + agent}
	}
	return p.id
}
