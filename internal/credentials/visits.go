package credentials

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// Visits is the file of the browsers that the daemon knows: hashes of their
// cookies, readable by its user alone. Only the daemon writes it.
type Visits struct{ path string }

// OpenVisits names the file; it need not be there yet.
func OpenVisits(path string) *Visits { return &Visits{path: path} }

// visitsFile is browsers.json.
type visitsFile struct {
	SchemaVersion int     `json:"schemaVersion"`
	Browsers      []visit `json:"browsers"`
}

// visit is a browser by the SHA-256 of its cookie, in hex.
type visit struct {
	Hash  string    `json:"hash"`
	Until time.Time `json:"until"`
}

// Load reads who is known; nobody without a file.
func (v *Visits) Load() (map[[sha256.Size]byte]time.Time, error) {
	known := map[[sha256.Size]byte]time.Time{}
	text, err := os.ReadFile(v.path)
	if errors.Is(err, fs.ErrNotExist) {
		return known, nil
	}
	if err != nil {
		return known, fmt.Errorf("read browsers: %w", err)
	}
	var f visitsFile
	if err := json.Unmarshal(text, &f); err != nil || f.SchemaVersion != fileVersion {
		return known, fmt.Errorf("%w: %s", ErrDamaged, v.path)
	}
	for _, b := range f.Browsers {
		if hash, ok := hashOf(b.Hash); ok {
			known[hash] = b.Until
		}
	}
	return known, nil
}

// hashOf reads a hash in hex.
func hashOf(text string) (hash [sha256.Size]byte, ok bool) {
	if len(text) != hex.EncodedLen(len(hash)) {
		return hash, false
	}
	_, err := hex.Decode(hash[:], []byte(text))
	return hash, err == nil
}

// Save replaces the file.
func (v *Visits) Save(known map[[sha256.Size]byte]time.Time) error {
	f := visitsFile{SchemaVersion: fileVersion, Browsers: []visit{}}
	for hash, until := range known {
		f.Browsers = append(f.Browsers, visit{hex.EncodeToString(hash[:]), until.UTC().Truncate(time.Second)})
	}
	text, err := json.MarshalIndent(f, "", "  ")
	if err != nil {
		return fmt.Errorf("write browsers: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(v.path), 0o700); err != nil {
		return fmt.Errorf("make the folder of browsers: %w", err)
	}
	if err := replace(v.path, append(text, '\n')); err != nil {
		return fmt.Errorf("write browsers: %w", err)
	}
	return nil
}
