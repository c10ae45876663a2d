package extensions

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"meterbridge/bridge/host"
)

const settled = `"settings":[{"key":"limit","type":"number","label":"Limit","default":5,"max":10},{"key":"name","type":"string","label":"Name","required":true},
{"key":"loud","type":"boolean","label":"Loud"},{"key":"token","type":"secret","label":"Token","maxLength":8}],`

// settable is a desk with an extension that has settings and works on files.
func settable(t *testing.T) *Desk {
	t.Helper()
	d := newDesk(t)
	install(t, d, pack{"PERMISSIONS": `["fs.write"],` + strings.TrimSuffix(settled, ",")}, false)
	return d
}

func raw(values ...string) map[string]json.RawMessage {
	m := map[string]json.RawMessage{}
	for i := 0; i < len(values); i += 2 {
		m[values[i]] = json.RawMessage(values[i+1])
	}
	return m
}

func TestSettings_AreChecked(t *testing.T) {
	d := settable(t)
	for _, c := range []struct {
		name string
		s    Setting
		want string
	}{
		{"fit", Setting{Values: raw("limit", "7", "name", `"x"`, "loud", "true")}, ""},
		{"out of range", Setting{Values: raw("limit", "11")}, "limit: is outside of min and max"},
		{"another type", Setting{Values: raw("limit", `"7"`)}, "limit: must be a number"},
		{"unknown", Setting{Values: raw("other", "1")}, "other: is no setting of it"},
		{"a secret as a value", Setting{Values: raw("token", `"x"`)}, "token: is a secret, which only its user sets, with --secret"},
		{"a value as a secret", Setting{Secrets: map[string]string{"name": "x"}}, "name: is no secret; set it with KEY=VALUE"},
		{"a long secret", Setting{Secrets: map[string]string{"token": "123456789"}}, "token: has 1 to 8 characters"},
		{"one of two", Setting{Values: raw("limit", "8", "other", "1")}, "other: is no setting of it"},
		{"unset unknown", Setting{Unset: []string{"other"}}, "other: is no setting of it"},
	} {
		err := d.Set("ticket-desk", c.s)
		var told *Fault
		if got := ""; err != nil {
			if !errors.As(err, &told) || !told.Wrong {
				t.Errorf("%s: %v", c.name, err)
			}
			got = strings.TrimPrefix(err.Error(), "ticket-desk: ")
			if got != c.want {
				t.Errorf("%s: %q, want %q", c.name, got, c.want)
			}
		} else if c.want != "" {
			t.Errorf("%s: went well, want %q", c.name, c.want)
		}
	}
	want := host.Settings{Values: raw("limit", "7", "name", `"x"`, "loud", "true"), Secrets: map[string]bool{"token": false}}
	if diff := cmp.Diff(want, d.Settings("ticket-desk")); diff != "" {
		t.Error(diff)
	}
}

// A secret is kept for its user alone, outside of the extension's folder, told to
// nobody, and forgotten with the extension.
func TestSettings_Secrets(t *testing.T) {
	d := settable(t)
	if err := d.Set("ticket-desk", Setting{Secrets: map[string]string{"token": "s3cret"}}); err != nil {
		t.Fatal(err)
	}
	if value, set := d.Secret("ticket-desk", "token"); value != "s3cret" || !set {
		t.Errorf("secret %q %v", value, set)
	}
	x, err := d.ShowExtension("ticket-desk")
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(x)
	if err != nil || strings.Contains(string(text), "s3cret") || !strings.Contains(string(text), `"key":"token","type":"secret"`) {
		t.Errorf("shown: %s, %v", text, err)
	}
	path := d.settingsPath("ticket-desk")
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("file %v, %v", info, err)
	}
	inst := d.Installed()[0]
	for _, dir := range []string{inst.Folder, inst.Data} {
		if rel, err := filepath.Rel(dir, path); err != nil || filepath.IsLocal(rel) {
			t.Errorf("%s is in %s, where the extension reads", path, dir)
		}
	}
	if err := d.Set("ticket-desk", Setting{Unset: []string{"token"}}); err != nil {
		t.Fatal(err)
	}
	if _, set := d.Secret("ticket-desk", "token"); set {
		t.Error("it is still set")
	}
	if err := d.Remove("ticket-desk", true); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("after it was forgotten: %v", err)
	}
}

// A value that the next version does not allow falls back to the default.
func TestSettings_FollowTheManifest(t *testing.T) {
	d := settable(t)
	if err := d.Set("ticket-desk", Setting{Values: raw("limit", "9")}); err != nil {
		t.Fatal(err)
	}
	install(t, d, pack{"VERSION": "2.0.0", "PERMISSIONS": `["fs.write"],"settings":[{"key":"limit","type":"number","label":"Limit","default":2,"max":3}]`}, false)
	if diff := cmp.Diff(raw("limit", "2"), d.Settings("ticket-desk").Values); diff != "" {
		t.Error(diff)
	}
}

func TestWorkspace(t *testing.T) {
	d := settable(t)
	install(t, d, pack{"NAME": "plain-desk"}, false)
	work := t.TempDir()
	if w := d.Workspace("ticket-desk"); w.ID != "default" || w.Folder != "" {
		t.Errorf("at first %+v", w)
	}
	shop, none, missing, data := "shop", "", filepath.Join(work, "none"), filepath.Dir(d.o.Folder)
	if err := d.SetWorkspace("ticket-desk", &shop, &work); err != nil {
		t.Fatal(err)
	}
	w := d.Workspace("ticket-desk")
	if w.ID != "shop" || w.Folder != work || strings.HasPrefix(w.Trash, work) {
		t.Errorf("set: %+v", w)
	}
	for name, err := range map[string]error{
		"no folder": d.SetWorkspace("ticket-desk", nil, &missing), "the data folder": d.SetWorkspace("ticket-desk", nil, &data),
		"no permission": d.SetWorkspace("plain-desk", nil, &work), "unknown": d.SetWorkspace("none", nil, &work),
	} {
		if err == nil {
			t.Errorf("%s: was taken", name)
		}
	}
	if err := d.SetWorkspace("ticket-desk", nil, &none); err != nil || d.Workspace("ticket-desk").Folder != "" || d.Workspace("ticket-desk").ID != "shop" {
		t.Errorf("taken away: %v %+v", err, d.Workspace("ticket-desk"))
	}
}

// A prompt that waits is sent only as long as its sender may prompt that agent.
func TestMayPrompt(t *testing.T) {
	d := newDesk(t)
	may := func() string {
		if err := d.MayPrompt("ticket-desk", "anna"); err != nil {
			return err.Error()
		}
		return ""
	}
	check := func(what, want string) {
		t.Helper()
		if got := may(); got != want && (want == "" || !strings.Contains(got, want)) {
			t.Errorf("%s: %q, want %q", what, got, want)
		}
	}
	check("not there", "not there any more")
	install(t, d, pack{"PERMISSIONS": `["agents.prompt"]`}, false)
	check("not linked", "is not linked")
	link(t, d, "ticket-desk", "anna")
	check("linked", "")
	if err := d.Turn("ticket-desk", "", false); err != nil {
		t.Fatal(err)
	}
	check("turned off", "turned off")
	if err := d.Turn("ticket-desk", "", true); err != nil {
		t.Fatal(err)
	}
	install(t, d, pack{"VERSION": "2.0.0"}, false)
	check("without the permission", "no permission")
}

// The user is shown the program of a card that has one.
func TestAnswer_TellsTheProgramOfACard(t *testing.T) {
	d, dir := newDesk(t), t.TempDir()
	card := `{"manifestVersion":1,"name":"board","displayName":"Board","version":"1.0.0","protocol":1}`
	for name, text := range map[string]string{"neurosquad-card.json": card, "index.html": "<p>", "headless.mjs": ""} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	plan, err := d.Prepare(t.Context(), dir, false)
	if err != nil {
		t.Fatal(err)
	}
	defer plan.Discard()
	if diff := cmp.Diff([]string{"node", "./headless.mjs"}, plan.Answer().Command); diff != "" {
		t.Error(diff)
	}
}
