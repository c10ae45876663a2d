package daemon

import (
	"strings"
	"sync"
	"testing"
	"time"

	"meterbridge/internal/statusline"
)

// The demonstration's session aaaa1111… spent 0.0323 USD and more without a
// price in 23,940 tokens; at 2026-10-05 12:00 nothing was spent on that day that
// is not its own.
func TestStatusLine_IsOneAnswerForAStormOfClients(t *testing.T) {
	m, err := OpenDemo(t.Context(), Options{Getenv: func(string) string { return "" }, OS: "linux", Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	c, end := startDaemon(t, m)
	defer c.Close()
	if _, err := m.Scan(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	before := logsOpened(m)
	var wg sync.WaitGroup
	answers := make([]string, 200)
	for i := range 20 {
		wg.Go(func() {
			for j := range 10 {
				line, err := statusline.Ask(m.paths.Socket(), []byte(`{"session_id":"aaaa1111-0000-4000-8000-000000000001","other":[1]}`))
				if err != nil {
					t.Error(err)
				}
				answers[10*i+j] = line
			}
		})
	}
	wg.Wait()
	for _, line := range answers {
		if !strings.HasPrefix(line, "session $0.04* (23.9k) · today ") {
			t.Fatalf("status line %q", line)
		}
	}
	if after := logsOpened(m); after != before {
		t.Errorf("%d logs were opened for status lines", after-before)
	}
	for in, prefix := range map[string]string{"": "today ", "{": "today ", `{"session_id":"nope"}`: "today "} {
		if line, err := statusline.Ask(m.paths.Socket(), []byte(in)); err != nil || !strings.HasPrefix(line, prefix) {
			t.Errorf("for input %q: %q, %v", in, line, err)
		}
	}
	if err := end(); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	places := statusline.Places{Socket: m.paths.Socket(), Last: m.paths.LastStatusLine()}
	if err := statusline.Print(places, nil, &out, time.Now()); err != nil || !strings.Contains(out.String(), "(as of ") {
		t.Errorf("after the daemon: %q, %v", out.String(), err)
	}
}

// logsOpened counts the logs that the daemon has opened.
func logsOpened(m *Meter) int64 {
	n := int64(0)
	for _, h := range m.live.State().Harnesses {
		n += h.Opened
	}
	return n
}
