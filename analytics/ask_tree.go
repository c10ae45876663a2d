package analytics

import (
	"context"
	"database/sql"
	"math"
	"strings"
	"time"
)

// branch is a session of a tree: a session, or one of its sub-agents.
type branch struct {
	id               int64
	native           string
	parent           *string
	agentType, title *string
	firstAt, lastAt  *time.Time
}

// tree is a session (first) and its sub-agents at any depth.
type tree []branch

func treeOf(ctx context.Context, q querier, id int64) (tree, error) {
	return collect(ctx, q, "tree", func(rows *sql.Rows, b *branch) error {
		return rows.Scan(&b.id, &b.native, text{&b.parent}, text{&b.agentType}, text{&b.title}, moment{&b.firstAt}, moment{&b.lastAt})
	}, id)
}

func (t tree) ids() []int32 {
	ids := make([]int32, len(t))
	for i, b := range t {
		ids[i] = int32(b.id)
	}
	return ids
}

// life bounds the times of the tree's requests: every query over requests
// carries it, so that only the row groups of that time are read.
func (t tree) life() (from, to int64) {
	from, to = math.MaxInt64, math.MinInt64
	for _, b := range t {
		if b.firstAt != nil && b.lastAt != nil {
			from, to = min(from, b.firstAt.UnixMilli()), max(to, b.lastAt.UnixMilli())
		}
	}
	return from, to
}

// within narrows a window to the tree's life; to is exclusive.
func (t tree) within(from, to int64) (int64, int64) {
	first, last := t.life()
	if last < first {
		return from, from
	}
	return max(from, first), min(to, last+1)
}

// agentID is the id of a sub-agent without the part that its root's id repeats.
func (t tree) agentID(i int) string {
	return strings.TrimPrefix(t[i].native, t[0].native+"/")
}
