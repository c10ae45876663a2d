package clinetasks

import (
	"bytes"
	"path"
	"slices"
	"strings"
	"time"

	"meterbridge/harnesses/jsonvalue"
)

// models are the models of a task by time, as the files beside it tell.
type models struct {
	changes []modelChange
	// project is the working directory that was told to the model.
	project string
	task    item
}

type modelChange struct {
	at              time.Time
	model, provider string
}

// loadModels reads the models that a task used: its metadata, else what was told
// to the model with each prompt.
func (d *document) loadModels(dir string, task item) models {
	m := models{task: task, project: task.project}
	if o, ok := jsonvalue.Parse(read(d.opt.Siblings, path.Join(dir, "task_metadata.json"))); ok {
		for _, v := range o["model_usage"].Elements() {
			u := v.Object()
			m.add(modelChange{u["ts"].Millis(), u["model_id"].Text(), u["model_provider_id"].Text()})
		}
	}
	if len(m.changes) == 0 || m.project == "" {
		m.fromConversation(read(d.opt.Siblings, path.Join(dir, "api_conversation_history.json")))
	}
	slices.SortStableFunc(m.changes, func(a, b modelChange) int { return a.at.Compare(b.at) })
	return m
}

func (m *models) add(c modelChange) {
	if c.model != "" && !c.at.IsZero() {
		m.changes = append(m.changes, c)
	}
}

// fromConversation looks for what the extension tells the model about itself
// and the machine in the environment_details of each prompt.
func (m *models) fromConversation(content []byte) {
	v, ok := whole(content)
	if !ok {
		return
	}
	told := len(m.changes) > 0
	for _, e := range v.Elements() {
		if !bytes.Contains(e, []byte("environment_details")) {
			continue
		}
		o := e.Object()
		if o["role"].Text() != "user" {
			continue
		}
		text := environment(o["content"])
		if m.project == "" {
			m.project = between(text, "Directory (", ")")
		}
		if !told {
			m.add(modelChange{at: o["ts"].Millis(), model: between(text, "<model>", "</model>")})
		}
	}
}

// environment is the part of a prompt that the extension wrote.
func environment(content jsonvalue.Value) string {
	parts := []string{content.Text()}
	for _, b := range content.Elements() {
		parts = append(parts, b.Object()["text"].Text())
	}
	for _, text := range slices.Backward(parts) {
		if i := strings.LastIndex(text, "<environment_details>"); i >= 0 {
			return text[i:]
		}
	}
	return ""
}

func between(text, from, to string) string {
	_, rest, ok := strings.Cut(text, from)
	if !ok {
		return ""
	}
	inside, _, ok := strings.Cut(rest, to)
	if !ok || strings.ContainsAny(inside, "\r\n") {
		return ""
	}
	return strings.TrimSpace(inside)
}

// of is the model of the request that began at a time and was followed by one at
// next (zero for the last): the last that was noted before that one.
func (m *models) of(next time.Time) (model, provider string) {
	for _, c := range slices.Backward(m.changes) {
		if next.IsZero() || c.at.Before(next) {
			return c.model, c.provider
		}
	}
	return m.task.model, ""
}
