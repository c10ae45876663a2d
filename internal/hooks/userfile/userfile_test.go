package userfile

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"meterbridge/harnesses"
	"meterbridge/harnesses/all"
	"meterbridge/harnesses/jsonc"
)

// toy is a harness whose settings lie at path.
func toy(path string, form harnesses.HookForm) harnesses.Harness {
	return harnesses.Harness{ID: "toy", Name: "Toy", Hooks: &harnesses.Hooks{Settings: func(harnesses.Env) harnesses.HookSettings {
		return harnesses.HookSettings{
			Form: form, Path: path,
			Events:  []harnesses.HookEvent{{Name: "Stop", Timeout: 2}, {Name: "PostToolUse", Matcher: "*"}, {Name: "New", Since: "2.0"}},
			Content: func(command string) []byte { return []byte("// plugin " + command + "\n") },
		}
	}}}
}

func settingsOf(t *testing.T, h harnesses.Harness) *Settings {
	t.Helper()
	return New(Options{
		Harnesses: []harnesses.Harness{h}, Folder: filepath.Join(t.TempDir(), "hooks"),
		Command: func(id string) string { return "'/opt/meter bridge/lite' hook " + id + " --user" },
		Version: func(string) string { return "1.9.12" },
	})
}

// files are settings as users write them.
func files() map[string]string {
	return map[string]string{
		"an empty object":       "{}",
		"nothing":               "",
		"one line":              `{"model":"x","hooks":{"Stop":[{"hooks":[{"type":"command","command":"mine"}]}]}}`,
		"pretty":                "{\n  \"model\": \"x\",\n  \"hooks\": {\n    \"Stop\": [\n      {\n        \"hooks\": [\n          {\"type\": \"command\", \"command\": \"mine\"}\n        ]\n      }\n    ]\n  },\n  \"z\": [1, 2]\n}\n",
		"tabs and CRLF":         "{\r\n\t\"a\": 1,\r\n\t\"hooks\": {\r\n\t\t\"Start\": []\r\n\t}\r\n}\r\n",
		"comments and commas":   "{\n  // what I like\n  \"a\": \"// no comment\", /* b */\n  \"hooks\": {\n    // \"Stop\": []\n  },\n}\n// the end\n",
		"a byte order mark":     "\ufeff{\n    \"a\": \"\\\"}\",\n    \"hooks\": { \"PostToolUse\": [ ] }\n}",
		"a comment in the list": "{\"hooks\": {\"Stop\": [ /* mine */ ]}}",
		"no end of line":        "{\n \"a\": {\"b\": []}}",
		"a name twice":          "{\"hooks\": {}, \"a\": 1, \"hooks\": {\"Stop\": []}}",
		"unusual text":          "{\"ä\\u0000\\/\": \"\\ud83d\\ude00\", \"n\": -1.5e-3, \"t\": true, \"u\": null}",
	}
}

func TestInstall_IsUndoneToTheByte(t *testing.T) {
	for name, before := range files() {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "settings.json")
			if err := os.WriteFile(path, []byte(before), 0o640); err != nil {
				t.Fatal(err)
			}
			s := settingsOf(t, toy(path, harnesses.JSONHooks))
			for range 2 { // repeating it changes nothing
				state, err := s.Install("toy")
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff([]string{"Stop", "PostToolUse"}, sorted(state.Installed)); diff != "" || state.Missing != nil {
					t.Fatalf("installed, missing %v (-want +got)\n%s", state.Missing, diff)
				}
			}
			after := read2(t, path)
			keepsMeaning(t, before, after)
			if info, _ := os.Stat(path); info.Mode().Perm() != 0o640 {
				t.Errorf("the mode became %v", info.Mode())
			}
			if _, err := s.Uninstall("toy"); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(before, read2(t, path)); diff != "" {
				t.Errorf("after uninstalling (-want +got)\n%s", diff)
			}
		})
	}
}

// A file that was changed since keeps the change and loses our entries alone.
func TestUninstall_KeepsWhatWasChangedSince(t *testing.T) {
	for name, before := range files() {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "settings.json")
			if err := os.WriteFile(path, []byte(before), 0o600); err != nil {
				t.Fatal(err)
			}
			s := settingsOf(t, toy(path, harnesses.JSONHooks))
			if _, err := s.Install("toy"); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(read2(t, path)+" "), 0o600); err != nil {
				t.Fatal(err)
			}
			if state, _ := s.Status("toy"); !state.Changed {
				t.Error("the change was not seen")
			}
			if _, err := s.Uninstall("toy"); err != nil {
				t.Fatal(err)
			}
			want := before + " "
			if before == "" {
				want = "{}\n "
			}
			// Blanks in a list that was empty are lost with the entries.
			got, want := strings.ReplaceAll(read2(t, path), "[ ]", "[]"), strings.ReplaceAll(want, "[ ]", "[]")
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("after uninstalling (-want +got)\n%s", diff)
			}
		})
	}
}

func TestInstall_MakesAndRemovesTheFile(t *testing.T) {
	for _, form := range []harnesses.HookForm{harnesses.JSONHooks, harnesses.PluginFile, harnesses.YAMLHooks} {
		path := filepath.Join(t.TempDir(), "new", "settings")
		s := settingsOf(t, toy(path, form))
		if _, err := s.Install("toy"); err != nil {
			t.Fatal(form, err)
		}
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: made with %v, %v", form, info, err)
		}
		state, err := s.Uninstall("toy")
		if err != nil || len(state.Installed) > 0 {
			t.Errorf("%s: uninstalled %+v, %v", form, state, err)
		}
		if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: the file is still there: %v", form, err)
		}
	}
}

func TestInstall_FollowsASymbolicLink(t *testing.T) {
	dir := t.TempDir()
	real, link := filepath.Join(dir, "dotfiles.json"), filepath.Join(dir, "settings.json")
	if err := os.WriteFile(real, []byte("{}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(real, link); err != nil {
		t.Skip("this system has no symbolic links:", err)
	}
	s := settingsOf(t, toy(link, harnesses.JSONHooks))
	if _, err := s.Install("toy"); err != nil {
		t.Fatal(err)
	}
	if to, err := os.Readlink(link); err != nil || to != real {
		t.Errorf("the link became %q, %v", to, err)
	}
	if !strings.Contains(read2(t, real), "hook toy") {
		t.Error("the hooks are not in the file that it points to")
	}
	if _, err := s.Uninstall("toy"); err != nil || read2(t, real) != "{}\n" {
		t.Errorf("after uninstalling %q, %v", read2(t, real), err)
	}
}

// A link whose file is not there yet (a dotfiles folder that is filled later) is
// followed as well, relative ones from where they are, and is still there afterwards.
func TestInstall_KeepsALinkToNothing(t *testing.T) {
	for name, to := range map[string]string{"absolute": "", "relative": filepath.Join("..", "dotfiles", "real.json")} {
		dir := t.TempDir()
		real, link := filepath.Join(dir, "dotfiles", "real.json"), filepath.Join(dir, "tool", "settings.json")
		if to == "" {
			to = real
		}
		if err := os.Mkdir(filepath.Dir(link), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(to, link); err != nil {
			t.Skip("this system has no symbolic links:", err)
		}
		s := settingsOf(t, toy(link, harnesses.JSONHooks))
		if _, err := s.Install("toy"); err != nil {
			t.Fatal(name, err)
		}
		if got, err := os.Readlink(link); err != nil || got != to {
			t.Errorf("%s: the link to %q became %q, %v", name, to, got, err)
		}
		if !strings.Contains(read2(t, link), "hook toy") {
			t.Errorf("%s: the hooks are not in the file that it points to", name)
		}
		if _, err := s.Uninstall("toy"); err != nil {
			t.Error(name, err)
		}
		if got, err := os.Readlink(link); err != nil || got != to {
			t.Errorf("%s: after uninstalling the link to %q is %q, %v", name, to, got, err)
		}
		if _, err := os.Stat(real); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: the file that was made is still there: %v", name, err)
		}
	}
}

func TestInstall_RefusesWhatItCannotRead(t *testing.T) {
	for name, text := range map[string]string{
		"broken": `{"a":`, "an array": `[]`, "hooks that are a text": `{"hooks":"x"}`, "an event that is an object": `{"hooks":{"Stop":{}}}`,
	} {
		path := filepath.Join(t.TempDir(), "settings.json")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := settingsOf(t, toy(path, harnesses.JSONHooks)).Install("toy"); err == nil {
			t.Errorf("%s: installed", name)
		}
		if got := read2(t, path); got != text {
			t.Errorf("%s: the file became %q", name, got)
		}
	}
}

func TestInstall_YAMLKeepsTheUsersHooks(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config.yaml")
	for text, refused := range map[string]bool{
		"model: x\n": false, "# hooks: none\nmodel: x": false, "hooks:\n  pre_llm_call: []\n": true,
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		s := settingsOf(t, toy(path, harnesses.YAMLHooks))
		_, err := s.Install("toy")
		if errors.Is(err, ErrByHand) != refused {
			t.Errorf("%q: %v, refused should be %v", text, err, refused)
		}
		if _, err := s.Uninstall("toy"); err != nil || read2(t, path) != text {
			t.Errorf("%q: after uninstalling %q, %v", text, read2(t, path), err)
		}
	}
}

// An entry to which its user added a hook of theirs is theirs.
func TestUninstall_KeepsAnEntryThatTheUserExtended(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings.json")
	s := settingsOf(t, toy(path, harnesses.JSONHooks))
	if _, err := s.Install("toy"); err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(read2(t, path), `"timeout":2}]`, `"timeout":2},{"type":"command","command":"mine"}]`, 1)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Uninstall("toy"); err != nil {
		t.Fatal(err)
	}
	if got := read2(t, path); !strings.Contains(got, `"mine"`) || strings.Contains(got, "PostToolUse") {
		t.Errorf("left %s", got)
	}
}

// Of every real harness the hooks can be put into a new home and out again, and no
// other file of it is touched.
func TestInstall_OfEveryHarness(t *testing.T) {
	home := t.TempDir()
	s := New(Options{
		Harnesses: all.Harnesses(), Folder: filepath.Join(t.TempDir(), "hooks"), Command: func(id string) string { return "lite hook " + id + " --user" },
		Env: harnesses.Env{Home: home, OS: "linux", Getenv: func(string) string { return "" }},
	})
	config := filepath.Join(home, ".codex", "config.toml")
	if err := os.MkdirAll(filepath.Dir(config), 0o700); err != nil {
		t.Fatal(err)
	}
	const own = "# mine\n[hooks]\nStop = []\n"
	if err := os.WriteFile(config, []byte(own), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, id := range s.Harnesses() {
		state, err := s.Install(id)
		if err != nil || len(state.Installed) == 0 || len(state.Missing) > 0 {
			t.Errorf("%s: %+v, %v", id, state, err)
		}
		if _, err := s.Uninstall(id); err != nil {
			t.Errorf("%s: %v", id, err)
		}
		if _, err := os.Stat(state.Path); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: left %s", id, state.Path)
		}
	}
	if got := read2(t, config); got != own {
		t.Errorf("another file was changed: %q", got)
	}
	if n := len(s.Harnesses()); n < 7 {
		t.Errorf("only %d harnesses have hooks: %v", n, s.Harnesses())
	}
}

func read2(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// sorted puts the two events of the toy into their order.
func sorted(names []string) []string {
	if len(names) == 2 && names[0] == "PostToolUse" {
		return []string{names[1], names[0]}
	}
	return names
}

// keepsMeaning: what the user wrote is there, in its order, hooks aside.
func keepsMeaning(t *testing.T, before, after string) {
	t.Helper()
	var was, is map[string]any
	if before != "" {
		if err := json.Unmarshal(jsonc.Plain([]byte(strings.TrimPrefix(before, bom))), &was); err != nil {
			t.Fatal(err)
		}
	}
	if err := json.Unmarshal(jsonc.Plain([]byte(strings.TrimPrefix(after, bom))), &is); err != nil {
		t.Fatalf("%v in\n%s", err, after)
	}
	if strings.Contains(before, `"mine"`) && !strings.Contains(after, `"mine"`) {
		t.Errorf("the user's own hook is gone:\n%s", after)
	}
	delete(was, "hooks")
	delete(is, "hooks")
	if len(was) == 0 && len(is) == 0 {
		return
	}
	if diff := cmp.Diff(was, is); diff != "" {
		t.Errorf("(-before +after)\n%s", diff)
	}
}
