package crush

import (
	"context"
	"strings"
	"time"

	"github.com/cespare/xxhash/v2"

	"meterbridge"
	"meterbridge/harnesses/facts"
	"meterbridge/harnesses/instant"
	"meterbridge/harnesses/jsonvalue"
	"meterbridge/harnesses/sqlite"
)

// messages reads the messages that changed.
func (r *reader) messages(ctx context.Context, cols sqlite.Columns) error {
	query := "SELECT rowid, id, session_id, role, CAST(parts AS BLOB), model, created_at, updated_at, finished_at, " +
		cols.Or("provider", "NULL") + " FROM messages WHERE updated_at >= ? ORDER BY created_at, rowid"
	return r.db.Each(ctx, query, []any{r.state.Since - overlap}, func(row sqlite.Row) error {
		r.message(row)
		return nil
	})
}

// message is one row of messages.
type message struct {
	id, session, role string
	// created and finished are zero where they are not told.
	created, finished time.Time
	text              string
	tools             []string
	place             meterbridge.Place
}

func (r *reader) message(row sqlite.Row) {
	updated, _ := row.Int(7)
	r.state.Since = max(r.state.Since, updated)
	n, _ := row.Int(0)
	created, _ := row.Int(6)
	finished, _ := row.Int(8)
	m := message{
		id: row.Text(1), session: row.Text(2), role: row.Text(3), created: instant.EitherUnit(created), finished: instant.EitherUnit(finished),
		place: meterbridge.Place{Line: n, Hash: xxhash.Sum64(row.Bytes(4))},
	}
	if m.id == "" || m.session == "" {
		return
	}
	for _, v := range jsonvalue.Value(row.Bytes(4)).Elements() {
		r.part(&m, v.Object())
	}
	switch {
	case m.role == "user" && !m.created.IsZero() && !r.sub[m.session]:
		r.Prompt(meterbridge.Prompt{NativeID: m.id, Session: m.session, Project: r.project, At: m.created, Preview: m.text, Place: m.place})
	case m.role == "assistant" && !m.finished.IsZero():
		r.answer(&m, row)
	}
}

// answer tells of a finished request; its tokens are not kept.
func (r *reader) answer(m *message, row sqlite.Row) {
	r.Request(meterbridge.Request{
		NativeID: m.id, Session: m.session, Project: r.project, Model: row.Text(5), Provider: row.Text(9),
		StartedAt: m.created, EndedAt: m.finished, Tools: m.tools, Rule: "without-usage", Place: m.place,
	})
	if m.text != "" {
		r.Session(meterbridge.Session{ID: m.session, LastReply: m.text, LastReplyAt: m.finished})
	}
}

func (r *reader) part(m *message, o jsonvalue.Object) {
	data := o["data"].Object()
	switch o["type"].Text() {
	case "text":
		if t := data["text"].Text(); strings.TrimSpace(t) != "" {
			m.text = t
		}
	case "tool_call":
		if call := data["id"].Text(); call != "" {
			m.tools = append(m.tools, data["name"].Text())
			r.Call(meterbridge.ToolCall{NativeID: m.session + "/" + call, Session: m.session, Request: m.id, Name: data["name"].Text(), StartedAt: m.created})
		}
	case "tool_result":
		if call := data["tool_call_id"].Text(); call != "" {
			r.Call(meterbridge.ToolCall{NativeID: m.session + "/" + call, Session: m.session, EndedAt: m.created, OK: facts.Outcome(!data["is_error"].True())})
		}
	}
}
