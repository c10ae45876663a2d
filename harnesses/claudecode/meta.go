package claudecode

import (
	"encoding/json"

	"meterbridge"
)

// metaParser reads the small file beside a sub-agent's transcript.
type metaParser struct{ rel string }

// Document reads the kind and the task of the sub-agent. The session it belongs
// to is named by the folder; a file elsewhere says nothing that can be placed.
func (m metaParser) Document(content []byte, out *meterbridge.Batch) {
	session, agent := pathNames(m.rel)
	if session == "" || agent == "" {
		return
	}
	var meta struct {
		AgentType   string `json:"agentType"`
		Description string `json:"description"`
	}
	if err := json.Unmarshal(content, &meta); err != nil {
		out.Problems = append(out.Problems, meterbridge.Problem{
			Reason: "malformed-json", Detail: "the description of a sub-agent is not valid JSON",
		})
		return
	}
	s := meterbridge.Session{
		Harness: ID, ID: session + "/" + agent, Parent: session, Relation: meterbridge.SubAgent,
		AgentType: meta.AgentType, Title: meta.Description,
	}
	if s.Title != "" {
		s.TitleRank = meterbridge.TitleFromModel
	}
	out.Sessions = append(out.Sessions, s)
}
