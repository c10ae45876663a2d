package pricing

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func updateDay() time.Time { return time.Date(2026, 12, 5, 9, 0, 0, 0, time.UTC) }

// source writes data to a file that an update can read.
func source(t *testing.T, data []byte) string {
	path := filepath.Join(t.TempDir(), "new.json")
	put(t, path, data)
	return path
}

func update(t *testing.T, dir, from string, change ...func(*UpdateOptions)) (UpdateReport, error) {
	t.Helper()
	o := UpdateOptions{From: from, Now: updateDay()}
	for _, f := range change {
		f(&o)
	}
	return Update(context.Background(), Files{Dir: dir}, o)
}

func version(t *testing.T, dir string) string {
	t.Helper()
	table, warnings, err := Load(Files{Dir: dir})
	if err != nil || len(warnings) != 0 {
		t.Fatalf("got %v, %v", warnings, err)
	}
	return table.Version()
}

func TestUpdate_FromFile(t *testing.T) {
	dir := t.TempDir()
	next := bytes.Replace(newer(t), []byte(opusRow[:40]), []byte(`"claude-opus-7":{"rates":[{"input":1,"output":2}]},`+opusRow[:40]), 1)
	got, err := update(t, dir, source(t, next))
	if err != nil {
		t.Fatal(err)
	}
	got.From = ""
	want := UpdateReport{
		SchemaVersion: 1, Format: "agent-prices", Before: "2026-11-30.2", After: "2026-12-05.1", AsOf: "2026-11-20", Installed: true,
		Added: []string{"anthropic/claude-opus-7"}, Removed: []string{},
		Changed: []Change{{"anthropic/claude-opus-5", "5/25/0.5/6.25", "6/25/0.5/6.25"}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if v := version(t, dir); v != "2026-12-05.1" {
		t.Errorf("active is %s", v)
	}
}

func TestUpdate_DryRunWritesNothing(t *testing.T) {
	dir := t.TempDir()
	got, err := update(t, dir, source(t, newer(t)), func(o *UpdateOptions) { o.DryRun = true })
	if err != nil || got.Installed || len(got.Changed) != 1 {
		t.Fatalf("got %v, %v", got, err)
	}
	if left, _ := os.ReadDir(dir); len(left) != 0 {
		t.Errorf("got %v", left)
	}
}

// Whatever is wrong with a new table, the old one stays.
func TestUpdate_Refused(t *testing.T) {
	for _, c := range []struct {
		name string
		data []byte
		want error
	}{
		{"no json", []byte("<html>"), ErrTable},
		{"an error object", []byte(`{"error":{"message":"down"}}`), ErrTable}, // steipete/tokentally#55
		{"behind the table", append(newer(t), "{}"...), ErrTable},
		{"a key twice", edited(t, ownVersion, ownVersion+","+ownVersion), ErrTable},
		{"an unknown key", edited(t, ownVersion, ownVersion+`,"extra":1`), ErrTable},
		{"a float", edited(t, opusRow, strings.Replace(opusRow, "5000000", "5000000.5", 1)), ErrTable},
		{"a negative price", edited(t, opusRow, strings.Replace(opusRow, "5000000", "-1", 1)), ErrTable},
		{"a price beyond reason", edited(t, opusRow, strings.Replace(opusRow, "5000000", "1000000000001", 1)), ErrTable},
		{"an alias twice", edited(t, `"aliases":["claude-5-opus"]`, `"aliases":["claude-5-opus","claude-opus-4.5"]`), ErrTable},
		{"an alias that is an id", edited(t, `"aliases":["claude-5-opus"]`, `"aliases":["Claude-Sonnet-5"]`), ErrTable},
		{"a gap between intervals", edited(t, `"to":"2026-03-13"`, `"to":"2026-03-12"`), ErrTable},
		{"no date", edited(t, `"to":"2026-03-13"`, `"to":"soon"`), ErrTable},
		{"an unknown mode", edited(t, `"fast":{`, `"warp":{`), ErrTable},
		{"a tier below its base", edited(t, `"above":200000,"input":6000000`, `"above":200000,"input":600000`), ErrTable},
		{"an alias of no provider", edited(t, `"claude":"anthropic"`, `"claude":"nobody"`), ErrTable},
		{"control characters in an id", edited(t, `"claude-opus-5":{"released"`, `"claude\u0007":{"released"`), ErrTable},
		{"a vendor without its models", edited(t, `"google":{"kind"`, `"gogol":{"kind"`), ErrTable},
		{"older", edited(t, ownVersion, `"version":"2026-11-29.9"`), ErrOlder},
		{"older by its sources", edited(t, `"as_of":"2026-11-20"`, `"as_of":"2026-11-19"`), ErrOlder},
		{"shrunk", shrunk(t), ErrShrunk},
		{"a rate that jumped", edited(t, opusRow, strings.Replace(opusRow, "5000000", "105000000", 1)), ErrJump},
		{"a vendor's price that vanished to 0", edited(t, opusRow, strings.Replace(opusRow, "5000000", "0", 1)), ErrJump},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			if _, err := update(t, dir, source(t, c.data)); !errors.Is(err, c.want) {
				t.Errorf("got %v, want %v", err, c.want)
			}
			if left, _ := os.ReadDir(dir); len(left) != 0 {
				t.Errorf("written: %v", left)
			}
		})
	}
}

// shrunk is a table of the three large vendors alone.
func shrunk(t *testing.T) []byte {
	b, err := openBook(newer(t))
	if err != nil {
		t.Fatal(err)
	}
	for name := range b.providers {
		if name != "anthropic" && name != "openai" && name != "google" {
			delete(b.providers, name)
		}
	}
	b.parts["provider_aliases"] = []byte(`{}`)
	return b.bytes()
}

func TestUpdate_Waivers(t *testing.T) {
	dir := t.TempDir()
	older := source(t, edited(t, ownVersion, `"version":"2026-11-01"`))
	if _, err := update(t, dir, older, func(o *UpdateOptions) { o.AllowOlder = true }); err != nil {
		t.Fatal(err)
	}
	if v := version(t, dir); v != "2026-11-01" {
		t.Errorf("an older table that was asked for: active is %s", v)
	}
	jumped := source(t, edited(t, ownVersion, `"version":"2026-12-01"`, opusRow, strings.Replace(opusRow, "5000000", "500000000", 1)))
	if _, err := update(t, dir, jumped, func(o *UpdateOptions) { o.Force = true }); err != nil {
		t.Error(err)
	}
}

func TestUpdate_Usage(t *testing.T) {
	for _, c := range []struct {
		o    UpdateOptions
		want error
	}{
		{UpdateOptions{}, ErrNoSource},
		{UpdateOptions{From: "embedded", Format: "csv"}, ErrFormat},
		{UpdateOptions{From: "embedded", Format: FormatLiteLLM}, ErrFormat},
		{UpdateOptions{From: "embedded", Providers: []string{"openai"}}, ErrFormat},
		{UpdateOptions{From: filepath.Join(t.TempDir(), "none")}, os.ErrNotExist},
	} {
		if _, err := Update(context.Background(), Files{Dir: t.TempDir()}, c.o); !errors.Is(err, c.want) {
			t.Errorf("input %v: got %v, want %v", c.o, err, c.want)
		}
	}
}

func TestRollback_ChangesPlaces(t *testing.T) {
	dir := t.TempDir()
	if _, err := Rollback(Files{Dir: dir}); !errors.Is(err, ErrNoPrevious) {
		t.Errorf("nothing was installed: got %v", err)
	}
	third := edited(t, ownVersion, `"version":"2026-12-06"`)
	for _, data := range [][]byte{newer(t), third} {
		if _, err := update(t, dir, source(t, data)); err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range []RollbackReport{{1, "2026-12-06", "2026-12-05.1"}, {1, "2026-12-05.1", "2026-12-06"}} {
		got, err := Rollback(Files{Dir: dir})
		if err != nil || got != want || version(t, dir) != want.After {
			t.Errorf("got %v, %v, active %s, want %v", got, err, version(t, dir), want)
		}
	}
}

func TestRollback_ToTheEmbeddedTable(t *testing.T) {
	dir := t.TempDir()
	if _, err := update(t, dir, source(t, newer(t))); err != nil {
		t.Fatal(err)
	}
	got, err := Rollback(Files{Dir: dir})
	if want := (RollbackReport{1, "2026-12-05.1", "2026-11-30.2"}); err != nil || got != want || version(t, dir) != want.After {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
}

// A write that was cut off leaves temporary files, and the table as it was.
func TestLoad_LeftOvers(t *testing.T) {
	dir := t.TempDir()
	if _, err := update(t, dir, source(t, newer(t))); err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(dir, installedName+".tmp-123"), []byte("{"))
	put(t, filepath.Join(dir, installedName+stampSuffix), []byte("{"))
	if v := version(t, dir); v != "2026-12-05.1" {
		t.Errorf("got %s", v)
	}
}

func TestUpdate_FromServer(t *testing.T) {
	next := newer(t)
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	if _, err := w.Write(next); err != nil || w.Close() != nil {
		t.Fatal("cannot pack")
	}
	other := httptest.NewServer(http.NotFoundHandler())
	defer other.Close()
	mux := http.NewServeMux()
	mux.HandleFunc("/plain", func(w http.ResponseWriter, _ *http.Request) { w.Write(next) })
	mux.HandleFunc("/packed.gz", func(w http.ResponseWriter, _ *http.Request) { w.Write(packed.Bytes()) })
	mux.HandleFunc("/encoded", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		w.Write(packed.Bytes())
	})
	mux.HandleFunc("/here", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/plain", http.StatusFound) })
	mux.HandleFunc("/away", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, other.URL, http.StatusFound) })
	mux.HandleFunc("/huge", func(w http.ResponseWriter, _ *http.Request) {
		for range 17 {
			w.Write(make([]byte, 1<<20))
		}
	})
	mux.HandleFunc("/bomb", func(w http.ResponseWriter, _ *http.Request) {
		z := gzip.NewWriter(w)
		for range 70 {
			z.Write(make([]byte, 1<<20))
		}
		z.Close()
	})
	server := httptest.NewServer(mux)
	defer server.Close()
	for path, want := range map[string]error{
		"/plain": nil, "/packed.gz": nil, "/encoded": nil, "/here": nil,
		"/away": errRedirect, "/missing": errStatus, "/huge": ErrTable, "/bomb": ErrTable,
	} {
		if _, err := update(t, t.TempDir(), server.URL+path); !errors.Is(err, want) {
			t.Errorf("input %s: got %v, want %v", path, err, want)
		}
	}
}

func TestUpdate_Addresses(t *testing.T) {
	for _, from := range []string{"http://prices.example.com/x", "http://10.0.0.1/x", "ftp://localhost/x", "https://user:word@example.com/", "file:///etc/passwd", "https://"} {
		if _, err := update(t, t.TempDir(), from); !errors.Is(err, errAddress) {
			t.Errorf("input %s: got %v, want %v", from, err, errAddress)
		}
	}
}

func TestCompareVersions(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"2026-11-30.2", "2026-11-30.10", -1},
		{"2026-12-01", "2026-11-30.2", 1},
		{"2026-11-30.2", "2026-11-30.2", 0},
		{"2026-11-30.2+litellm.20261205.090000", "2026-11-30.2", 1},
		{"2026-11-30.3", "2026-11-30.2+litellm.20261205.090000", 1},
	} {
		if got := compareVersions(c.a, c.b); got != c.want {
			t.Errorf("input %s, %s: got %d, want %d", c.a, c.b, got, c.want)
		}
	}
}
