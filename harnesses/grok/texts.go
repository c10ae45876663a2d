package grok

import (
	"encoding/json"
	"strings"

	"github.com/cespare/xxhash/v2"

	"meterbridge"
	"meterbridge/harnesses"
	"meterbridge/harnesses/facts"
	"meterbridge/harnesses/jsonvalue"
)

// summary reads the file that tells of a session as a whole.
type summary struct{ opt harnesses.Options }

// Document implements harnesses.DocumentParser.
func (d *summary) Document(content []byte, out *meterbridge.Batch) {
	w := facts.Writer{Harness: id, Out: out}
	o, ok := jsonvalue.Parse(content)
	if !ok {
		w.Problem(meterbridge.Place{Line: 1, Hash: xxhash.Sum64(content)}, "malformed-json", "a summary is not a JSON object")
		return
	}
	s := meterbridge.Session{ID: sessionOf(d.opt.Rel), Project: o["cwd"].Text(), Title: o["generated_title"].Text(), TitleRank: meterbridge.TitleFromModel}
	if s.Project == "" {
		s.Project = o.At("info", "cwd").Text()
	}
	if s.Title == "" {
		s.Title, s.TitleRank = o["session_summary"].Text(), meterbridge.TitleFromSummary
	}
	w.Session(s)
}

// history reads the texts of a chat, which have no times.
type history struct {
	facts.Writer
	session string
	m       struct {
		// Titled: the first prompt was seen.
		Titled bool `json:"titled,omitempty"`
	}
}

func newHistory(o harnesses.Options) *history {
	h := &history{Writer: facts.Writer{Harness: id}, session: sessionOf(o.Rel)}
	if json.Unmarshal(o.State, &h.m) != nil {
		h.m.Titled = false
	}
	return h
}

// Line implements harnesses.LineParser.
func (h *history) Line(line []byte, at meterbridge.Place, out *meterbridge.Batch) {
	h.Out = out
	o, ok := h.Object(line, at)
	if !ok {
		return
	}
	text := strings.TrimSpace(o["content"].Text())
	switch {
	case text == "":
	case o["type"].Text() == "assistant":
		h.Session(meterbridge.Session{ID: h.session, LastReply: text})
	case o["type"].Text() == "user" && !h.m.Titled:
		h.m.Titled = true
		h.Session(meterbridge.Session{ID: h.session, Title: text, TitleRank: meterbridge.TitleFromPrompt})
	}
}

// Flush implements harnesses.LineParser.
func (h *history) Flush(*meterbridge.Batch) {}

// State implements harnesses.LineParser.
func (h *history) State() []byte {
	return facts.State(h.m)
}
