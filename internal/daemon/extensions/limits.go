package extensions

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/text/unicode/norm"

	"meterbridge/bridge/manifest"
)

// limits bound a package.
type limits struct {
	files int
	// Sizes are in bytes.
	file, archive, unpacked int64
}

func packageLimits() limits {
	return limits{files: 5000, file: 20 << 20, archive: 50 << 20, unpacked: 100 << 20}
}

// ErrPackage says that a package cannot be taken.
var ErrPackage = errors.New("the package cannot be taken")

func refused(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrPackage, fmt.Sprintf(format, args...))
}

// writer fills a folder with the files of a package, within bounds.
type writer struct {
	root   *os.Root
	limits limits
	files  int
	bytes  int64
	// spelled has each path and each folder above it as it was first spelled, by what
	// it is on a system that knows no cases.
	spelled map[string]string
}

func newWriter(folder string, l limits) (*writer, error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, fmt.Errorf("open the folder to unpack to: %w", err)
	}
	return &writer{root: root, limits: l, spelled: map[string]string{}}, nil
}

// check refuses a path that a package may not hold, or that another one is on some
// system.
func (w *writer) check(path string, folder bool) error {
	if err := manifest.CheckPath(path); err != nil {
		return fmt.Errorf("%w: %w", ErrPackage, err)
	}
	segments := strings.Split(path, "/")
	for i := range segments {
		part := strings.Join(segments[:i+1], "/")
		folded := strings.ToLower(norm.NFC.String(part))
		first, known := w.spelled[folded]
		switch {
		case known && first != part:
			return refused("%s and %s would be one on some systems", first, part)
		case known && i == len(segments)-1 && !folder:
			return refused("%s comes twice", part)
		}
		w.spelled[folded] = part
	}
	return nil
}

// dir makes a folder.
func (w *writer) dir(path string) error {
	if err := w.check(path, true); err != nil {
		return err
	}
	if len(w.spelled) > 4*w.limits.files {
		return refused("it has too many folders")
	}
	if err := w.root.MkdirAll(filepath.FromSlash(path), 0o755); err != nil {
		return fmt.Errorf("%w: %s: %w", ErrPackage, path, err)
	}
	return nil
}

// file writes one file, as far as its bounds allow.
func (w *writer) file(path string, executable bool, from io.Reader) error {
	if err := w.check(path, false); err != nil {
		return err
	}
	if w.files++; w.files > w.limits.files {
		return refused("it has more than %d files", w.limits.files)
	}
	name, mode := filepath.FromSlash(path), fs.FileMode(0o644)
	if executable {
		mode = 0o755
	}
	if err := w.root.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return fmt.Errorf("%w: %s: %w", ErrPackage, path, err)
	}
	f, err := w.root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
	if err != nil {
		return fmt.Errorf("%w: %s: %w", ErrPackage, path, err)
	}
	n, err := io.Copy(f, io.LimitReader(from, w.limits.file+1))
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("%w: %s: %w", ErrPackage, path, err)
	}
	w.bytes += n
	switch {
	case n > w.limits.file:
		return refused("%s is larger than %d MiB", path, w.limits.file>>20)
	case w.bytes > w.limits.unpacked:
		return refused("it is larger than %d MiB when it is unpacked", w.limits.unpacked>>20)
	}
	// The umask may have taken the bit away that the digest tells of.
	return w.root.Chmod(name, mode)
}
