package extensions

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/gofrs/flock"

	"meterbridge/bridge"
	"meterbridge/bridge/policy"
)

// The files of the folder that are no packages.
const (
	stateFile     = "state.json"
	previousFile  = "state.previous.json"
	lockFile      = "state.lock"
	stagingFolder = ".staging"
	// modulesFolder is where Node looks for the SDK of the extensions beside it.
	modulesFolder = "node_modules"
)

// record is the file of what was consented to.
type record struct{ folder string }

var _ bridge.Consent = record{}

func (r record) path(name string) string { return filepath.Join(r.folder, name) }

// Load implements bridge.Consent. A record that is missing beside packages, or
// beside the one before it, was lost: that is an error, not a new beginning.
func (r record) Load() ([]byte, error) {
	text, err := os.ReadFile(r.path(stateFile))
	if !errors.Is(err, fs.ErrNotExist) {
		if err != nil {
			return nil, fmt.Errorf("%w: %w", policy.ErrState, err)
		}
		return text, nil
	}
	entries, err := os.ReadDir(r.folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, bridge.ErrNoConsent
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", policy.ErrState, err)
	}
	for _, e := range entries {
		if !slices.Contains([]string{lockFile, stagingFolder, modulesFolder}, e.Name()) {
			return nil, fmt.Errorf("%w: %s is missing", policy.ErrState, r.path(stateFile))
		}
	}
	return nil, bridge.ErrNoConsent
}

// Save implements bridge.Consent.
func (r record) Save(text []byte) error {
	if old, err := os.ReadFile(r.path(stateFile)); err == nil {
		if err := replace(r.path(previousFile), old); err != nil {
			return err
		}
	}
	return replace(r.path(stateFile), text)
}

// replace writes a file whole or not at all, for its user alone.
func replace(path string, text []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*.tmp")
	if err != nil {
		return fmt.Errorf("write the record of consent: %w", err)
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil { // CreateTemp's mode is 0600
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("write the record of consent: %w", errors.Join(err, os.Remove(f.Name())))
	}
	if dir, err := os.Open(filepath.Dir(path)); err == nil {
		_ = dir.Sync() // not every system can
		_ = dir.Close()
	}
	return nil
}

func (r record) read() (*policy.State, error) {
	text, err := r.Load()
	if errors.Is(err, bridge.ErrNoConsent) {
		return &policy.State{}, nil
	}
	if err != nil {
		return nil, err
	}
	return policy.Decode(text)
}

// locked runs fn while no other process changes the record or the packages.
func (r record) locked(fn func() error) (err error) {
	if err := os.MkdirAll(r.folder, 0o700); err != nil {
		return fmt.Errorf("make the folder of extensions: %w", err)
	}
	lock := flock.New(r.path(lockFile), flock.SetPermissions(0o600))
	if err := lock.Lock(); err != nil {
		return fmt.Errorf("lock extensions: %w", err)
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	return fn()
}

// change reads, changes and replaces the record.
func (r record) change(fn func(*policy.State) error) error {
	return r.locked(func() error {
		state, err := r.read()
		if err != nil {
			return err
		}
		if err := fn(state); err != nil {
			return err
		}
		text, err := policy.Encode(state)
		if err != nil {
			return err
		}
		return r.Save(text)
	})
}

// mark tells one state of a file from another; the zero value is that of none.
type mark struct {
	size int64
	time time.Time
}

func fileMark(path string) mark {
	info, err := os.Stat(path)
	if err != nil {
		return mark{}
	}
	return mark{info.Size(), info.ModTime()}
}

func (r record) mark() mark { return fileMark(r.path(stateFile)) }
