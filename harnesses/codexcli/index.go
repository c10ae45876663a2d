package codexcli

import (
	"bytes"
	"encoding/json"

	"meterbridge"
	"meterbridge/harnesses"
	"meterbridge/harnesses/walk"
)

// index reads session_index.jsonl: names of threads, the last row of an id wins.
type index struct{}

// Line implements harnesses.LineParser.
func (*index) Line(line []byte, at meterbridge.Place, out *meterbridge.Batch) {
	if line = bytes.TrimSpace(bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))); len(line) == 0 {
		return
	}
	if c := walk.Over(line); c.Raw() == nil || !c.End() {
		if !json.Valid(line) {
			out.Problems = append(out.Problems, meterbridge.Problem{
				Reason: "malformed-json", Detail: "a line is not valid JSON", Place: at,
			})
			return
		}
	}
	thread, title := text(member(line, "id")), text(member(line, "thread_name"))
	if thread == "" || title == "" {
		return
	}
	out.Sessions = append(out.Sessions, meterbridge.Session{
		Harness: id, ID: thread, Title: title, TitleRank: meterbridge.TitleFromUser,
	})
}

// Flush implements harnesses.LineParser; nothing is ever held back.
func (*index) Flush(*meterbridge.Batch) {}

// State implements harnesses.LineParser; nothing need be remembered.
func (*index) State() []byte { return nil }

// oldRollout reads the rollout of the first builds, one JSON document: a
// session and its items, without any usage.
type oldRollout struct{ opt harnesses.Options }

// Document implements harnesses.DocumentParser.
func (o *oldRollout) Document(content []byte, out *meterbridge.Batch) {
	content = bytes.TrimSpace(content)
	if !json.Valid(content) {
		out.Problems = append(out.Problems, meterbridge.Problem{Reason: "malformed-json", Detail: "the file is not valid JSON"})
		return
	}
	thread := text(member(member(content, "session"), "id"))
	if thread == "" {
		thread = threadOfName(o.opt.Path)
	}
	out.Sessions = append(out.Sessions, meterbridge.Session{Harness: id, ID: thread})
}
