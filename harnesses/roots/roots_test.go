package roots

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"meterbridge/harnesses"
)

func TestList(t *testing.T) {
	abs := func(p string) string { a, _ := filepath.Abs(filepath.FromSlash(p)); return a }
	home := abs("/home/dev")
	list := func(vars map[string]string) []harnesses.Root {
		l := In(harnesses.Env{Home: home, OS: "linux", Getenv: func(n string) string { return vars[n] }})
		return l.Moved("X_HOME", l.Home(".x"), "sessions").InData("x").Also(l.Home(".local", "share", "x")).Alias("X_DATA_DIR").All()
	}
	if diff := cmp.Diff([]harnesses.Root{
		{Path: filepath.Join(home, ".x"), Variable: "X_HOME"},
		{Path: filepath.Join(home, ".local", "share", "x"), Variable: "XDG_DATA_HOME"},
	}, list(nil)); diff != "" {
		t.Errorf("without variables (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff([]harnesses.Root{
		{Path: abs("/a/sessions"), Variable: "X_HOME", Set: true},
		{Path: abs("/b/x"), Variable: "XDG_DATA_HOME", Set: true},
		{Path: filepath.Join(home, ".local", "share", "x")},
		{Path: abs("/c"), Variable: "X_DATA_DIR", Set: true},
	}, list(map[string]string{"X_HOME": abs("/a"), "XDG_DATA_HOME": abs("/b"), "X_DATA_DIR": abs("/c")})); diff != "" {
		t.Errorf("with variables (-want +got)\n%s", diff)
	}
	if got := list(map[string]string{"X_HOME": "relative", "XDG_DATA_HOME": "relative", "X_DATA_DIR": "relative"}); len(got) != 2 || got[0].Set || got[1].Set {
		t.Errorf("relative values move something: %v", got)
	}
}
