package policy

import (
	"slices"
	"strings"
	"time"

	"meterbridge/bridge"
)

// Allowed is a person's word that calls of a tool need no person any more. A tool
// whose words changed has another digest: its calls are asked about again.
type Allowed struct {
	// Agent is who may call it; empty for every agent.
	Agent string `json:"agent"`
	// Tool is PACKAGE/TOOL, for people.
	Tool   string    `json:"tool"`
	Digest Digest    `json:"digest"`
	At     time.Time `json:"at"`
}

// Allows tells whether an agent's calls of a tool need no person.
func (s *State) Allows(agent string, tool bridge.Digest) bool {
	return tool != (bridge.Digest{}) && slices.ContainsFunc(s.Allowed, func(a Allowed) bool {
		return a.Digest == Digest(tool) && (a.Agent == "" || a.Agent == agent)
	})
}

// Allow records that they do not; false when it is so already.
func (s *State) Allow(a Allowed) bool {
	if s.Allows(a.Agent, bridge.Digest(a.Digest)) {
		return false
	}
	s.Allowed = append(s.Allowed, a)
	return true
}

// forgetAllowed takes back what was allowed of an extension.
func (s *State) forgetAllowed(extension string, which func(Allowed) bool) {
	s.Allowed = slices.DeleteFunc(s.Allowed, func(a Allowed) bool { return strings.HasPrefix(a.Tool, extension+"/") && which(a) })
}
