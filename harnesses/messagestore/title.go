package messagestore

import (
	"regexp"
	"strings"

	"meterbridge"
)

// session is a session as either layout keeps it.
type session struct {
	conversation
	title, version string
	updated        int64
}

// subAgent finds the kind of a sub-agent in the title that its parent gave it.
var subAgent = regexp.MustCompile(`\(@(\S+) subagent\)$`)

// fact is the session as the ledger wants it.
func (s *session) fact(harness string) meterbridge.Session {
	f := meterbridge.Session{Harness: harness, ID: s.id, Project: s.directory, Version: s.version}
	if !isUnnamed(s.title) {
		f.Title, f.TitleRank = s.title, meterbridge.TitleFromModel
	}
	if s.parent == "" {
		return f
	}
	f.Parent, f.Relation, f.AgentType = s.parent, meterbridge.SubAgent, s.agent
	if m := subAgent.FindStringSubmatch(s.title); m != nil {
		f.AgentType = m[1]
	}
	return f
}

// isUnnamed reports whether nobody has named the session yet.
func isUnnamed(title string) bool {
	return title == "" || strings.HasPrefix(title, "New session - ") || strings.HasPrefix(title, "Child session - ")
}
