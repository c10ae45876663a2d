package main

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/google/go-cmp/cmp"

	"meterbridge/internal/control"
)

func num(n int64) *int64 { return &n }

func word(s string) *string { return &s }

// busyState has 30,000 tokens in the last ten minutes: 3,000 a minute.
func busyState() topState {
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	last := now.Add(-90 * time.Second)
	return topState{
		at:     now,
		status: control.Status{Ready: true},
		today: topUsage{
			Rows:   []topRow{{Harness: "claude-code", Requests: 12, TotalTokens: num(1_200_000), CostMicroUSD: num(4_200_000)}},
			Totals: topRow{Requests: 12, TotalTokens: num(1_200_000), CostMicroUSD: num(4_200_000)},
		},
		pace: topUsage{Rows: []topRow{{Harness: "claude-code", TotalTokens: num(30_000)}}, Totals: topRow{TotalTokens: num(30_000)}},
		active: topUsage{Rows: []topRow{
			{Session: "older-one", Models: []string{"m"}, TotalTokens: nil, LastAt: nil},
			{Session: "aaaa1111-0000", Title: word("Check\x1b[31mout"), Project: word("/srv/shop"), Models: []string{"m"}, TotalTokens: num(30_000), CostMicroUSD: num(100_000), LastAt: &last},
		}},
		budgets: []topBudget{{Name: "month", Window: "month", UsedRatio: 1.5, Reached: true}},
	}
}

func TestTop_DrawsTheState(t *testing.T) {
	got := strings.Split(busyState().view(100, 0, false), "\n")
	if want := "Meterbridge  12:00:00  today $4.20, 1,200,000 tokens, 12 requests  3,000 tokens/min  up to date"; got[0] != want {
		t.Errorf("head\n got %q\nwant %q", got[0], want)
	}
	text := strings.Join(got, "\n")
	for _, part := range []string{"claude-code", "3,000", "$4.20", "aaaa1111", "/srv/shop", "1m30s", "150% of the month  reached", "q quits"} {
		if !strings.Contains(text, part) {
			t.Errorf("the screen lacks %q:\n%s", part, text)
		}
	}
	if strings.Contains(text, "\x1b[31m") {
		t.Error("a title's escape sequence reached the terminal")
	}
	if strings.Index(text, "aaaa1111") > strings.Index(text, "older-on") {
		t.Error("the latest session is not the first")
	}
}

// Nothing is ever drawn below the screen's end, and nothing panics on a small one.
func TestTop_FitsSmallScreens(t *testing.T) {
	for height := range 20 {
		for _, width := range []int{1, 20, 40, 200} {
			lines := strings.Count(busyState().view(width, height, false), "\n") + 1
			if height > 1 && lines > height {
				t.Errorf("%d lines in a screen of %dx%d", lines, width, height)
			}
		}
	}
}

func TestTop_EndsAtQ(t *testing.T) {
	m := topModel{state: busyState()}
	next, cmd := m.Update(tea.WindowSizeMsg{Width: 80, Height: 24})
	if got := next.(topModel); got.width != 80 || got.height != 24 || cmd != nil {
		t.Errorf("after a resize %dx%d", got.width, got.height)
	}
	_, cmd = next.Update(tea.KeyPressMsg{Code: 'q', Text: "q"})
	if cmd == nil {
		t.Fatal("q does nothing")
	}
	if diff := cmp.Diff(tea.QuitMsg{}, cmd()); diff != "" {
		t.Errorf("q (-want +got):\n%s", diff)
	}
}
