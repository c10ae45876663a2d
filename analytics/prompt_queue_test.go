package analytics

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"meterbridge"
)

// Prompts survive the process, in their order; what ended is in the log.
func TestPromptQueue_SurvivesTheProcess(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ledger.duckdb")
	at := time.UnixMilli(1796038627142).UTC()
	prompt := func(id string, rank int64, state meterbridge.PromptState) meterbridge.QueuedPrompt {
		return meterbridge.QueuedPrompt{
			ID: id, Agent: "ag-1", Sender: meterbridge.PromptSender{Kind: meterbridge.ByExtension, ID: "c", Package: "p", Name: "Card"},
			Text: "line\n\"two\" 🙂\x00", Length: 12, Submit: true, State: state, Rank: rank, NotBefore: at, CreatedAt: at, ChangedAt: at.Add(time.Duration(rank)),
			Attempt: "pasted", SentAt: at, Turn: "t",
		}
	}
	first, second, done := prompt("a", 2, meterbridge.PromptDelivering), prompt("b", 1, meterbridge.PromptQueued), prompt("c", 3, meterbridge.PromptSent)
	l, err := Open(t.Context(), path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range []meterbridge.QueuedPrompt{first, second, second, done} {
		if err := l.SavePrompt(t.Context(), p); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if l, err = Open(t.Context(), path, Options{}); err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	open, err := l.OpenPrompts(t.Context())
	if diff := cmp.Diff([]meterbridge.QueuedPrompt{second, first}, open); err != nil || diff != "" {
		t.Errorf("%v (-want +got)\n%s", err, diff)
	}
	for agent, want := range map[string]int{"": 1, "ag-1": 1, "ag-2": 0} {
		if log, err := l.PromptLog(t.Context(), agent, 10); err != nil || len(log) != want {
			t.Errorf("log of %q: %+v, %v", agent, log, err)
		}
	}
}
