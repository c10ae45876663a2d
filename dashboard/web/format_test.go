package web

import (
	"testing"
	"time"
)

func TestFormat_Figures(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{grouped(0), "0"},
		{grouped(-1234567), "-1,234,567"},
		{short(999), "999"},
		{short(1000), "1.00K"},
		{short(9_994), "9.99K"},
		{short(99_949), "99.9K"},
		{short(999_960), "1.00M"},
		{short(84_721_639), "84.7M"},
		{short(1_200_000_000), "1.20B"},
		{usd(0), "$0.00"},
		{usd(225), "$0.000225"},
		{usd(34_100), "$0.0341"},
		{usd(1_005_000), "$1.01"},
		{usd(1_234_567_890), "$1,234.57"},
		{usd(-2_000_000), "-$2.00"},
		{usdExact(1_234_567_890), "$1,234.567890"},
		{percent(0.28), "28%"},
		{percent(0.0004), "0.0%"},
		{percent(0.004), "0.4%"},
		{percent(0.995), "99.5%"},
		{percent(-0.2), "-20%"},
		{span(900), "900 ms"},
		{span(6_040), "6.0 s"},
		{span(59_900), "59 s"},
		{span(751_000), "12 min 31 s"},
		{span(7_260_000), "2 h 01 min"},
		{size(999), "999 B"},
		{size(4_210_000), "4.21 MB"},
		{lastOf("/srv/work/atlas-api/"), "atlas-api"},
		{lastOf(`C:\work\shop`), "shop"},
		{lastOf("/"), "/"},
		{tailOf("5e551000-0000-4000-8000-0000000000ed.jsonl"), "…-8000-0000000000ed.jsonl"},
		{harmless("=1+1"), "'=1+1"},
		{harmless("plain"), "plain"},
		{backTo("/usage?by=day"), "/usage?by=day"},
		{backTo("//evil.example"), "/"},
		{backTo("https://evil.example/"), "/"},
		{backTo(`/\evil.example`), "/"},
		{backTo(""), "/"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}

func TestFormat_Times(t *testing.T) {
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	for ago, want := range map[time.Duration]string{
		2 * time.Second: "just now", 30 * time.Second: "30 s ago", 20 * time.Minute: "20 min ago", 3 * time.Hour: "today 09:00", 30 * time.Hour: "29 Nov 06:00", 400 * 24 * time.Hour: "26 Oct 2025",
	} {
		at := now.Add(-ago)
		if got := moment(&at, now, time.UTC); got != want {
			t.Errorf("%s: got %q, want %q", ago, got, want)
		}
	}
	if got := moment(nil, now, time.UTC); got != "" {
		t.Errorf("an unknown time: got %q", got)
	}
}

func TestChange_IsTold(t *testing.T) {
	n := func(v int64) *int64 { return &v }
	for _, c := range []struct {
		now, then *int64
		want      string
	}{
		{n(132), n(100), "+32%"},
		{n(80), n(100), "−20%"},
		{n(100), n(100), "no change"},
		{n(1124), n(100), "11.2×"},
	} {
		if got := changed(c.now, c.then).Text(); got != c.want {
			t.Errorf("%d after %d: got %q, want %q", *c.now, *c.then, got, c.want)
		}
	}
	for _, c := range [][2]*int64{{nil, n(1)}, {n(1), nil}, {n(1), n(0)}} {
		if got := changed(c[0], c[1]); got != nil {
			t.Errorf("nothing can be told of %v, got %v", c, got)
		}
	}
}
