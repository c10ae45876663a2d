package meterbridge

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestOwn(t *testing.T) {
	older, newer := time.Unix(100, 0), time.Unix(200, 0)
	derives := func(child, origin string) bool { return child == "fork" && origin == "root" }
	for _, c := range []struct {
		name     string
		old, new Claim
		want     Owner
	}{
		{"what an earlier scan saw stays", Claim{Session: "fork", Earlier: true, ModTime: newer}, Claim{Session: "root", ModTime: older}, OldOwns},
		{"the origin owns, read last", Claim{Session: "fork", ModTime: older}, Claim{Session: "root", ModTime: newer}, NewOwns},
		{"the origin owns, read first", Claim{Session: "root", ModTime: newer}, Claim{Session: "fork", ModTime: older}, OldOwns},
		{"the older source", Claim{Session: "a", ModTime: newer}, Claim{Session: "b", ModTime: older}, NewOwns},
		{"the smaller path", Claim{Session: "a", ModTime: older, Path: "/b"}, Claim{Session: "b", ModTime: older, Path: "/a"}, NewOwns},
		{"one session in two files: the same rule, so that the order of reading does not show", Claim{Session: "a", ModTime: older, Path: "/b"}, Claim{Session: "a", ModTime: older, Path: "/a"}, NewOwns},
		{"this machine, read last", Claim{Session: "a", Machine: "laptop", ModTime: older, Path: "/a"}, Claim{Session: "a", ModTime: newer, Path: "/b"}, NewOwns},
		{"this machine, read first", Claim{Session: "a", ModTime: newer, Path: "/b"}, Claim{Session: "a", Machine: "laptop", ModTime: older, Path: "/a"}, OldOwns},
		{"of two other machines the older source", Claim{Session: "a", Machine: "desk", ModTime: newer}, Claim{Session: "a", Machine: "laptop", ModTime: older}, NewOwns},
		{"an origin elsewhere before a fork here", Claim{Session: "fork", ModTime: older}, Claim{Session: "root", Machine: "laptop", ModTime: newer}, NewOwns},
		{"what an earlier scan saw stays with the other machine", Claim{Session: "a", Machine: "laptop", Earlier: true}, Claim{Session: "a"}, OldOwns},
	} {
		if got := Own(c.old, c.new, derives); got != c.want {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
	}
}

func TestMerge(t *testing.T) {
	at := func(sec int64) time.Time { return time.Unix(sec, 0) }
	rec := func(session string, output, read, end int64, side bool) Request {
		return Request{Session: session, EndedAt: at(end), Side: side, Tokens: Tokens{Output: Reported(output), CacheRead: Reported(read)}}
	}
	for _, c := range []struct {
		name       string
		old, new   Request
		owner      Owner
		sameSource bool
		want       Request
	}{
		{"the finished record as a whole", rec("s", 4, 500, 1, false), rec("s", 210, 480, 2, false), OldOwns, true, rec("s", 210, 480, 2, false)},
		{"a partial record read later changes nothing but the end", rec("s", 210, 480, 2, false), rec("s", 4, 500, 3, false), OldOwns, true, rec("s", 210, 480, 3, false)},
		{"equal output in one source: the last", rec("s", 7, 1, 1, false), rec("s", 7, 2, 2, false), OldOwns, true, rec("s", 7, 2, 2, false)},
		{"equal output in two sources: the owner's", rec("a", 7, 1, 1, false), rec("b", 7, 2, 2, false), OldOwns, false, rec("a", 7, 1, 1, false)},
		{"finished elsewhere, attributed to the owner", rec("a", 1, 1, 1, false), rec("b", 9, 2, 2, false), OldOwns, false, rec("a", 9, 2, 2, false)},
		{"a replay never replaces", rec("a", 5, 1, 1, false), rec("a/x", 99, 9, 9, true), NewOwns, false, rec("a", 5, 1, 1, false)},
		{"a replay read first gives way", rec("a/x", 99, 9, 9, true), rec("a", 5, 1, 1, false), OldOwns, false, rec("a", 5, 1, 1, false)},
	} {
		if d := cmp.Diff(c.want, Merge(c.old, c.new, c.owner, c.owner, c.sameSource), cmp.AllowUnexported(PicoUSD{})); d != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, d)
		}
	}
}

// A third record meets a request that is made of two: one owns, the other counts.
func TestMerge_OwnsAndCountsApart(t *testing.T) {
	rec := func(session string, output int64) Request {
		return Request{Session: session, Tokens: Tokens{Output: Reported(output)}, Model: "of " + session}
	}
	made := Merge(rec("owner", 1), rec("x", 9), OldOwns, OldOwns, false)
	for _, c := range []struct {
		name           string
		owner, counts  Owner
		output         int64
		session, model string
	}{
		{"neither", OldOwns, OldOwns, 9, "owner", "of x"},
		{"it counts", OldOwns, NewOwns, 9, "owner", "of new"},
		{"it owns", NewOwns, OldOwns, 9, "new", "of x"},
		{"both", NewOwns, NewOwns, 9, "new", "of new"},
		{"the finished one counts, whatever its claim", OldOwns, OldOwns, 10, "owner", "of new"},
		{"one less finished never counts", NewOwns, NewOwns, 8, "new", "of x"},
	} {
		got := Merge(made, rec("new", c.output), c.owner, c.counts, false)
		if got.Session != c.session || got.Model != c.model {
			t.Errorf("%s: session %s, record %s, want %s and %s", c.name, got.Session, got.Model, c.session, c.model)
		}
	}
}

// What a later record of the same request does not tell any more of its model and
// its provider is kept; another model brings its own provider or none.
func TestMerge_KeepsWhatNamesThePrice(t *testing.T) {
	told := Request{NativeID: "m", Model: "claude-opus-4-6", Provider: "anthropic", Tokens: Tokens{Output: Reported(5)}}
	for _, c := range []struct {
		why             string
		model, provider string
		want            string
	}{
		{"neither", "", "", "claude-opus-4-6 anthropic"},
		{"the model alone", "claude-opus-4-6", "", "claude-opus-4-6 anthropic"},
		{"another model", "gpt-5.5", "", "gpt-5.5 "},
		{"another provider", "claude-opus-4-6", "bedrock", "claude-opus-4-6 bedrock"},
	} {
		later := told
		later.Model, later.Provider, later.Tokens = c.model, c.provider, Tokens{Output: Reported(6)}
		got := MergeSame(told, later)
		if text := got.Model + " " + got.Provider; text != c.want {
			t.Errorf("a later record that tells %s: %q, want %q", c.why, text, c.want)
		}
	}
}
