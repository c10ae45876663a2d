package mux

import (
	"strconv"

	"meterbridge"
	"meterbridge/harnesses"
	"meterbridge/harnesses/facts"
	"meterbridge/harnesses/jsonvalue"
)

// headless reads what a workspace spent beside its messages.
type headless struct {
	chat
}

func newHeadless(o harnesses.Options) *headless { return &headless{chat: *newChat(o)} }

// Line implements harnesses.LineParser.
func (h *headless) Line(line []byte, at meterbridge.Place, out *meterbridge.Batch) {
	h.Out = out
	o, ok := h.Object(line, at)
	if !ok {
		return
	}
	m := message{session: h.folder, at: o["timestamp"].Millis(), place: at}
	m.end = m.at
	r := meterbridge.Request{
		NativeID: h.folder + "/headless/" + strconv.FormatInt(at.Line, 10), Rule: "headless", Purpose: o["source"].Text(),
	}
	h.count(m, o, o["model"].Text(), &r, nil)
}

// config reads the configuration, for what it says of workspaces.
type config struct{ opt harnesses.Options }

// Document implements harnesses.DocumentParser.
func (d *config) Document(content []byte, out *meterbridge.Batch) {
	w := facts.Writer{Harness: id, Store: store, Out: out}
	o, ok := jsonvalue.Parse(content)
	if !ok {
		w.Problem(meterbridge.Place{Line: 1}, "malformed-json", "the configuration is not a JSON object")
		return
	}
	for _, v := range o["projects"].Elements() {
		project := ""
		for i, part := range v.Elements() {
			switch i {
			case 0:
				project = part.Text()
			case 1:
				workspaces(&w, project, part.Object()["workspaces"])
			}
		}
	}
}

func workspaces(w *facts.Writer, project string, list jsonvalue.Value) {
	for _, v := range list.Elements() {
		o := v.Object()
		s := meterbridge.Session{ID: o["id"].Text(), Project: project, Branch: o["name"].Text(), Title: o["title"].Text(), TitleRank: meterbridge.TitleFromModel}
		if s.ID == "" {
			continue
		}
		if parent := o["parentWorkspaceId"].Text(); parent != "" && parent != s.ID {
			s.Parent, s.Relation, s.AgentType = parent, meterbridge.SubAgent, o["agentType"].Text()
		}
		w.Session(s)
	}
}
