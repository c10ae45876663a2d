package cursor

import (
	"context"
	"strings"
	"time"

	"github.com/cespare/xxhash/v2"

	"meterbridge"
	"meterbridge/harnesses"
	"meterbridge/harnesses/facts"
	"meterbridge/harnesses/jsonvalue"
	"meterbridge/harnesses/snapshot"
	"meterbridge/harnesses/sqlite"
)

// overlap is how far behind the newest change the next reading begins, in ms.
const overlap = 60_000

const (
	composers = "composerData:"
	bubbles   = "bubbleId:"
)

// state is how far the conversations have been read.
type state struct {
	// Since is the newest change of a conversation, in ms; 0 before the first reading.
	Since int64 `json:"since"`
	// Row is the last row that was seen: what is wrong with those before it was named.
	Row int64 `json:"row"`
}

// openDatabase returns the parser of a state.vscdb.
func openDatabase(o harnesses.Options) harnesses.DatabaseParser {
	return snapshot.New(o, func(ctx context.Context, db *sqlite.DB, memory *state, found *meterbridge.Batch) error {
		r := reader{Writer: facts.Writer{Harness: id, Out: found}, db: db, since: memory.Since - overlap, told: memory.Row}
		err := r.read(ctx)
		memory.Since, memory.Row = max(memory.Since, r.newest), max(memory.Row, r.row)
		return err
	})
}

// reader reads one snapshot.
type reader struct {
	facts.Writer
	db            *sqlite.DB
	since, newest int64
	told, row     int64
}

func (r *reader) read(ctx context.Context) error {
	if _, err := r.db.Need(ctx, "cursorDiskKV", "key", "value"); err != nil {
		return err
	}
	return r.each(ctx, composers, func(key string, o jsonvalue.Object, _ meterbridge.Place) error {
		changed := max(whole(o["lastUpdatedAt"]), whole(o["createdAt"]))
		r.newest = max(r.newest, changed)
		if key == "" || changed <= r.since && r.told > 0 {
			return nil
		}
		r.composer(key, o)
		return r.conversation(ctx, key, o)
	})
}

// each calls f with every JSON object whose key begins with prefix; a value that
// is null is a conversation that was taken away.
func (r *reader) each(ctx context.Context, prefix string, f func(key string, o jsonvalue.Object, at meterbridge.Place) error) error {
	last := prefix[:len(prefix)-1] + string(prefix[len(prefix)-1]+1)
	const query = "SELECT rowid, CAST(key AS TEXT), CAST(value AS BLOB) FROM cursorDiskKV WHERE key >= ? AND key < ? ORDER BY key"
	return r.db.Each(ctx, query, []any{prefix, last}, func(row sqlite.Row) error {
		value := row.Bytes(2)
		n, _ := row.Int(0)
		at := meterbridge.Place{Line: n, Hash: xxhash.Sum64(value)}
		if jsonvalue.Value(value).Null() {
			return nil
		}
		r.row = max(r.row, n)
		o, ok := jsonvalue.Parse(value)
		if !ok && n > r.told {
			r.Problem(at, "malformed-json", "a record is not a JSON object")
		}
		if !ok {
			return nil
		}
		return f(strings.TrimPrefix(row.Text(1), prefix), o, at)
	})
}

func whole(v jsonvalue.Value) int64 {
	n, ok := v.Int()
	if !ok || v.Millis().IsZero() {
		return 0
	}
	return n
}

// composer tells of a conversation and of the agents that it started.
func (r *reader) composer(id string, o jsonvalue.Object) {
	s := meterbridge.Session{ID: id, Title: o["name"].Text(), TitleRank: meterbridge.TitleFromModel, Project: o.At("workspaceIdentifier", "uri", "fsPath").Text()}
	for _, repo := range o["trackedGitRepos"].Elements() {
		for _, b := range repo.Object()["branches"].Elements() {
			s.Branch = b.Object()["branchName"].Text()
			break
		}
		break
	}
	r.Session(s)
	for _, sub := range o["subComposerIds"].Elements() {
		if child := sub.Text(); child != "" && child != id {
			r.Session(meterbridge.Session{ID: child, Parent: id, Relation: meterbridge.SubAgent})
		}
	}
}

// conversation tells of the messages of a conversation, which are records of
// their own; old builds kept them inside it.
func (r *reader) conversation(ctx context.Context, id string, o jsonvalue.Object) error {
	c := conversation{reader: r, id: id, created: o["createdAt"].Millis(), started: !o["subagentInfo"].Null(), project: o.At("workspaceIdentifier", "uri", "fsPath").Text()}
	for i, v := range o["conversation"].Elements() {
		b := v.Object()
		c.bubble(b["bubbleId"].Text(), b, meterbridge.Place{Line: int64(i) + 1, Hash: xxhash.Sum64(v)})
	}
	err := r.each(ctx, bubbles+id+":", func(key string, b jsonvalue.Object, at meterbridge.Place) error {
		c.bubble(key, b, at)
		return nil
	})
	c.end()
	return err
}

// conversation gathers what its messages, which come in no order, tell together.
type conversation struct {
	*reader
	id, project string
	created     time.Time
	// started: an agent started the conversation, so its prompts are no person's.
	started bool
	reply   string
	replied time.Time
}

// The kinds of messages.
const (
	user  = 1
	agent = 2
)

func (c *conversation) bubble(id string, o jsonvalue.Object, at meterbridge.Place) {
	if id == "" {
		return
	}
	now := o["createdAt"].Time()
	if now.IsZero() {
		now = o["createdAt"].Millis()
	}
	text := o["text"].Text()
	switch kind, _ := o["type"].Int(); kind {
	case user:
		if now.IsZero() {
			now = c.created
		}
		if !now.IsZero() && !c.started {
			c.Prompt(meterbridge.Prompt{NativeID: c.id + "/" + id, Session: c.id, Project: c.project, At: now, Preview: text, Place: at})
		}
	case agent:
		c.call(id, o["toolFormerData"].Object(), now)
		if strings.TrimSpace(text) != "" && !now.Before(c.replied) {
			c.reply, c.replied = text, now
		}
	}
}

func (c *conversation) call(id string, o jsonvalue.Object, now time.Time) {
	name := o["name"].Text()
	if name == "" {
		return
	}
	call := meterbridge.ToolCall{NativeID: c.id + "/" + id, Session: c.id, Name: name, StartedAt: now}
	switch o["status"].Text() {
	case "completed", "success":
		call.OK = facts.Outcome(true)
	case "error", "cancelled", "rejected":
		call.OK = facts.Outcome(false)
	}
	c.Call(call)
}

func (c *conversation) end() {
	if c.reply != "" {
		c.Session(meterbridge.Session{ID: c.id, LastReply: c.reply, LastReplyAt: c.replied})
	}
}
