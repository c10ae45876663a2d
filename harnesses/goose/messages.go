package goose

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/cespare/xxhash/v2"

	"meterbridge"
	"meterbridge/harnesses/facts"
	"meterbridge/harnesses/instant"
	"meterbridge/harnesses/jsonvalue"
	"meterbridge/harnesses/sqlite"
)

// messages reads the messages that are new: prompts, tool calls and replies.
func (r *reader) messages(ctx context.Context) error {
	cols, err := r.db.Columns(ctx, "messages")
	if err != nil || !cols.Has("id", "session_id", "role", "content_json", "created_timestamp") {
		return err
	}
	if err := r.restart(ctx, "messages", &r.state.Message); err != nil {
		return err
	}
	query := "SELECT id, " + cols.Or("message_id", "NULL") + ", session_id, role, CAST(content_json AS BLOB), created_timestamp, " +
		"CAST(" + cols.Or("metadata_json", "NULL") + " AS BLOB) FROM messages WHERE id > ? ORDER BY id"
	return r.db.Each(ctx, query, []any{r.state.Message}, func(row sqlite.Row) error {
		r.message(row)
		return nil
	})
}

// message is one row of messages.
type message struct {
	native, session string
	at              time.Time
	place           meterbridge.Place
	texts           []string
	// results: it brings results of tools, so no person wrote it.
	results bool
}

func (r *reader) message(row sqlite.Row) {
	n, _ := row.Int(0)
	r.state.Message = n
	created, _ := row.Int(5)
	content := row.Bytes(4)
	m := message{session: row.Text(2), at: instant.EitherUnit(created), place: meterbridge.Place{Line: n, Hash: xxhash.Sum64(content)}}
	m.native = m.session + "/" + row.Text(1)
	if row.Text(1) == "" { // a compaction writes messages again under new numbers
		m.native = m.session + "/" + strconv.FormatInt(created, 10) + "/" + strconv.FormatUint(m.place.Hash, 16)
	}
	if m.session == "" {
		return
	}
	for _, v := range jsonvalue.Value(content).Elements() {
		r.part(&m, v.Object())
	}
	metadata, _ := jsonvalue.Parse(row.Bytes(6))
	text := strings.Join(m.texts, "\n")
	switch role := row.Text(3); {
	case text == "" || m.at.IsZero():
	case role == "assistant":
		r.Session(meterbridge.Session{ID: m.session, LastReply: text, LastReplyAt: m.at})
	case role == "user" && !m.results && !metadata["userVisible"].False() && r.typed(m.session):
		r.Prompt(meterbridge.Prompt{NativeID: m.native, Session: m.session, At: m.at, Preview: text, Place: m.place, Project: r.projectOf(m.session)})
	}
}

// typed reports whether a person writes the prompts of a session.
func (r *reader) typed(id string) bool {
	s := r.sessions[id]
	return s == nil || s.parent == "" && s.kind != "sub_agent" && s.kind != "hidden"
}

func (r *reader) projectOf(id string) string {
	if s := r.sessions[id]; s != nil {
		return s.project
	}
	return ""
}

func (r *reader) part(m *message, o jsonvalue.Object) {
	switch o["type"].Text() {
	case "text":
		if t := o["text"].Text(); strings.TrimSpace(t) != "" {
			m.texts = append(m.texts, t)
		}
	case "toolRequest":
		if id := o["id"].Text(); id != "" {
			r.Call(meterbridge.ToolCall{NativeID: m.session + "/" + id, Session: m.session, Name: o.At("toolCall", "value", "name").Text(), StartedAt: m.at})
		}
	case "toolResponse":
		m.results = true
		if id := o["id"].Text(); id != "" {
			r.Call(meterbridge.ToolCall{NativeID: m.session + "/" + id, Session: m.session, EndedAt: m.at, OK: outcome(o["toolResult"].Object())})
		}
	}
}

func outcome(o jsonvalue.Object) *bool {
	switch o["status"].Text() {
	case "success":
		return facts.Outcome(!o.At("value", "isError").True())
	case "error":
		return facts.Outcome(false)
	}
	return nil
}

// nativeOf is the id of a row of the ledger. Row numbers and session names begin
// anew in each database; with the time that is written beside them they are one
// request's.
func nativeOf(session string, row, created int64) string {
	return session + "/" + strconv.FormatInt(row, 10) + "@" + strconv.FormatInt(created, 10)
}
