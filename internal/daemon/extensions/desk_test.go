package extensions

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"meterbridge/bridge"
	"meterbridge/bridge/registry"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// manifestOf is a process with one tool.
const manifestOf = `{"manifestVersion":1,"name":"NAME","displayName":"Desk","version":"VERSION","protocol":1,"command":["COMMAND"],
"permissions":PERMISSIONS,"tools":[{"name":"open","description":"TEXT","inputSchema":{"type":"object"}}]}`

type pack map[string]string

func (p pack) text() string {
	text := manifestOf
	for _, d := range [][2]string{{"NAME", "ticket-desk"}, {"VERSION", "1.0.0"}, {"COMMAND", "./run"}, {"PERMISSIONS", "[]"}, {"TEXT", "Opens."}} {
		value, set := p[d[0]]
		if !set {
			value = d[1]
		}
		text = strings.Replace(text, d[0], value, 1)
	}
	return text
}

// folder is a package on disk.
func (p pack) folder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	code := p["code"]
	if err := errors.Join(os.WriteFile(filepath.Join(dir, "meterbridge-extension.json"), []byte(p.text()), 0o600), os.WriteFile(filepath.Join(dir, "run"), []byte(code), 0o700)); err != nil {
		t.Fatal(err)
	}
	return dir
}

func options(folder string) Options {
	at := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	return Options{Folder: folder, Version: "1.0.0", OS: "linux", Now: func() time.Time { return at }, Find: func(name string) (string, error) { return "/bin/" + name, nil }}
}

func newDesk(t *testing.T) *Desk {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "extensions")
	t.Cleanup(func() { _ = removeTree(folder) })
	return Open(options(folder))
}

func install(t *testing.T, d *Desk, p pack, dev bool) {
	t.Helper()
	if err := tryInstall(d, p.folder(t), dev); err != nil {
		t.Fatal(err)
	}
}

func tryInstall(d *Desk, path string, dev bool) error {
	plan, err := d.Prepare(context.Background(), path, dev)
	if err != nil {
		return err
	}
	return d.Install(plan, Choice{Approve: true, By: "test"})
}

func approve(t *testing.T, d *Desk, name string) {
	t.Helper()
	p, err := d.Propose(name, "")
	if err == nil {
		err = d.Approve(p, Choice{Approve: true, By: "test"})
	}
	if err != nil {
		t.Fatal(err)
	}
}

func link(t *testing.T, d *Desk, name, agent string) {
	t.Helper()
	if _, err := d.Link(t.Context(), name, agent); err != nil {
		t.Fatal(err)
	}
}

// sees lists the tools that an agent sees.
func sees(d *Desk, agent string) (names []string) {
	tools, who := d.Tools(nil)
	for _, tool := range tools {
		if who(bridge.Identity{Agent: agent}, tool.Name) {
			names = append(names, tool.Name)
		}
	}
	return names
}

func why(t *testing.T, d *Desk, name string) string {
	t.Helper()
	x, err := d.ShowExtension(name)
	if err != nil {
		t.Fatal(err)
	}
	if x.Why == nil {
		return ""
	}
	return *x.Why
}

func expect(t *testing.T, what string, got, want []string) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got)\n%s", what, diff)
	}
}

// Two agents, a link and a switch: who sees what, and what a registry says of it.
func TestPolicy_TwoAgentMatrix(t *testing.T) {
	d := newDesk(t)
	install(t, d, pack{}, false)
	expect(t, "before a link", sees(d, "anna"), nil)
	link(t, d, "ticket-desk", "anna")
	expect(t, "linked", sees(d, "anna"), []string{"ticket_desk_open"})
	expect(t, "the other agent", sees(d, "bert"), nil)
	expect(t, "the user", sees(d, bridge.Local), nil)
	expect(t, "nobody", sees(d, ""), nil)
	r, err := registry.New()
	if err != nil {
		t.Fatal(err)
	}
	d.Publish(r, nil, nil)
	if r.Snapshot().Find("ticket_desk_open") == nil || r.Snapshot().Visible(bridge.Identity{Agent: "bert"}, "ticket_desk_open") {
		t.Error("a tool that is not turned on must be known and not visible")
	}
	for _, step := range []struct {
		what string
		do   func() error
		want []string
	}{
		{"tool off", func() error { return d.Turn("ticket-desk", "open", false) }, nil},
		{"tool on", func() error { return d.Turn("ticket-desk", "open", true) }, []string{"ticket_desk_open"}},
		{"off", func() error { return d.Turn("ticket-desk", "", false) }, nil},
		{"on", func() error { return d.Turn("ticket-desk", "", true) }, []string{"ticket_desk_open"}},
		{"unlinked", func() error { _, err := d.Unlink(t.Context(), "ticket-desk", "anna"); return err }, nil},
	} {
		if err := step.do(); err != nil {
			t.Fatalf("%s: %v", step.what, err)
		}
		expect(t, step.what, sees(d, "anna"), step.want)
		if got := r.Snapshot().Visible(bridge.Identity{Agent: "anna"}, "ticket_desk_open"); got != (step.want != nil) {
			t.Errorf("%s: the registry says %v", step.what, got)
		}
	}
}

// A long name is told short, unless the settings say whole.
func TestPublish_LongNames(t *testing.T) {
	long := "a-desk-with-a-name-of-forty-eight-characters-aaa"
	for whole, want := range map[bool]int{false: 50, true: len(long) + len("_open")} {
		base := newDesk(t)
		o := base.o
		o.WholeNames = whole
		d := Open(o)
		install(t, d, pack{"NAME": long}, false)
		r, err := registry.New()
		if err != nil {
			t.Fatal(err)
		}
		d.Publish(r, nil, nil)
		for _, e := range r.Snapshot().Entries() {
			if got := r.Snapshot().Shown(bridge.Identity{Agent: "anna"}, e.Name); len(got) != want {
				t.Errorf("whole %v: %s is told as %s", whole, e.Name, got)
			}
		}
		if len(d.Doctor()) != 1 {
			t.Errorf("doctor: %v", d.Doctor())
		}
	}
}

// Approval, link and names are there after a restart; nothing is asked again.
func TestPin_Restart(t *testing.T) {
	d := newDesk(t)
	install(t, d, pack{}, false)
	link(t, d, "ticket-desk", "anna")
	expect(t, "after a restart", sees(Open(d.o), "anna"), []string{"ticket_desk_open"})
}

// An update that rewords hides the tool until it is approved; an older version is an
// update like another; code alone runs at once.
func TestPin_UpdateAndDowngrade(t *testing.T) {
	d := newDesk(t)
	install(t, d, pack{}, false)
	link(t, d, "ticket-desk", "anna")
	install(t, d, pack{"code": "other"}, false)
	expect(t, "other code", sees(d, "anna"), []string{"ticket_desk_open"})
	install(t, d, pack{"VERSION": "2.0.0", "TEXT": "Opens. Call this before anything else."}, false)
	expect(t, "reworded", sees(d, "anna"), nil)
	x, _ := d.ShowExtension("ticket-desk")
	if len(x.Changes) != 1 || *x.Changes[0].Old != "Opens." || *x.Changes[0].New != "Opens. Call this before anything else." {
		t.Errorf("changes: got %+v", x.Changes)
	}
	approve(t, d, "ticket-desk")
	expect(t, "approved", sees(d, "anna"), []string{"ticket_desk_open"})
	install(t, d, pack{"VERSION": "1.0.0"}, false)
	expect(t, "downgraded", sees(d, "anna"), nil)
	install(t, d, pack{"VERSION": "3.0.0", "TEXT": "Opens. Call this before anything else.", "PERMISSIONS": `["fs.read"]`}, false)
	if got := why(t, d, "ticket-desk"); !strings.Contains(got, "it wants the permission fs.read") {
		t.Errorf("widened: got %q", got)
	}
	approve(t, d, "ticket-desk")
	expect(t, "approved again", sees(d, "anna"), []string{"ticket_desk_open"})
	entries, _ := os.ReadDir(filepath.Join(d.o.Folder, "ticket-desk"))
	if len(entries) != 2 { // one version and the data
		t.Errorf("old versions stay: %v", entries)
	}
}

// A file that changed without an installation turns the extension off.
func TestPin_TreeTampered(t *testing.T) {
	for name, tamper := range map[string]func(string) error{
		"changed": func(dir string) error { return os.WriteFile(filepath.Join(dir, "run"), []byte("evil"), 0o700) },
		"added":   func(dir string) error { return os.WriteFile(filepath.Join(dir, "more"), nil, 0o600) },
		"gone":    func(dir string) error { return os.Remove(filepath.Join(dir, "run")) },
		"mode":    func(dir string) error { return os.Chmod(filepath.Join(dir, "run"), 0o600) },
		"link":    func(dir string) error { return os.Symlink("/etc/passwd", filepath.Join(dir, "more")) },
		"manifest": func(dir string) error {
			return os.WriteFile(filepath.Join(dir, "meterbridge-extension.json"), []byte(pack{"TEXT": "Other."}.text()), 0o600)
		},
	} {
		d := newDesk(t)
		install(t, d, pack{}, false)
		link(t, d, "ticket-desk", "anna")
		x, _ := d.ShowExtension("ticket-desk")
		if err := errors.Join(os.Chmod(x.Folder, 0o700), os.Chmod(filepath.Join(x.Folder, "run"), 0o700), os.Chmod(filepath.Join(x.Folder, "meterbridge-extension.json"), 0o600), tamper(x.Folder)); err != nil {
			t.Fatal(err)
		}
		d.Refresh()
		expect(t, name, sees(d, "anna"), nil)
		if got := why(t, d, "ticket-desk"); got == "" {
			t.Errorf("%s: nothing is said", name)
		}
		if len(d.Doctor()) == 0 {
			t.Errorf("%s: doctor says nothing", name)
		}
	}
}

// A record that is missing, damaged or unreadable shows nothing and is never written over.
func TestPin_CorruptStateFailsClosed(t *testing.T) {
	for name, damage := range map[string]func(string) error{
		"missing":   os.Remove,
		"empty":     func(p string) error { return os.WriteFile(p, nil, 0o600) },
		"cut":       func(p string) error { return os.Truncate(p, 100) },
		"a folder":  func(p string) error { return errors.Join(os.Remove(p), os.Mkdir(p, 0o700)) },
		"edited":    func(p string) error { return edit(p, `"anna"`, `"bert"`) },
		"no number": func(p string) error { return edit(p, `"lastSeq":1`, `"lastSeq":2`) },
	} {
		d := newDesk(t)
		install(t, d, pack{}, false)
		link(t, d, "ticket-desk", "anna")
		path := filepath.Join(d.o.Folder, stateFile)
		if err := damage(path); err != nil {
			t.Fatal(err)
		}
		before, _ := os.ReadFile(path)
		for _, desk := range []*Desk{d, Open(d.o)} {
			desk.Refresh()
			if tools, _ := desk.Tools(nil); len(tools) != 0 {
				t.Errorf("%s: %d tools are there", name, len(tools))
			}
			if list := desk.ListExtensions(); list.Problem == nil {
				t.Errorf("%s: the list says nothing", name)
			}
			if found := desk.Doctor(); len(found) != 1 || !strings.Contains(found[0].Hint, "state.previous.json") {
				t.Errorf("%s: doctor says %v", name, found)
			}
			if err := tryInstall(desk, pack{"NAME": "other-desk"}.folder(t), false); err == nil {
				t.Errorf("%s: it was installed over", name)
			}
			if _, err := desk.Link(t.Context(), "ticket-desk", "bert"); err == nil {
				t.Errorf("%s: it was linked over", name)
			}
		}
		if after, _ := os.ReadFile(path); string(after) != string(before) {
			t.Errorf("%s: the record was written", name)
		}
	}
}

func edit(path, from, to string) error {
	text, err := os.ReadFile(path)
	if err == nil && !strings.Contains(string(text), from) {
		err = fmt.Errorf("%s is not in %s", from, text)
	}
	return errors.Join(err, os.WriteFile(path, []byte(strings.Replace(string(text), from, to, 1)), 0o600))
}

// The record is its user's alone, and the one before stays.
func TestRecord_FilesAndModes(t *testing.T) {
	d := newDesk(t)
	install(t, d, pack{}, false)
	before, _ := os.ReadFile(filepath.Join(d.o.Folder, stateFile))
	link(t, d, "ticket-desk", "anna")
	for _, name := range []string{stateFile, previousFile} {
		info, err := os.Stat(filepath.Join(d.o.Folder, name))
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", name, info, err)
		}
	}
	if got, _ := os.ReadFile(filepath.Join(d.o.Folder, previousFile)); string(got) != string(before) {
		t.Error("the record before the change is not kept")
	}
	x, _ := d.ShowExtension("ticket-desk")
	if info, err := os.Stat(filepath.Join(x.Folder, "run")); err != nil || info.Mode().Perm()&0o222 != 0 {
		t.Errorf("the package can be written: %v, %v", info, err)
	}
	if !strings.HasSuffix(x.Folder, "ticket-desk/1.0.0-"+(*x.Tree)[:12]) {
		t.Errorf("folder: %s", x.Folder)
	}
}

// A package under work is followed: a reworded tool hides at once, a broken manifest
// turns it off, and both come back.
func TestDev_IsFollowed(t *testing.T) {
	d := newDesk(t)
	folder := pack{}.folder(t)
	if err := tryInstall(d, folder, true); err != nil {
		t.Fatal(err)
	}
	link(t, d, "ticket-desk", "anna")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(folder, "meterbridge-extension.json"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if !d.stale() {
			t.Error("the change was not seen")
		}
		d.Refresh()
	}
	write(pack{"TEXT": "Opens at once."}.text())
	expect(t, "reworded", sees(d, "anna"), nil)
	write(`{`)
	if got := why(t, d, "ticket-desk"); !strings.Contains(got, "cannot be used") {
		t.Errorf("broken: got %q", got)
	}
	write(pack{}.text())
	expect(t, "as it was", sees(d, "anna"), []string{"ticket_desk_open"})
	if err := os.WriteFile(filepath.Join(folder, "run"), []byte("new code"), 0o700); err != nil {
		t.Fatal(err)
	}
	d.Refresh()
	expect(t, "new code", sees(d, "anna"), []string{"ticket_desk_open"})
}

// What was approved is what was shown, not what came after.
func TestApprove_WhatWasShown(t *testing.T) {
	d := newDesk(t)
	install(t, d, pack{}, false)
	install(t, d, pack{"VERSION": "2.0.0", "TEXT": "Shown."}, false)
	p, err := d.Propose("ticket-desk", "")
	if err != nil {
		t.Fatal(err)
	}
	install(t, d, pack{"VERSION": "3.0.0", "TEXT": "Not shown."}, false)
	if err := d.Approve(p, Choice{Approve: true}); err == nil || !strings.Contains(err.Error(), "changed while it was looked at") {
		t.Errorf("got %v", err)
	}
}

// Another process works on the same files: changes are seen, and races leave one
// whole state.
func TestInstall_Races(t *testing.T) {
	first := newDesk(t)
	second := Open(first.o)
	var wg sync.WaitGroup
	for i := range 12 {
		d := []*Desk{first, second}[i%2]
		path := pack{"NAME": fmt.Sprintf("desk-%d", i/4), "VERSION": fmt.Sprintf("1.0.%d", i%3), "code": fmt.Sprint(i)}.folder(t)
		wg.Go(func() {
			if err := tryInstall(d, path, false); err != nil {
				t.Errorf("install %d: %v", i, err)
			}
		})
	}
	wg.Wait()
	for _, d := range []*Desk{first, second, Open(first.o)} {
		d.Refresh()
		list := d.ListExtensions()
		if list.Problem != nil || len(list.Rows) != 3 {
			t.Fatalf("got %+v", list)
		}
		for _, r := range list.Rows {
			if r.State != "idle" {
				t.Errorf("%s is %s: %v", r.Name, r.State, r.Why)
			}
		}
	}
	if entries, _ := os.ReadDir(filepath.Join(first.o.Folder, stagingFolder)); len(entries) != 0 {
		t.Errorf("left behind: %v", entries)
	}
}

func TestRemove(t *testing.T) {
	d := newDesk(t)
	install(t, d, pack{}, false)
	link(t, d, "ticket-desk", "anna")
	if err := d.Remove("ticket-desk", false); err != nil {
		t.Fatal(err)
	}
	expect(t, "removed", sees(d, "anna"), nil)
	install(t, d, pack{}, false)
	expect(t, "its links are gone", sees(d, "anna"), nil)
	link(t, d, "ticket-desk", "anna")
	expect(t, "its approval is not", sees(d, "anna"), []string{"ticket_desk_open"})
	if err := d.Remove("ticket-desk", true); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(d.o.Folder, "ticket-desk")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("its folder: %v", err)
	}
	var fault *Fault
	if err := d.Remove("ticket-desk", false); !errors.As(err, &fault) || !fault.Nothing {
		t.Errorf("once more: %v", err)
	}
}

func TestPrepare_Refuses(t *testing.T) {
	d := newDesk(t)
	for name, c := range map[string]struct{ path, want string }{
		"nothing there": {filepath.Join(t.TempDir(), "none"), "there is nothing at"},
		"no manifest":   {t.TempDir(), "there is no manifest at its root"},
		"bad manifest":  {pack{"VERSION": "1"}.folder(t), "/version: must be a semantic version"},
		"no program":    {pack{"COMMAND": "./other"}.folder(t), "/command/0: the package has no file other"},
		"reserved":      {pack{"NAME": "terminal"}.folder(t), "the name is reserved"},
		"poisoned":      {pack{"TEXT": `Opens.\u202e`}.folder(t), "hidden character U+202E"},
	} {
		_, err := d.Prepare(t.Context(), c.path, false)
		if got := fmt.Sprint(err); !strings.Contains(got, c.want) {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
	}
	if entries, _ := os.ReadDir(filepath.Join(d.o.Folder, stagingFolder)); len(entries) != 0 {
		t.Errorf("left behind: %v", entries)
	}
}

// runtime is a host whose calls wait.
type runtime struct {
	entered chan bridge.Invocation
	synced  [][]bridge.Installed
	mu      sync.Mutex
}

func (r *runtime) Sync(list []bridge.Installed) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.synced = append(r.synced, list)
}

func (r *runtime) Call(ctx context.Context, c bridge.Invocation) (bridge.Result, error) {
	r.entered <- c
	<-ctx.Done()
	return bridge.Result{}, context.Cause(ctx)
}

func (r *runtime) Report(string) bridge.RunReport { return bridge.RunReport{State: bridge.StateReady} }
func (r *runtime) Wake([]string)                  {}

// A call that runs is stopped when its link or its extension goes.
func TestCall_EndsWithItsLink(t *testing.T) {
	for name, c := range map[string]struct {
		do   func(*Desk) error
		want string
	}{
		"unlink":  {func(d *Desk) error { _, err := d.Unlink(context.Background(), "ticket-desk", "anna"); return err }, "UNAVAILABLE: the link was removed while the call ran"},
		"disable": {func(d *Desk) error { return d.Turn("ticket-desk", "", false) }, "UNAVAILABLE: the tool was turned off while the call ran"},
		"remove":  {func(d *Desk) error { return d.Remove("ticket-desk", false) }, "UNAVAILABLE: the tool was turned off while the call ran"},
	} {
		r := &runtime{entered: make(chan bridge.Invocation, 1)}
		base := newDesk(t)
		o := base.o
		o.Runtime = r
		d := Open(o)
		install(t, d, pack{}, false)
		link(t, d, "ticket-desk", "anna")
		tools, _ := d.Tools(nil)
		failed := make(chan error, 1)
		go func() {
			_, err := tools[0].Call(context.Background(), bridge.Identity{Agent: "anna"}, json.RawMessage(`{}`))
			failed <- err
		}()
		if got := <-r.entered; got.Tool != "open" || got.Extension != "ticket-desk" || got.Agent != "anna" {
			t.Errorf("%s: called with %+v", name, got)
		}
		if err := c.do(d); err != nil {
			t.Fatal(err)
		}
		if err := <-failed; fmt.Sprint(err) != c.want {
			t.Errorf("%s: got %v, want %s", name, err, c.want)
		}
		if _, err := tools[0].Call(context.Background(), bridge.Identity{Agent: "anna"}, json.RawMessage(`{}`)); err == nil {
			t.Errorf("%s: an old snapshot calls on", name)
		}
	}
}

// The watch ends with its context, and hears of the runtime's news.
func TestRun_EndsAndHears(t *testing.T) {
	d := newDesk(t)
	heard := make(chan struct{}, 10)
	d.Watch(func() { heard <- struct{}{} })
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- d.Run(ctx) }()
	d.Reported()
	<-heard
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}
