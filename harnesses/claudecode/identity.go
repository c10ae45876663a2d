package claudecode

import "strconv"

// sideAgent stands for the agent of side rows that name none (1.x wrote them
// into the session's file).
const sideAgent = "sidechain"

// identity is whose row it is.
type identity struct {
	// own is the session whose file holds the row, credited the one that spent
	// it: in the copies of a fork the session that is copied.
	own, credited string
	// parent is the main session when own is a sub-agent's.
	parent string
	// origin is the session that the row was copied from; empty for no copy.
	origin string
	side   bool
}

// identify finds the sessions of the row.
func (p *parser) identify() {
	r, id := &p.row, identity{}
	session := p.names.session.of(r.session)
	if session == "" {
		session = p.fileSession
	}
	credited := session
	if origin := p.names.origin.of(firstText(r.requestSession, r.forkedFrom)); origin != "" && origin != session {
		id.origin, credited = origin, origin
	}
	agent := p.names.agent.of(r.agent)
	if id.side = r.side || agent != ""; id.side {
		agent = firstName(agent, p.fileAgent, sideAgent)
		id.parent = session
	}
	id.own = p.names.own.of(session, agent)
	id.credited = p.names.credited.of(credited, agent)
	p.who = id
}

func firstText(a, b []byte) []byte {
	if len(a) > 0 {
		return a
	}
	return b
}

func firstName(names ...string) string {
	for _, n := range names {
		if n != "" {
			return n
		}
	}
	return ""
}

// placeID is the identity of a record that has none of its own: its session and
// its number there.
func (p *parser) placeID() string {
	return p.who.own + "#" + strconv.FormatInt(p.at.Line, 10)
}
