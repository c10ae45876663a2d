package query

import (
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRead_FillsWhatTheTagsName(t *testing.T) {
	values, _ := url.ParseQuery("since=2026-11-01&harness=codex-cli&breakdown=true&last=7&unknown=1")
	var got Report
	if err := Read(values, &got); err != nil {
		t.Fatal(err)
	}
	want := Report{Period: Period{Since: "2026-11-01"}, Filter: Filter{Harness: "codex-cli"}, Cost: "auto", Breakdown: true, Last: 7}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestRead_RefusesWhatTheTagsDoNotAllow(t *testing.T) {
	for text, want := range map[string]string{
		"cost=free": "cost: is none of auto, recorded, list", "last=-1": "last: is less than 0", "last=x": "last: is no number",
		"last=1000001": "last: is more than 1000000", "breakdown=perhaps": "breakdown: is neither true nor false",
		"since=" + strings.Repeat("1", 65): "since: is longer than 64 characters",
	} {
		values, _ := url.ParseQuery(text)
		err := Read(values, &Report{})
		if err == nil || err.Error() != want {
			t.Errorf("%s: got %v, want %s", text, err, want)
		}
		if p := Problem(err); p == nil || p.Status != 422 {
			t.Errorf("%s: is no problem of the caller: %v", text, p)
		}
	}
}

func TestSessionCursor_ComesBack(t *testing.T) {
	if _, err := SessionPlace("!"); Problem(err) == nil {
		t.Errorf("no cursor: got %v", err)
	}
	if at, err := SessionPlace(""); at != nil || err != nil {
		t.Errorf("the beginning: got %v, %v", at, err)
	}
}
