package analytics

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"meterbridge"
)

// The problems of a source as a whole end when it can be read again; those of
// its lines stay, and those of other sources.
func TestCommit_ProblemsOfASourceEndWhenItCanBeRead(t *testing.T) {
	l := open(t, Options{})
	named := func(path string, readable bool, lines ...int64) meterbridge.Unit {
		u := logOf(path)
		u.Readable = readable
		for _, line := range lines {
			u.Batch.Problems = append(u.Batch.Problems, meterbridge.Problem{Reason: "r", Place: meterbridge.Place{Line: line}})
		}
		return u
	}
	const all = "SELECT source, line FROM problems ORDER BY 1, 2"
	scanned(t, l, named("/a", false, 3), named("/b", false, 0))
	scanned(t, l, named("/a", false, 0))
	if d := cmp.Diff([]string{"/a 0", "/a 3", "/b 0"}, dump(t, l, all)); d != "" {
		t.Errorf("while they cannot be read (-want +got):\n%s", d)
	}
	scanned(t, l, named("/a", true, 7))
	if d := cmp.Diff([]string{"/a 3", "/a 7", "/b 0"}, dump(t, l, all)); d != "" {
		t.Errorf("when one can (-want +got):\n%s", d)
	}
}
