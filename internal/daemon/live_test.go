package daemon

import (
	"context"
	"errors"
	"testing"
	"time"

	"meterbridge/internal/corpus"
	"meterbridge/scanner"
)

// A live meter has read everything when Refresh returns, and its reports agree
// with the truth; nothing is left running or unwritten at its end.
func TestLive_FirstScanThenReports(t *testing.T) {
	home := t.TempDir()
	truth, err := corpus.Generate(corpus.Options{Out: home, Size: 5_000_000})
	if err != nil {
		t.Fatal(err)
	}
	m := openAt(t, home)
	defer m.Close()
	live, err := m.Live(LiveOptions{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- live.Run(ctx) }()
	if _, err := live.Refresh(ctx, nil); err != nil {
		t.Fatal(err)
	}
	r, err := m.Usage(ctx, UsageQuery{By: "day", Zone: time.UTC, Cost: "auto"})
	if err != nil {
		t.Fatal(err)
	}
	var want int64
	for _, part := range truth {
		want += part.Totals.Requests
	}
	if r.Totals.Requests != want {
		t.Errorf("%d requests, want %d", r.Totals.Requests, want)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if _, err := live.Refresh(t.Context(), nil); !errors.Is(err, scanner.ErrStopped) {
		t.Errorf("refresh after the end: %v, want ErrStopped", err)
	}
}
