package pricefile

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"meterbridge/pricing"
)

// The documented example fits the embedded table, and an entry that parses but
// does not fit is named by its place.
func TestLoad_WithTheUsersFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pricing.toml")
	write := func(text string) pricing.Files {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return pricing.Files{User: path, ParseUser: Parse}
	}
	table, warnings, err := pricing.Load(write(example))
	if err != nil || len(warnings) > 0 || table.Version() == pricing.Embedded().Version() {
		t.Errorf("got %s, %v, %v", table.Version(), warnings, err)
	}
	_, _, err = pricing.Load(write(example + "\n[[alias]]\nprovider = \"azure\"\nmodel = \"other\"\nas = \"openai/gpt-none\"\n"))
	var at *pricing.UserError
	if want := (pricing.Position{Line: 30, Column: 3}); !errors.As(err, &at) || at.Position != want {
		t.Errorf("got %v, want it at %v", err, want)
	}
}
