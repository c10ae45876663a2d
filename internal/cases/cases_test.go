package cases

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const root = "../../testdata/cases"

func load(t *testing.T) []Case {
	t.Helper()
	list, err := All(root)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// Each case is a line of docs/cases.md that names its reports.
func TestCases_AreDocumented(t *testing.T) {
	page, err := os.ReadFile("../../docs/cases.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range load(t) {
		refs := "–"
		if len(c.Refs) > 0 {
			refs = strings.Join(c.Refs, ", ")
		}
		if want := "| " + c.ID + " | " + refs + " | "; !strings.Contains(string(page), want) {
			t.Errorf("docs/cases.md has no line that begins with %q", want)
		}
	}
}

// A case says what it is and at least one run of it wants something.
func TestCases_AreWhole(t *testing.T) {
	for _, c := range load(t) {
		wants := false
		for _, s := range c.Steps {
			wants = wants || s.Expect.Totals != nil || s.Expect.Rows != nil || s.Expect.RowCount != nil
		}
		if !strings.HasPrefix(filepath.Base(c.Folder), c.ID+"-") || c.Title == "" || c.Why == "" || c.Harness == "" || !wants {
			t.Errorf("%s: id %q, title %q, harness %q, wants something: %v", c.Folder, c.ID, c.Title, c.Harness, wants)
		}
	}
}

func TestStage_PreparesEveryKindOfStep(t *testing.T) {
	folder := t.TempDir()
	for name, text := range map[string]string{
		"case.json": `{"id":"Z-1","env":{"LOGS":"{{HOME}}/logs"},"steps":[
			{"copy":"home1"}, {"copy":{"from":"home1","to":"again"}}, {"append":{"path":"logs/a","from":"more"}},
			{"append_raw":{"path":"logs/a","text":"three"}}, {"truncate":{"path":"again/logs/a","bytes":2}}, {"mkdir":["empty"]},
			{"zstd":{"path":"again/logs/a","keep":false}}, {"symlink":{"target":"logs","link":"alias"}},
			{"move":{"from":"again/logs","to":"moved/here"}}, {"delete":["again"]}, {"sqlite":{"path":"x.db","sql":"x.sql"}},
			{"generate":{"kind":"huge-line","path":"big","bytes":200,"then":"more"}}, {"run":["scan","{{HOME}}"],"expect":{"exit":3}}]}`,
		"home1/logs/a": "one\n", "home1/b.tmpl": "at {{HOME}}", "more": "two\n", "x.sql": "CREATE TABLE t(n INT);",
	} {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	c, err := Load(folder)
	if err != nil {
		t.Fatal(err)
	}
	s := c.At(t.TempDir())
	for i := range c.Steps {
		if err := s.Prepare(&c.Steps[i]); err != nil {
			t.Fatalf("step %d: %v", i+1, err)
		}
	}
	last := &c.Steps[len(c.Steps)-1]
	if got := s.Args(last); len(got) != 2 || got[1] != s.Home || last.Expect.Exit != 3 || s.Getenv("LOGS") != s.Home+"/logs" {
		t.Errorf("run %q, exit %d, LOGS %q", got, last.Expect.Exit, s.Getenv("LOGS"))
	}
	checkHome(t, s, map[string]string{"logs/a": "one\ntwo\nthree", "alias/a": "one\ntwo\nthree", "b": "at " + s.Home})
	for _, path := range []string{"empty", "moved/here/a.zst", "x.db"} {
		if _, err := os.Stat(filepath.Join(s.Home, path)); err != nil {
			t.Error(err)
		}
	}
	if big, err := os.ReadFile(filepath.Join(s.Home, "big")); err != nil || len(big) != 200+1+len("two\n") {
		t.Errorf("the generated file has %d bytes, %v", len(big), err)
	}
}

func checkHome(t *testing.T, s Stage, want map[string]string) {
	t.Helper()
	for path, text := range want {
		if got, err := os.ReadFile(filepath.Join(s.Home, path)); err != nil || string(got) != text {
			t.Errorf("%s: want %q, got %q, %v", path, text, got, err)
		}
	}
}

func TestStage_NamesTheStepThatFails(t *testing.T) {
	c := Case{Folder: t.TempDir(), Steps: []Step{{kind: "delete", raw: []byte(`["nothing"]`)}, {kind: "paint", raw: []byte(`{}`)}}}
	for i := range c.Steps {
		s := c.At(t.TempDir())
		if err := s.Prepare(&c.Steps[i]); err == nil || !strings.HasPrefix(err.Error(), c.Steps[i].kind+": ") {
			t.Errorf("%s: %v, want an error that names it", c.Steps[i].kind, err)
		}
	}
}
