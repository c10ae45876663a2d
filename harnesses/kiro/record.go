package kiro

import (
	"github.com/cespare/xxhash/v2"

	"meterbridge"
	"meterbridge/harnesses"
	"meterbridge/harnesses/facts"
	"meterbridge/harnesses/jsonvalue"
)

// record reads the file beside a conversation: its folder and the ends of turns.
type record struct{ opt harnesses.Options }

// Document implements harnesses.DocumentParser.
func (d *record) Document(content []byte, out *meterbridge.Batch) {
	w := facts.Writer{Harness: id, Out: out}
	o, ok := jsonvalue.Parse(content)
	if !ok {
		w.Problem(meterbridge.Place{Line: 1, Hash: xxhash.Sum64(content)}, "malformed-json", "a session is not a JSON object")
		return
	}
	session := sessionOf(d.opt.Rel)
	w.Session(meterbridge.Session{ID: session, Project: o["cwd"].Text(), Title: o["title"].Text(), TitleRank: meterbridge.TitleFromModel})
	for _, v := range o.At("session_state", "conversation_metadata", "user_turn_metadatas").Elements() {
		turn := v.Object()
		end := turn["end_timestamp"].Seconds()
		for _, prompt := range turn["message_ids"].Elements() { // the first is the prompt's
			if id := prompt.Text(); id != "" && !end.IsZero() {
				w.Turn(meterbridge.Turn{NativeID: scoped(session, id), Session: session, EndedAt: end, Outcome: "finished"})
			}
			break
		}
	}
}
