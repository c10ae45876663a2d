package extensions

import (
	"meterbridge/bridge"
	"meterbridge/bridge/policy"
)

// Allows tells whether an agent's calls of a tool need no person. A record that cannot
// be relied on allows nothing.
func (d *Desk) Allows(agent string, tool bridge.Digest) bool {
	v := d.now.Load()
	return v.fault == nil && v.state.Allows(agent, tool)
}

// Allow records that they do not; an empty agent is every one.
func (d *Desk) Allow(agent, tool string, digest bridge.Digest) error {
	return d.change(func(s *policy.State) error {
		if !s.Allow(policy.Allowed{Agent: agent, Tool: tool, Digest: policy.Digest(digest), At: d.o.Now().UTC()}) {
			return errUnchanged
		}
		return nil
	})
}
