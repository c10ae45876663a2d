package metrics

import (
	"cmp"
	"slices"
)

// other is the label of names beyond the cap.
const other = "other"

// ranked gives the first names their own series. A name that has one keeps it:
// moving it to the others would count it twice.
type ranked struct {
	most int
	own  map[string]bool
}

func newRanked(most int) *ranked { return &ranked{most: most, own: map[string]bool{}} }

// admit gives the name a series while there is room.
func (r *ranked) admit(name string) {
	if name != other && len(r.own) < r.most {
		r.own[name] = true
	}
}

// rank admits the names by their weight, the greatest first.
func (r *ranked) rank(weights map[string]int64) {
	names := make([]string, 0, len(weights))
	for name := range weights {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(cmp.Compare(weights[b], weights[a]), cmp.Compare(a, b)) })
	for _, name := range names {
		r.admit(name)
	}
}

// label is the name where it has a series of its own.
func (r *ranked) label(name string) string {
	if r.own[name] {
		return name
	}
	return other
}
