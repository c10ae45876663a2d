package analytics

import (
	"context"
	"database/sql"
	"math"
	"slices"
	"strings"
	"time"
)

// branch is a session of a tree: a session, or one of its sub-agents.
type branch struct {
	// above is the number of its parent, 0 without one.
	id, above        int64
	subagent         bool
	native           string
	parent           *string
	agentType, title *string
	firstAt, lastAt  *time.Time
}

// tree is a session (first) and its sub-agents at any depth.
type tree []branch

// treeOf is the session with what lies below it, generation by generation.
func treeOf(ctx context.Context, q querier, id int64) (tree, error) {
	family, err := collect(ctx, q, "tree", func(rows *sql.Rows, b *branch) error {
		return rows.Scan(&b.id, &b.native, &b.above, text{&b.parent}, &b.subagent, text{&b.agentType}, text{&b.title}, moment{&b.firstAt}, moment{&b.lastAt})
	}, id)
	if err != nil {
		return nil, err
	}
	return grow(family, id), nil
}

// grow makes the tree of a session out of all sessions of its root.
func grow(family []branch, id int64) tree {
	below := map[int64][]branch{}
	var t tree
	for _, b := range family {
		if b.id == id {
			t = append(t, b)
		} else if b.subagent {
			below[b.above] = append(below[b.above], b)
		}
	}
	for from, depth := 0, 0; from < len(t) && depth < deepest; depth++ {
		generation := t[from:]
		from = len(t)
		var next tree
		for _, b := range generation {
			next = append(next, below[b.id]...)
			delete(below, b.id) // who is among its own ancestors comes once
		}
		slices.SortStableFunc(next, older)
		t = append(t, next...)
	}
	return t
}

// older orders a generation: by the first request, those without one last, then by id.
func older(a, b branch) int {
	switch {
	case a.firstAt != nil && b.firstAt != nil && !a.firstAt.Equal(*b.firstAt):
		return a.firstAt.Compare(*b.firstAt)
	case a.firstAt != nil && b.firstAt == nil:
		return -1
	case a.firstAt == nil && b.firstAt != nil:
		return 1
	}
	return strings.Compare(a.native, b.native)
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
