package pricing

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// The formats of a price source.
const (
	FormatAgentPrices = "agent-prices"
	FormatLiteLLM     = "litellm"
	FormatModelsDev   = "models.dev"
)

// UpdateOptions say where a new table comes from and what is demanded of it.
type UpdateOptions struct {
	// From is "embedded", an https address (http on loopback), or a file.
	From string
	// Format is FormatAgentPrices when empty. The foreign formats fill only
	// Providers, as an interval that starts at Now.
	Format    string
	Providers []string
	// DryRun reports and writes nothing.
	DryRun bool
	// AllowOlder accepts an older table, Force a vendor's rate that jumped.
	AllowOlder, Force bool
	// Now is when the update happens.
	Now time.Time
}

// UpdateReport says what an update did, or would do.
type UpdateReport struct {
	SchemaVersion int    `json:"schemaVersion"`
	From          string `json:"from"`
	Format        string `json:"format"`
	// Before and After are table versions, without the user's overrides.
	Before    string `json:"before"`
	After     string `json:"after"`
	AsOf      string `json:"asOf"`
	Installed bool   `json:"installed"`
	// Added, Removed and Changed are priced models as "provider/id".
	Added   []string `json:"added"`
	Removed []string `json:"removed"`
	Changed []Change `json:"changed"`
}

// The sentinels of an update.
var (
	// ErrNoSource: neither --from nor a configured address.
	ErrNoSource = errors.New("no source of prices is given")
	// ErrFormat: a format that is not known, or asked for wrongly.
	ErrFormat = errors.New("unusable format")
	// ErrNoPrevious: there is no generation to go back to.
	ErrNoPrevious = errors.New("no earlier price table is kept")
)

// Update fetches, validates and installs a table, all or nothing.
func Update(ctx context.Context, files Files, o UpdateOptions) (UpdateReport, error) {
	if o.From == "" {
		return UpdateReport{}, ErrNoSource
	}
	if o.Format == "" {
		o.Format = FormatAgentPrices
	}
	active := files.active()
	d, err := split(active)
	if err != nil {
		return UpdateReport{}, err
	}
	next, err := candidate(ctx, active, o)
	if err != nil {
		return UpdateReport{}, err
	}
	nextDoc, err := check(next)
	if err != nil {
		return UpdateReport{}, err
	}
	if err := d.continues(nextDoc, o); err != nil {
		return UpdateReport{}, err
	}
	r := UpdateReport{SchemaVersion: answerVersion, From: o.From, Format: o.Format, Before: d.Version, After: nextDoc.Version, AsOf: nextDoc.AsOf}
	r.Added, r.Removed, r.Changed = d.difference(nextDoc, o.Now)
	if o.DryRun {
		return r, nil
	}
	if err := files.install(next); err != nil {
		return r, fmt.Errorf("install price table: %w", err)
	}
	r.Installed = true
	return r, nil
}

// active is the content of the table in force: an unusable installed one counts
// as none.
func (f Files) active() []byte {
	if data, _, ok, err := f.installed(); ok && err == nil {
		return data
	}
	return embeddedData()
}

// candidate is the table that is to be installed.
func candidate(ctx context.Context, active []byte, o UpdateOptions) ([]byte, error) {
	var read func([]byte) (foreign, error)
	switch o.Format {
	case FormatAgentPrices:
		if len(o.Providers) > 0 {
			return nil, fmt.Errorf("%w: providers are named for an import only", ErrFormat)
		}
		return fetch(ctx, o.From)
	case FormatLiteLLM:
		read = readLiteLLM
	case FormatModelsDev:
		read = readModelsDev
	default:
		return nil, fmt.Errorf("%w: %q", ErrFormat, o.Format)
	}
	if len(o.Providers) == 0 {
		return nil, fmt.Errorf("%w: %s needs the providers to fill", ErrFormat, o.Format)
	}
	data, err := fetch(ctx, o.From)
	if err != nil {
		return nil, err
	}
	list, err := read(data)
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrFormat, o.Format, err)
	}
	return imported(active, list, o)
}

// RollbackReport says which table a rollback left and which it returned to.
type RollbackReport struct {
	SchemaVersion int    `json:"schemaVersion"`
	Before        string `json:"before"`
	After         string `json:"after"`
}

// Rollback changes places with the generation before: a second one undoes the
// first. Before the first update, that generation is the embedded table.
func Rollback(files Files) (RollbackReport, error) {
	r := RollbackReport{SchemaVersion: answerVersion, Before: files.activeVersion()}
	moved := false
	for _, suffix := range []string{stampSuffix, ""} {
		one, err := files.swap(installedName+suffix, previousName+suffix)
		if err != nil {
			return r, fmt.Errorf("roll back price table: %w", err)
		}
		moved = moved || one && suffix == ""
	}
	if !moved {
		return r, ErrNoPrevious
	}
	r.After = files.activeVersion()
	return r, files.sync()
}

func (f Files) activeVersion() string {
	if _, h, ok, err := f.installed(); ok && err == nil {
		return h.Version
	}
	return embeddedHead().Version
}

// swap lets two files of the folder change places; either may be missing. It
// reports whether there was anything to move.
func (f Files) swap(a, b string) (bool, error) {
	if f.Dir == "" {
		return false, nil
	}
	a, b = filepath.Join(f.Dir, a), filepath.Join(f.Dir, b)
	aside := a + ".tmp-swap"
	first, err := rename(a, aside)
	if err != nil {
		return false, err
	}
	second, err := rename(b, a)
	if err != nil {
		return false, err
	}
	if first {
		if _, err := rename(aside, b); err != nil {
			return false, err
		}
	}
	return first || second, nil
}

// rename reports whether there was a file to rename.
func rename(from, to string) (bool, error) {
	err := os.Rename(from, to)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}
