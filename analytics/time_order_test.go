package analytics

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"meterbridge"
)

// TestInTimeOrder_AsByComparing holds the sort by digits against one that compares,
// over times that are close, equal, centuries apart and before 1970.
func TestInTimeOrder_AsByComparing(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, spread := range []int64{1, 3, 1000, 90 * dayMillis, 400 * 365 * dayMillis, math.MaxInt64 / 4} {
		for _, n := range []int{0, 1, manyTimes - 1, manyTimes, 3 * manyTimes} {
			rows := make([]*requestState, n)
			for i := range rows {
				rows[i] = &requestState{r: &meterbridge.Request{EndedAt: time.UnixMilli(random.Int64N(spread) - spread/3).UTC()}}
				for b := range rows[i].id {
					rows[i].id[b] = byte(random.IntN(3))
				}
			}
			want := slices.Clone(rows)
			slices.SortStableFunc(want, func(a, b *requestState) int {
				if c := a.r.EndedAt.Compare(b.r.EndedAt); c != 0 {
					return c
				}
				return slices.Compare(a.id[:], b.id[:])
			})
			inTimeOrder(rows, func(row *requestState) (time.Time, *meterbridge.ID) { return row.r.EndedAt, &row.id })
			for i := range rows {
				if !rows[i].r.EndedAt.Equal(want[i].r.EndedAt) || rows[i].id != want[i].id {
					t.Fatalf("%d rows over %d ms, row %d: got %s %x, want %s %x", n, spread, i, rows[i].r.EndedAt, rows[i].id, want[i].r.EndedAt, want[i].id)
				}
			}
		}
	}
}
