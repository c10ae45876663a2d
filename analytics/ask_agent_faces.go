package analytics

import (
	"context"
	"database/sql"
	"time"
)

// AgentFace is what the logs say of an agent's newest session; empty for what they
// do not say.
type AgentFace struct {
	Session, Title, Model string
	// LastReply is the newest text of the agent, LastReplyAt its time.
	LastReply   string
	LastReplyAt time.Time
}

// AgentFaces are what the logs say of agents, by id.
func (l *Ledger) AgentFaces(ctx context.Context) (map[string]AgentFace, error) {
	faces := map[string]AgentFace{}
	err := l.reading(ctx, func(q *sql.Conn) error {
		_, err := collect(ctx, q, "agent_faces", func(rows *sql.Rows, _ *struct{}) error {
			var agent, harness string
			var title, model, reply sql.NullString
			var at sql.NullInt64
			var f AgentFace
			err := rows.Scan(&agent, &harness, &f.Session, &title, &model, &reply, &at)
			f.Title, f.Model, f.LastReply, f.LastReplyAt = title.String, model.String, reply.String, fromNull(at)
			faces[agent] = f
			return err
		})
		return err
	})
	return faces, err
}
