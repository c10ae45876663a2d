package hermes

import (
	"context"
	"fmt"
	"strings"
	"time"

	"meterbridge"
	"meterbridge/harnesses/jsonvalue"
	"meterbridge/harnesses/sqlite"
)

// longestReply bounds the characters of a last reply that are kept.
const longestReply = 1 << 15

// loadEnds finds when each session's newest message was written.
func (r *reader) loadEnds(ctx context.Context) error {
	c, err := r.db.Columns(ctx, "messages")
	if err != nil || !c.Has("session_id", "timestamp") {
		return err
	}
	return r.db.Each(ctx, "SELECT session_id, max(timestamp) FROM messages GROUP BY session_id", nil, func(v sqlite.Row) error {
		r.session(strings.Clone(v.Text(0))).spoke = seconds(v, 1)
		return nil
	})
}

// message is a row of messages.
type message struct {
	id                    int64
	role, text, call      string
	calls                 jsonvalue.Value
	at                    time.Time
	summary, shown, stays bool
	session               *session
}

// messages reads the rows that are new. When the last one seen is gone, rows were
// taken away, and all are read again.
func (r *reader) messages(ctx context.Context) error {
	c, err := r.db.Columns(ctx, "messages")
	if err != nil || !c.Has("id", "session_id", "role", "timestamp") {
		return err
	}
	err = r.db.Each(ctx, "SELECT max(id) FROM messages", nil, func(v sqlite.Row) error {
		if greatest, ok := v.Int(0); !ok || greatest < r.memory.Message {
			r.memory.Message = 0
		}
		return nil
	})
	if err != nil {
		return err
	}
	query := "SELECT id, session_id, role, timestamp"
	for _, o := range [][2]string{{"content", "NULL"}, {"tool_calls", "NULL"}, {"tool_call_id", "NULL"}, {"_compressed_summary", "0"}, {"active", "1"}, {"compacted", "0"}, {"display_kind", "NULL"}} {
		query += ", " + c.Or(o[0], o[1])
	}
	return r.db.Each(ctx, query+" FROM messages WHERE id > ? ORDER BY id", []any{r.memory.Message}, func(v sqlite.Row) error {
		m := message{role: v.Text(2), at: seconds(v, 3), text: v.Text(4), calls: v.Bytes(5), call: v.Text(6), session: r.session(strings.Clone(v.Text(1)))}
		m.id, _ = v.Int(0)
		summary, _ := v.Int(7)
		active, _ := v.Int(8)
		compacted, _ := v.Int(9)
		m.summary, m.stays, m.shown = summary != 0, active != 0 || compacted != 0, v.Text(10) != "hidden"
		r.memory.Message = max(r.memory.Message, m.id)
		r.message(&m)
		return nil
	})
}

func (r *reader) message(m *message) {
	s := m.session
	if m.at.IsZero() || m.at.Before(s.started.Add(-time.Second)) && s.branched {
		return // a fork copied it
	}
	switch m.role {
	case "user":
		r.prompt(m)
	case "assistant":
		if m.text != "" && !m.summary && !m.at.Before(s.replied) {
			s.reply, s.replied = clip(m.text), m.at
		}
		r.calls(m)
	case "tool":
		if m.call != "" {
			r.Call(meterbridge.ToolCall{NativeID: s.id + "/" + m.call, Session: s.id, EndedAt: m.at})
		}
	}
}

// prompt tells of what a person typed: nothing that the program wrote in a
// person's place, hid or took back, and nothing in a session that an agent began.
func (r *reader) prompt(m *message) {
	s := m.session
	text := strings.TrimSpace(m.text)
	switch {
	case m.summary || !m.stays || !m.shown:
	case strings.HasPrefix(text, "[CONTEXT COMPACTION") || strings.HasPrefix(text, "[CONTEXT SUMMARY]"):
	case s.source == "tool" || s.relation(r.sessions[s.parent]) == meterbridge.SubAgent:
	default:
		r.Prompt(meterbridge.Prompt{
			NativeID: fmt.Sprintf("%s/%d", s.id, m.id), Session: s.id, Project: s.cwd, At: m.at, Preview: text, Place: meterbridge.Place{Line: m.id},
		})
	}
}

// calls tells of the calls that an answer asks for.
func (r *reader) calls(m *message) {
	for _, v := range m.calls.Elements() {
		o := v.Object()
		if id := o["id"].Text(); id != "" {
			r.Call(meterbridge.ToolCall{NativeID: m.session.id + "/" + id, Session: m.session.id, Name: o.At("function", "name").Text(), StartedAt: m.at})
		}
	}
}

// clip is the beginning of a reply, as far as it is kept.
func clip(text string) string {
	if len(text) <= longestReply {
		return text
	}
	return strings.ToValidUTF8(text[:longestReply], "")
}
