package pricing

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"github.com/cespare/xxhash/v2"
)

// The files of an installed table. Each has a stamp beside it, so that a start
// need not validate again what was validated when it was installed.
const (
	installedName = "prices.json"
	previousName  = "prices.previous.json"
	stampSuffix   = ".stamp"
)

// stamp says that a file of that digest was validated.
type stamp struct {
	Digest string `json:"digest"`
	// Floor is the version of the embedded table at that time: a later program
	// whose own table is newer than both does not go back to an older one.
	Floor string `json:"floor"`
}

func digestOf(data []byte) string { return strconv.FormatUint(xxhash.Sum64(data), 16) }

// installed is the content of the installed table; ok is false when there is
// none, or when the program's own table is newer. A bad file is an error.
func (f Files) installed() (data []byte, h head, ok bool, err error) {
	if f.Dir == "" {
		return nil, head{}, false, nil
	}
	path := filepath.Join(f.Dir, installedName)
	data, err = readLimited(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, head{}, false, nil
	}
	if err != nil {
		return nil, head{}, false, err
	}
	st := readStamp(path)
	if st.Digest != digestOf(data) {
		st = stamp{}
		if _, err := check(data); err != nil {
			return nil, head{}, false, err
		}
	}
	if h, err = headOf(data); err != nil {
		return nil, head{}, false, err
	}
	own := embeddedHead().Version
	outdated := own != st.Floor && compareVersions(own, h.Version) > 0
	return data, h, !outdated, nil
}

func readLimited(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxUnpacked {
		return nil, fmt.Errorf("%w: %s is no file of at most %d bytes", ErrTable, path, maxUnpacked)
	}
	return os.ReadFile(path)
}

func readStamp(path string) stamp {
	var st stamp
	data, err := os.ReadFile(path + stampSuffix)
	if err != nil || json.Unmarshal(data, &st) != nil {
		return stamp{}
	}
	return st
}

var errEnough = errors.New("enough read")

// headOf reads version and as_of, which stand before the providers in a table
// that this program wrote.
func headOf(data []byte) (head, error) {
	var h head
	err := members(data, func(key string, value []byte) error {
		switch key {
		case "version":
			return json.Unmarshal(value, &h.Version)
		case "as_of":
			return json.Unmarshal(value, &h.AsOf)
		}
		if h.Version != "" && h.AsOf != "" {
			return errEnough
		}
		return nil
	})
	if err != nil && !errors.Is(err, errEnough) {
		return head{}, fmt.Errorf("%w: %w", ErrTable, err)
	}
	return h, nil
}

// install makes data the installed table and keeps the one before it.
func (f Files) install(data []byte) error {
	if err := os.MkdirAll(f.Dir, 0o700); err != nil {
		return err
	}
	text, err := json.Marshal(stamp{Digest: digestOf(data), Floor: embeddedHead().Version})
	if err != nil {
		return err
	}
	if err := f.keepPrevious(); err != nil {
		return err
	}
	// The stamp goes first: between the two writes it fits neither file, which
	// costs a validation and nothing else.
	if err := f.write(installedName+stampSuffix, text); err != nil {
		return err
	}
	return f.write(installedName, data)
}

// keepPrevious copies the installed table to the place of the generation before.
func (f Files) keepPrevious() error {
	for _, suffix := range []string{stampSuffix, ""} {
		data, err := os.ReadFile(filepath.Join(f.Dir, installedName+suffix))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		if err := f.write(previousName+suffix, data); err != nil {
			return err
		}
	}
	return nil
}

// write replaces a file of the folder in one step that survives a power cut.
func (f Files) write(name string, data []byte) error {
	tmp, err := os.CreateTemp(f.Dir, name+".tmp-*")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name())
	if err := errors.Join(fill(tmp, data), tmp.Close()); err != nil {
		return err
	}
	if err := os.Rename(tmp.Name(), filepath.Join(f.Dir, name)); err != nil {
		return err
	}
	return f.sync()
}

func fill(file *os.File, data []byte) error {
	if _, err := file.Write(data); err != nil {
		return err
	}
	return file.Sync()
}

// sync makes renames in the folder durable; systems that cannot sync a folder
// do so by themselves.
func (f Files) sync() error {
	dir, err := os.Open(f.Dir)
	if err != nil {
		return err
	}
	defer dir.Close()
	if err := dir.Sync(); err != nil && !errors.Is(err, fs.ErrInvalid) && !errors.Is(err, fs.ErrPermission) {
		return err
	}
	return nil
}
