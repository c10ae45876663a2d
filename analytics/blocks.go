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
	harness    string
	harnessID  int32
	start, end time.Time
	recorded   bool
}

// inferredKey is added to the hour in the key of a request outside recorded
// blocks, so that it is not taken for the number of a recorded one.
const inferredKey = 1_000_000_000

// blockKey is SQL for the recorded block, else the full hour, of the instant {at}.
func (u *usage) blockKey() string {
	hour := fmt.Sprintf("%s + %d", floorDiv("{at}", hourMillis), inferredKey)
	if u.recorded == 0 {
		return "(" + hour + ")"
	}
	return "(CASE WHEN {at} < recorded_block.end_at THEN recorded_block.n ELSE " + hour + " END)"
}

// resolveBlocks forms the blocks out of everything that the ledger has, so that
// a filter does not move them.
func (u *usage) resolveBlocks() error {
	if u.q.By != "block" {
		return nil
	}
	if err := u.recordedBlocks(); err != nil {
		return err
	}
	u.recorded = len(u.blocks)
	return u.inferredBlocks()
}

// recordedBlocks end at the resets that logs tell of five-hour limits.
func (u *usage) recordedBlocks() error {
	return u.each(usageFile("block_resets"), func(rows *sql.Rows) error {
		var b block
		var ms int64
		if err := rows.Scan(&b.harnessID, &b.harness, &ms); err != nil {
			return err
		}
		reset := fromMilli(ms)
		b.start, b.end, b.recorded = reset.Add(-blockLength), reset, true
		if n := len(u.blocks); n > 0 && u.blocks[n-1].harness == b.harness {
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
// at full hours, so the hours with a request are enough to form them. A prompt
// that nothing has answered yet, after all blocks, begins one as its request will.
func (u *usage) inferredBlocks() error {
	outside := ""
	if u.recorded > 0 {
		outside = "WHERE (r.at < recorded_block.end_at) IS NOT TRUE"
	}
	query := fill(usageFile("block_hours"), map[string]string{"join": u.blockJoin("r.harness", "r.at"), "outside": outside, "hour": floorDiv("r.at", hourMillis)})
	return u.each(query, func(rows *sql.Rows) error {
		var b block
		var hour int64
		if err := rows.Scan(&b.harnessID, &b.harness, &hour); err != nil {
			return err
		}
		b.start = fromMilli(hour * hourMillis)
		b.end = b.start.Add(blockLength)
		if n := len(u.blocks); n > u.recorded && u.blocks[n-1].harness == b.harness && b.start.Before(u.blocks[n-1].end) {
			return nil
		}
		u.blocks = append(u.blocks, b)
		return nil
	})
}

// blockJoin joins the recorded blocks to rows with this harness at this time.
func (u *usage) blockJoin(harness, at string) string {
	if u.recorded == 0 {
		return ""
	}
	values := make([]string, u.recorded)
	for n, b := range u.blocks[:u.recorded] {
		values[n] = fmt.Sprintf("(%d, %d, %d, %d)", b.harnessID, b.start.UnixMilli(), b.end.UnixMilli(), n)
	}
	return fmt.Sprintf(" ASOF LEFT JOIN (VALUES %s) AS recorded_block(harness, start_at, end_at, n) ON recorded_block.harness = %s AND %s >= recorded_block.start_at",
		strings.Join(values, ", "), harness, at)
}

// blockOf is the number of the block of a key, as text. A prompt outside all
// blocks belongs to the next one of its harness, which its answer began.
func (u *usage) blockOf(key, harness string) string {
	n, err := strconv.ParseInt(key, 10, 64)
	if err != nil || n < inferredKey/2 {
		return key
	}
	at := fromMilli((n - inferredKey) * hourMillis)
	// Inferred blocks lie by harness, then by time.
	inferred := u.blocks[u.recorded:]
	i, found := slices.BinarySearchFunc(inferred, block{harness: harness, start: at}, func(a, b block) int {
		return cmp.Or(cmp.Compare(a.harness, b.harness), a.start.Compare(b.start))
	})
	if !found {
		i--
	}
	if i < 0 || inferred[i].harness != harness || !at.Before(inferred[i].end) {
		return u.blockAfter(at, harness)
	}
	return strconv.Itoa(u.recorded + i)
}

// blockAfter is the number of the first block of the harness that begins after
// the hour of at, as text.
func (u *usage) blockAfter(at time.Time, harness string) string {
	next := -1
	for i, b := range u.blocks {
		if b.harness == harness && b.start.After(at) && (next < 0 || b.start.Before(u.blocks[next].start)) {
			next = i
		}
	}
	return strconv.Itoa(next)
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
