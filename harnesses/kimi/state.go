package kimi

import (
	"maps"
	"slices"

	"github.com/cespare/xxhash/v2"

	"meterbridge"
	"meterbridge/harnesses"
	"meterbridge/harnesses/facts"
	"meterbridge/harnesses/jsonvalue"
)

// state reads the file that tells of a session and its agents.
type state struct{ opt harnesses.Options }

// Document implements harnesses.DocumentParser.
func (d *state) Document(content []byte, out *meterbridge.Batch) {
	w := facts.Writer{Harness: id, Out: out}
	o, ok := jsonvalue.Parse(content)
	if !ok {
		w.Problem(meterbridge.Place{Line: 1, Hash: xxhash.Sum64(content)}, "malformed-json", "a state is not a JSON object")
		return
	}
	session, _ := owner(d.opt.Rel)
	s := meterbridge.Session{ID: session, Title: firstText(o["title"], o["custom_title"]), TitleRank: meterbridge.TitleFromModel, Project: firstText(o["cwd"], o["workDir"])}
	if o["isCustomTitle"].True() {
		s.TitleRank = meterbridge.TitleFromUser
	}
	w.Session(s)
	agents := o["agents"].Object()
	for _, name := range slices.Sorted(maps.Keys(agents)) {
		a := agents[name].Object()
		if name == "main" || name == "" || a == nil {
			continue
		}
		child := meterbridge.Session{ID: session + "/" + name, Parent: session, Relation: meterbridge.SubAgent}
		if kind := a["type"].Text(); kind != "sub" {
			child.AgentType = kind
		}
		if parent := a["parentAgentId"].Text(); parent != "" && parent != "main" && parent != name {
			child.Parent = session + "/" + parent
		}
		w.Session(child)
	}
}
