package pricing

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// edited is the embedded table as text with replacements, each of which must fit.
func edited(t testing.TB, pairs ...string) []byte {
	t.Helper()
	text := string(embeddedData())
	for i := 0; i < len(pairs); i += 2 {
		if !strings.Contains(text, pairs[i]) {
			t.Fatalf("the table does not hold %s", pairs[i])
		}
		text = strings.Replace(text, pairs[i], pairs[i+1], 1)
	}
	return []byte(text)
}

const (
	ownVersion = `"version":"2026-11-30.2"`
	opusRow    = `"claude-opus-5":{"released":"2026-07-24","rates":[{"from":"2026-07-24","input":5000000,`
)

// newer is a table that came after the embedded one: Opus 5 costs 6 there.
func newer(t testing.TB) []byte {
	return edited(t, ownVersion, `"version":"2026-12-05.1"`, opusRow, strings.Replace(opusRow, `"input":5000000`, `"input":6000000`, 1))
}

func put(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestLoad_NothingInstalled(t *testing.T) {
	table, warnings, err := Load(Files{Dir: filepath.Join(t.TempDir(), "none"), User: filepath.Join(t.TempDir(), "none")})
	if err != nil || len(warnings) != 0 || table.Version() != "2026-11-30.2" {
		t.Errorf("got %s, %v, %v", table.Version(), warnings, err)
	}
}

func TestLoad_Installed(t *testing.T) {
	dir := t.TempDir()
	put(t, filepath.Join(dir, installedName), newer(t))
	table, warnings, err := Load(Files{Dir: dir})
	if err != nil || len(warnings) != 0 || table.Version() != "2026-12-05.1" {
		t.Fatalf("got %s, %v, %v", table.Version(), warnings, err)
	}
	r := million("anthropic", "claude-opus-5", prompt(1_000_000))
	if got := usd(table.Price(r, "").List); got != "31.00" {
		t.Errorf("got %s, want 6 + 25 = 31.00", got)
	}
}

// A file that cannot be used is named, and the embedded table holds.
func TestLoad_BadInstalledFile(t *testing.T) {
	for name, data := range map[string][]byte{
		"empty":          {},
		"error object":   []byte(`{"error":"rate limited"}`), // steipete/tokentally#55
		"truncated":      newer(t)[:900_000],
		"another schema": edited(t, `"schema":"agent-prices/1"`, `"schema":"agent-prices/2"`),
	} {
		dir := t.TempDir()
		put(t, filepath.Join(dir, installedName), data)
		table, warnings, err := Load(Files{Dir: dir})
		if err != nil || len(warnings) != 1 || !errors.Is(warnings[0].Err, ErrTable) || table.Version() != "2026-11-30.2" {
			t.Errorf("%s: got %s, %v, %v", name, table.Version(), warnings, err)
		}
	}
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, installedName), 0o700); err != nil {
		t.Fatal(err)
	}
	if table, warnings, err := Load(Files{Dir: dir}); err != nil || len(warnings) != 1 || table.Version() != "2026-11-30.2" {
		t.Errorf("a folder: got %s, %v, %v", table.Version(), warnings, err)
	}
}

// The program's own table is the floor: an older file does not hide it.
func TestLoad_EmbeddedIsNewer(t *testing.T) {
	dir := t.TempDir()
	put(t, filepath.Join(dir, installedName), edited(t, ownVersion, `"version":"2026-10-01.1"`))
	if table, warnings, err := Load(Files{Dir: dir}); err != nil || len(warnings) != 0 || table.Version() != "2026-11-30.2" {
		t.Errorf("got %s, %v, %v", table.Version(), warnings, err)
	}
}

func TestLoad_User(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pricing.toml")
	put(t, path, []byte("x"))
	good := func([]byte) (User, error) { return User{Locals: []Local{{Provider: "anthropic"}}}, nil }
	table, _, err := Load(Files{User: path, ParseUser: good})
	if err != nil || table.Price(million("anthropic", "claude-opus-5"), "").Key != "unpriced|own-server" {
		t.Errorf("got %s, %v", table.Version(), err)
	}
	if _, _, err := Load(Files{User: path}); !errors.Is(err, errNoReader) {
		t.Errorf("a file and no reader: got %v", err)
	}
	wrong := func([]byte) (User, error) { return User{}, &UserError{Position{2, 3}, errMissing} }
	table, _, err = Load(Files{User: path, ParseUser: wrong})
	if !errors.Is(err, errMissing) || !strings.Contains(err.Error(), "line 2, column 3") || table.Version() != "2026-11-30.2" {
		t.Errorf("a file that does not parse: got %s, %v", table.Version(), err)
	}
	useless := func([]byte) (User, error) {
		return User{Aliases: []Alias{{Provider: "azure", Model: "d", As: "openai/none", Pos: Position{1, 3}}}}, nil
	}
	if table, _, err = Load(Files{User: path, ParseUser: useless}); !errors.Is(err, errNoSuch) || table.Version() != "2026-11-30.2" {
		t.Errorf("a file that does not fit: got %s, %v", table.Version(), err)
	}
}
