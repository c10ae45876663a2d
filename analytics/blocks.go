package analytics

import (
	"cmp"
	"database/sql"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// blockLength is the window of a provider's short limit.
const blockLength = 5 * time.Hour

// resetJitter is how far two logged resets of one window may lie apart.
const resetJitter = 10 * time.Minute

// block is five hours of one harness: up to a reset that a log tells, or begun
// at the full hour of the first request outside the block before.
type block struct {
	harness    int32
	start, end time.Time
	recorded   bool
}

// blockKey is the number of the block of the instant {at}, NULL outside all.
const blockKey = "(CASE WHEN {at} < recorded_block.end_at THEN recorded_block.n WHEN {at} < inferred_block.end_at THEN inferred_block.n END)"

// resolveBlocks forms the blocks out of everything that the ledger has, so that
// a filter does not move them.
func (u *usage) resolveBlocks() error {
	if u.q.By != "block" {
		return nil
	}
	if err := u.recordedBlocks(); err != nil {
		return err
	}
	inferred, err := u.inferredBlocks()
	u.blocks = append(u.blocks, inferred...)
	slices.SortStableFunc(u.blocks, func(a, b block) int {
		return cmp.Or(a.start.Compare(b.start), cmp.Compare(a.harness, b.harness))
	})
	return err
}

// recordedBlocks end at the resets that logs tell of five-hour limits.
func (u *usage) recordedBlocks() error {
	return u.each(usageFile("block_resets"), func(rows *sql.Rows) error {
		var harness int32
		var ms int64
		if err := rows.Scan(&harness, &ms); err != nil {
			return err
		}
		reset := fromMilli(ms)
		b := block{harness: harness, start: reset.Add(-blockLength), end: reset, recorded: true}
		if n := len(u.blocks); n > 0 && u.blocks[n-1].harness == harness {
			before := &u.blocks[n-1]
			if reset.Sub(before.end) <= resetJitter {
				before.end = reset
				return nil
			}
			if b.start.Before(before.end) {
				b.start = before.end
			}
		}
		u.blocks = append(u.blocks, b)
		return nil
	})
}

// inferredBlocks hold the requests outside recorded ones. Blocks begin and end
// at full hours, so the hours with a request are enough to form them.
func (u *usage) inferredBlocks() ([]block, error) {
	var blocks []block
	query := fill(usageFile("block_hours"), map[string]string{"join": u.blockJoin("r.harness", "r.ended_at")})
	err := u.each(query, func(rows *sql.Rows) error {
		var harness int32
		var hour int64
		if err := rows.Scan(&harness, &hour); err != nil {
			return err
		}
		start := fromMilli(hour * hourMillis)
		if n := len(blocks); n > 0 && blocks[n-1].harness == harness && start.Before(blocks[n-1].end) {
			return nil
		}
		blocks = append(blocks, block{harness: harness, start: start, end: start.Add(blockLength)})
		return nil
	})
	return blocks, err
}

// blockJoin joins the blocks to rows with this harness at this time.
func (u *usage) blockJoin(harness, at string) string {
	join := ""
	for _, kind := range []string{"recorded", "inferred"} {
		values := []string{"(-1, 0::BIGINT, 0::BIGINT, -1)"}
		for n, b := range u.blocks {
			if b.recorded == (kind == "recorded") {
				values = append(values, fmt.Sprintf("(%d, %d, %d, %d)", b.harness, b.start.UnixMilli(), b.end.UnixMilli(), n))
			}
		}
		join += fmt.Sprintf(" ASOF LEFT JOIN (VALUES %s) AS %s_block(harness, start_at, end_at, n) ON %s_block.harness = %s AND %s >= %s_block.start_at",
			strings.Join(values, ", "), kind, kind, harness, at, kind)
	}
	return join
}

// block is the block with the number key.
func (u *usage) block(key string) block {
	n, err := strconv.Atoi(key)
	if err != nil || n < 0 || n >= len(u.blocks) {
		return block{}
	}
	return u.blocks[n]
}

// row is the block as its report shows it.
func (b block) row(u *usage) *BlockRow {
	source := "inferred"
	if b.recorded {
		source = "recorded"
	}
	return &BlockRow{
		EndAt: b.end.In(u.q.Zone), ResetSource: source,
		Active: !u.now.Before(b.start) && u.now.Before(b.end),
	}
}
