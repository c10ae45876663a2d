package warp

import (
	"context"
	"strings"

	"github.com/cespare/xxhash/v2"

	"meterbridge"
	"meterbridge/harnesses"
	"meterbridge/harnesses/facts"
	"meterbridge/harnesses/instant"
	"meterbridge/harnesses/jsonvalue"
	"meterbridge/harnesses/snapshot"
	"meterbridge/harnesses/sqlite"
)

// overlap is how many rows of exchanges are read again: one that runs is filled
// in place.
const overlap = 64

// state is how far the exchanges have been read.
type state struct {
	Row int64 `json:"row"`
}

// reader reads one snapshot.
type reader struct {
	facts.Writer
	db    *sqlite.DB
	state *state
}

func openDatabase(o harnesses.Options) harnesses.DatabaseParser {
	return snapshot.New(o, func(ctx context.Context, db *sqlite.DB, memory *state, found *meterbridge.Batch) error {
		r := reader{Writer: facts.Writer{Harness: id, Store: store, Trace: o.Trace, Out: found}, db: db, state: memory}
		if err := r.conversations(ctx); err != nil {
			return err
		}
		return r.exchanges(ctx)
	})
}

// conversations reads what is known of each conversation, and names its totals.
func (r *reader) conversations(ctx context.Context) error {
	if _, err := r.db.Need(ctx, "agent_conversations", "conversation_id", "conversation_data", "last_modified_at"); err != nil {
		return err
	}
	const query = "SELECT rowid, conversation_id, CAST(conversation_data AS BLOB), CAST(last_modified_at AS TEXT) FROM agent_conversations ORDER BY rowid"
	return r.db.Each(ctx, query, nil, func(row sqlite.Row) error {
		r.conversation(row)
		return nil
	})
}

func (r *reader) conversation(row sqlite.Row) {
	n, _ := row.Int(0)
	name, at := row.Text(1), meterbridge.Place{Line: n, Hash: xxhash.Sum64(row.Bytes(2))}
	if name == "" {
		return
	}
	o, ok := jsonvalue.Parse(row.Bytes(2))
	if !ok {
		r.Problem(at, "malformed-json", "a conversation is not a JSON object")
		return
	}
	s := meterbridge.Session{ID: name, AgentType: o["agent_name"].Text()}
	if parent := o["parent_conversation_id"].Text(); parent != "" && parent != name {
		s.Parent, s.Relation = parent, meterbridge.SubAgent
	}
	r.Session(s)
	for _, v := range o.At("conversation_usage_metadata", "token_usage").Elements() {
		used := v.Object()
		r.Drop(meterbridge.Request{Session: name, Model: used["model_id"].Text(), EndedAt: instant.ISO(row.Text(3)), Place: at}, "total-without-classes")
	}
}

// exchanges reads the exchanges with the model.
func (r *reader) exchanges(ctx context.Context) error {
	cols, err := r.db.Columns(ctx, "ai_queries")
	if err != nil || !cols.Has("exchange_id", "conversation_id", "start_ts") {
		return err
	}
	query := "SELECT rowid, exchange_id, conversation_id, CAST(start_ts AS TEXT), CAST(" + cols.Or("input", "NULL") + " AS BLOB), " +
		cols.Or("working_directory", "NULL") + ", " + cols.Or("output_status", "NULL") + ", " + cols.Or("model_id", "NULL") +
		" FROM ai_queries WHERE rowid > ? ORDER BY rowid"
	return r.db.Each(ctx, query, []any{r.state.Row - overlap}, func(row sqlite.Row) error {
		n, _ := row.Int(0)
		r.state.Row = max(r.state.Row, n)
		r.exchange(row, meterbridge.Place{Line: n, Hash: xxhash.Sum64(row.Bytes(4))})
		return nil
	})
}

// exchange is one request; what it spent is not told.
func (r *reader) exchange(row sqlite.Row, at meterbridge.Place) {
	exchange, session, sent := row.Text(1), row.Text(2), instant.ISO(row.Text(3))
	if exchange == "" || session == "" || sent.IsZero() {
		return
	}
	project := row.Text(5)
	r.Session(meterbridge.Session{ID: session, Project: project})
	for _, v := range jsonvalue.Value(row.Bytes(4)).Elements() {
		text := v.Object().At("Query", "text").Text()
		if strings.TrimSpace(text) == "" {
			continue
		}
		r.Prompt(meterbridge.Prompt{NativeID: exchange, Session: session, Project: project, At: sent, Preview: text, Place: at})
		r.Session(meterbridge.Session{ID: session, Title: text, TitleRank: meterbridge.TitleFromPrompt})
		break
	}
	status := strings.Trim(row.Text(6), `"`)
	if status == "Failed" {
		r.Event(meterbridge.Event{Session: session, At: sent, Kind: "error", Place: at})
		return
	}
	if status != "Completed" && status != "Cancelled" {
		return
	}
	r.Request(meterbridge.Request{
		NativeID: exchange, Session: session, Project: project, Model: row.Text(7), EndedAt: sent,
		Aborted: status == "Cancelled", Rule: "without-usage", Place: at,
	})
}
