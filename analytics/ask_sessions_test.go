package analytics

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Pages of any size, one after the other, are the whole list.
func TestSessions_PagesAreTheWholeList(t *testing.T) {
	w := shop(t)
	// Some have the same time, the same id in two harnesses, or no time at all.
	for i, s := range []sessionRow{
		{harness: "codex-cli", native: "aaaa-1"},
		{harness: "codex-cli", native: "never"},
		{harness: "claude-code", native: "never"},
		{harness: "codex-cli", native: "zzzz"},
	} {
		s.id = 20 + i
		w.session(s)
	}
	for _, f := range []SessionFilter{
		{},
		{Harness: "claude-code"},
		{Harness: "codex-cli"},
		{Search: "a"},
		{Since: instant("2026-03-01T00:00:00Z")},
	} {
		whole, err := w.l.Sessions(t.Context(), f)
		if err != nil {
			t.Fatal(err)
		}
		if f == (SessionFilter{}) && len(whole.Sessions) < 6 {
			t.Fatalf("only %d sessions", len(whole.Sessions))
		}
		for size := 1; size <= len(whole.Sessions)+1; size++ {
			page := f
			page.Last = size
			got := []SessionSummary{}
			for {
				part, err := w.l.Sessions(t.Context(), page)
				if err != nil {
					t.Fatal(err)
				}
				if len(part.Sessions) == 0 {
					break
				}
				got = append(got, part.Sessions...)
				place := got[len(got)-1].Place()
				page.After = &place
			}
			if diff := cmp.Diff(whole.Sessions, got); diff != "" {
				t.Errorf("%+v in pages of %d (-whole +pages):\n%s", f, size, diff)
			}
		}
	}
}
