package main

import "testing"

// A word of the other kind, both verdicts, or none decide nothing: a call that was to
// be sent had been declined, and so had a prompt that was to be allowed.
func TestConfirm_OneVerdictInTheWordsOfItsKind(t *testing.T) {
	for _, c := range []struct {
		id                   string
		send, allow, decline bool
		want                 bool
	}{
		{"", false, false, false, true},
		{"", true, false, false, false},
		{"", false, true, false, false},
		{"", false, false, true, false},
		{"", true, false, true, false},
		{"pr-1", true, false, false, true},
		{"pr-1", false, false, true, true},
		{"pr-1", false, false, false, false},
		{"pr-1", true, false, true, false},
		{"pr-1", false, true, false, false},
		{"pr-1", false, true, true, false},
		{"ca-1", false, true, false, true},
		{"ca-1", false, false, true, true},
		{"ca-1", false, false, false, false},
		{"ca-1", false, true, true, false},
		{"ca-1", true, false, false, false},
		{"ca-1", true, false, true, false},
	} {
		if got := oneVerdict(c.id, c.send, c.allow, c.decline); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}
