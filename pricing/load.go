package pricing

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
)

// Warning is a file that could not be used, and why; what was used instead
// stays in force.
type Warning struct {
	File string
	Err  error
}

// Files are the places of the price table's files; an empty path is "none".
type Files struct {
	// Dir holds the installed prices.json (and the generation before it).
	Dir string
	// User is the user's pricing.toml.
	User string
	// ParseUser decodes the user's file; this package knows no TOML.
	ParseUser func(content []byte) (User, error)
}

// errNoReader is a mistake of whoever wires: prices of the user must not be
// passed over in silence.
var errNoReader = errors.New("no reader for the user's prices")

// maxUserFile bounds the user's file.
const maxUserFile = 4 << 20

// Load reads the installed table, or the embedded one with a warning where the
// installed one cannot be used, and lays the user's overrides over it. The
// error is about the user's file alone, which is refused as a whole: the table
// beside it is good and lacks the overrides, so that a caller that has a better
// one can keep it.
func Load(files Files) (*Table, []Warning, error) {
	data, h, ok, err := files.installed()
	var warnings []Warning
	if err != nil {
		warnings = append(warnings, Warning{File: installedName, Err: err})
	}
	base, content := Embedded(), embeddedData
	if ok {
		base, content = newTable(h, sync.OnceValue(func() *document { return splitOrEmpty(data) })), func() []byte { return data }
	}
	u, err := files.user()
	if err != nil || u.empty() {
		return base, warnings, err
	}
	t, err := withUser(content(), u)
	if err != nil {
		return base, warnings, fmt.Errorf("read %s: %w", files.User, err)
	}
	return t, warnings, nil
}

// splitOrEmpty splits a table that was validated before.
func splitOrEmpty(data []byte) *document {
	d, err := split(data)
	if err != nil {
		return &document{}
	}
	return d
}

// user reads the user's file; a missing one is empty.
func (f Files) user() (User, error) {
	if f.User == "" {
		return User{}, nil
	}
	info, err := os.Stat(f.User)
	if errors.Is(err, fs.ErrNotExist) {
		return User{}, nil
	}
	if err != nil {
		return User{}, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxUserFile {
		return User{}, fmt.Errorf("read %s: %w: no file of at most %d bytes", f.User, ErrTable, maxUserFile)
	}
	if f.ParseUser == nil {
		return User{}, fmt.Errorf("read %s: %w", f.User, errNoReader)
	}
	content, err := os.ReadFile(f.User)
	if err != nil {
		return User{}, err
	}
	u, err := f.ParseUser(content)
	if err != nil {
		return User{}, fmt.Errorf("read %s: %w", f.User, err)
	}
	return u, nil
}
