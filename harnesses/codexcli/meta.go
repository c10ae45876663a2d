package codexcli

import (
	"meterbridge"
	"meterbridge/harnesses/walk"
)

// sessionMeta handles a head: the first is the thread's own, the same again a
// resume, another one the beginning of a copied parent.
func (r *rollout) sessionMeta(payload []byte) {
	thread := text(member(payload, "id"))
	switch {
	case thread == "":
		r.problem("wrong-type", "a session_meta has no id")
	case r.m.Named:
		r.ownMeta(thread, payload)
	case thread != r.m.Thread:
		r.m.Copy, r.m.Jump, r.m.Inherits = true, false, false
		r.parentMeta(payload)
	}
}

func (r *rollout) ownMeta(thread string, payload []byte) {
	// Text said before a head that could be read belongs to the name that held then.
	r.flushReply()
	r.m.Thread, r.m.Named = thread, false
	r.m.Began = r.ms
	r.m.Made = millis(quoted(member(payload, "timestamp")))
	if r.m.Made == 0 {
		r.m.Made = r.ms
	}
	if born := idMillis(thread); near(born, r.m.Made) {
		r.m.Born = born
	}
	r.m.Project = text(member(payload, "cwd"))
	r.m.Provider = text(member(payload, "model_provider"))
	r.m.Branch = text(member(member(payload, "git"), "branch"))
	s := meterbridge.Session{Project: r.m.Project, Branch: r.m.Branch, Version: text(member(payload, "cli_version"))}
	r.descent(payload, &s)
	r.emit(s)
}

// idSlack is how far the time in an id may lie from a written one, in ms.
const idSlack = 5000

func near(a, b int64) bool { return a > b-idSlack && a < b+idSlack }

// descent fills in where the thread came from.
func (r *rollout) descent(payload []byte, s *meterbridge.Session) {
	sub := member(member(payload, "source"), "subagent")
	parent, role := spawned(sub)
	if p := text(member(payload, "parent_thread_id")); p != "" {
		parent = p
	}
	if a := text(member(payload, "agent_role")); a != "" {
		role = a
	}
	fork := text(member(payload, "forked_from_id"))
	r.m.Inherits = fork != "" || !null(member(payload, "forked_from_ordinal_exclusive"))
	r.m.Sub = !null(sub) || text(member(payload, "thread_source")) == "subagent" || (parent != "" && fork == "")
	if !r.m.Sub {
		r.comesFrom(fork, s)
		return
	}
	s.AgentType = role
	for _, p := range []string{parent, fork, text(member(payload, "session_id"))} {
		r.comesFrom(p, s)
	}
}

// spawned reads source.subagent: a word ("review"), the facts of a spawn, or
// an object with one member that names the kind.
func spawned(sub []byte) (parent, role string) {
	if word := text(sub); word != "" {
		return "", word
	}
	c := walk.Over(sub)
	if !c.Object() {
		return "", ""
	}
	for first := true; c.Member(&first); {
		key := string(c.Key())
		facts := c.Raw()
		switch {
		case key == "thread_spawn":
			return text(member(facts, "parent_thread_id")), text(member(facts, "agent_role"))
		case key == "other" && text(facts) != "":
			return "", text(facts)
		case key != "":
			return text(member(facts, "parent_thread_id")), key
		}
	}
	return "", ""
}

// comesFrom notes the parent, once.
func (r *rollout) comesFrom(parent string, s *meterbridge.Session) {
	if parent == "" || parent == r.m.Thread || r.m.Parented {
		return
	}
	r.m.Parented = true
	s.Parent, s.Relation = parent, meterbridge.Fork
	if r.m.Sub {
		s.Relation = meterbridge.SubAgent
	}
}

// parentMeta takes the parent's id from a copied head where the own one names none.
func (r *rollout) parentMeta(payload []byte) {
	var s meterbridge.Session
	r.comesFrom(text(member(payload, "id")), &s)
	if s.Parent != "" {
		r.emit(s)
	}
}

func (r *rollout) turnContext(payload []byte) {
	c := walk.Over(payload)
	if !c.Object() {
		return
	}
	r.m.Began = r.ms
	for first := true; c.Member(&first); {
		switch string(c.Key()) {
		case "model":
			r.set(&r.m.Model, &c)
		case "cwd":
			if r.m.Copy {
				c.Skip()
				continue
			}
			r.set(&r.m.Project, &c)
		default:
			c.Skip()
		}
	}
}

// set reads a string into a field, without allocating when it is there already.
func (r *rollout) set(field *string, c *walk.Cursor) {
	if c.Peek() != '"' {
		if string(c.Raw()) != "null" {
			r.problem("wrong-type", "a turn_context has a member that should be text")
		}
		return
	}
	raw, _ := c.Text()
	if string(raw) != *field && len(raw) > 0 {
		*field = walk.Unquote(raw, 0)
	}
}

// threadSettings is the whole of the settings: a tier that is not named is the
// standard one.
func (r *rollout) threadSettings(payload []byte) {
	settings := member(payload, "thread_settings")
	if null(settings) {
		return
	}
	r.m.Tier = text(member(settings, "service_tier"))
	if p := text(member(settings, "model_provider_id")); p != "" {
		r.m.Provider = p
	}
	if r.m.Model == "" {
		r.m.Model = text(member(settings, "model"))
	}
}
