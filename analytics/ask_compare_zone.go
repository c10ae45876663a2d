package analytics

import (
	"context"
	"database/sql"
	"time"
)

// quarter is a quarter of an hour: every zone's offset is a whole number of them.
const quarter = int64(900_000)

// otherZone says when the days of another zone would agree better.
func (c *comparison) otherZone(ctx context.Context) error {
	if c.peer.kind != "daily" || c.out.Agree {
		return nil
	}
	tokens, err := c.quarters(ctx)
	if err != nil {
		return err
	}
	now := 0
	for _, r := range c.out.Rows {
		if r.Ours != nil && r.Theirs != nil && r.Ours.TotalTokens == r.Theirs.TotalTokens {
			now++
		}
	}
	best, most := int64(0), now
	for _, offset := range offsets() {
		if n := c.agreeing(tokens, offset); n > most {
			best, most = offset, n
		}
	}
	if most > now {
		c.hint("with days of UTC%+03d:%02d %d of %d days have the same tokens, with those of %s %d: the report may be of another zone (--timezone)",
			best/4, max(best%4, -(best%4))*15, most, len(c.peer.rows), c.out.Timezone, now)
	}
	return nil
}

// quarters are the ledger's tokens by quarter of an hour around the report's days.
func (c *comparison) quarters(ctx context.Context) (map[int64]int64, error) {
	_, list := c.windows()
	tokens := map[int64]int64{}
	if len(list) == 0 {
		return tokens, nil
	}
	_, err := collect(ctx, c.q, "compare_quarters", func(rows *sql.Rows, _ *struct{}) error {
		var n, sum int64
		err := rows.Scan(&n, number{&sum})
		tokens[n] = sum
		return err
	}, list[0].from-dayMillis, list[len(list)-1].to+dayMillis, c.scope)
	return tokens, err
}

// agreeing counts the report's days whose tokens are those of the days that
// begin at an offset, in quarters of an hour east of UTC.
func (c *comparison) agreeing(tokens map[int64]int64, offset int64) (n int) {
	days := map[int64]int64{}
	for q, t := range tokens {
		days[(q+offset)*quarter/dayMillis] += t
	}
	for _, r := range c.peer.rows {
		at, err := time.Parse(time.DateOnly, r.key)
		if err == nil && r.total() == days[at.UnixMilli()/dayMillis] {
			n++
		}
	}
	return n
}

// offsets are those of the world's zones in quarters of an hour, whole hours
// near to UTC first.
func offsets() (list []int64) {
	for _, step := range []int64{4, 1} {
		for o := int64(0); o <= 14*4; o += step {
			if list = append(list, o); o <= 12*4 {
				list = append(list, -o)
			}
		}
	}
	return list
}
