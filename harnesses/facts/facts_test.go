package facts

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"meterbridge"
)

func TestWriter_NamesWhatItCannotCount(t *testing.T) {
	var out meterbridge.Batch
	w := Writer{Harness: "h", Store: "s", Trace: true, Out: &out}
	at := time.Date(2026, 8, 1, 0, 0, 0, 0, time.UTC)
	w.Request(meterbridge.Request{NativeID: "good", EndedAt: at, StartedAt: at.Add(time.Hour), Rule: "single-record"})
	w.Request(meterbridge.Request{NativeID: "untimed"})
	w.Wrong(meterbridge.Request{NativeID: "odd", EndedAt: at})
	w.Merge(meterbridge.Request{NativeID: "twin", EndedAt: at}, "same")
	if len(out.Requests) != 1 || out.Requests[0].Harness != "h" || out.Requests[0].Store != "s" || !out.Requests[0].StartedAt.IsZero() {
		t.Errorf("requests: %+v", out.Requests)
	}
	var verdicts []string
	for _, tr := range out.Traces {
		verdicts = append(verdicts, string(tr.Verdict)+" "+tr.Rule+" "+tr.NativeID)
	}
	want := []string{"counted single-record good", "dropped no-time ", "dropped wrong-type ", "merged same twin"}
	if diff := cmp.Diff(want, verdicts); diff != "" || len(out.Problems) != 2 {
		t.Errorf("problems %v, verdicts (-want +got)\n%s", out.Problems, diff)
	}
}

func TestWriter_LeavesOutWhatSaysNothing(t *testing.T) {
	var out meterbridge.Batch
	w := Writer{Harness: "h", Out: &out}
	w.Prompt(meterbridge.Prompt{NativeID: "blank", Preview: " \n"})
	w.Event(meterbridge.Event{Kind: "error"})
	w.Cost(meterbridge.Place{}, "")
	if out.Len() != 0 || len(out.Problems) != 0 {
		t.Errorf("got %+v", out)
	}
	w.Cost(meterbridge.Place{}, "wrong-type")
	w.Cost(meterbridge.Place{}, "refused-cost")
	if len(out.Problems) != 2 {
		t.Errorf("got %+v", out.Problems)
	}
}

func TestTitle(t *testing.T) {
	long := strings.Repeat("ä", 300)
	for text, want := range map[string]string{"": "", " a b \nc": "a b", "\n\n x": "x", long: strings.Repeat("ä", 200)} {
		if got := Title(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestSessions_HandOnWhatChanged(t *testing.T) {
	var out meterbridge.Batch
	w := Writer{Harness: "h", Out: &out}
	at := time.Date(2026, 8, 1, 0, 0, 0, 0, time.UTC)
	var s Sessions
	s.Add(meterbridge.Session{})
	s.Add(meterbridge.Session{ID: "a", Project: "/p", Title: "weak", TitleRank: meterbridge.TitleFromPrompt, LastReply: "late", LastReplyAt: at.Add(time.Hour)})
	s.Add(meterbridge.Session{ID: "a", Parent: "a", Relation: meterbridge.SubAgent, Title: "strong", TitleRank: meterbridge.TitleFromUser, LastReply: "early", LastReplyAt: at})
	s.Add(meterbridge.Session{ID: "a", Title: "weaker", TitleRank: meterbridge.TitleFromModel, Branch: "main"})
	s.Flush(&w)
	s.Flush(&w)
	s.Add(meterbridge.Session{ID: "a", Branch: "main", Project: "/p"})
	s.Flush(&w)
	want := []meterbridge.Session{{Harness: "h", ID: "a", Project: "/p", Branch: "main", Title: "strong", TitleRank: meterbridge.TitleFromUser, LastReply: "late", LastReplyAt: at.Add(time.Hour)}}
	if diff := cmp.Diff(want, out.Sessions); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}
