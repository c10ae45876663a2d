package extensions

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"meterbridge/bridge"
	"meterbridge/bridge/policy"
)

// tree is the digest of a folder's files, and what it looked like then.
type tree struct {
	looks  [sha256.Size]byte
	digest bridge.Digest
}

// tree is the digest of a package's files. They are read again when one of them
// has another size, time or mode, and each time the program starts.
func (d *Desk) tree(folder string) (bridge.Digest, error) {
	looks, err := looksOf(folder)
	if err != nil {
		return bridge.Digest{}, err
	}
	if known, ok := d.trees[folder]; ok && known.looks == looks {
		return known.digest, nil
	}
	digest, err := policy.ReadTree(os.DirFS(folder))
	if err == nil {
		d.trees[folder] = tree{looks, digest}
	}
	return digest, err
}

// looksOf sums up what a folder looks like without reading its files.
func looksOf(folder string) (sum [sha256.Size]byte, err error) {
	h := sha256.New()
	err = filepath.WalkDir(folder, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		fmt.Fprintf(h, "%s\x00%v\x00%d\x00%d\n", path, info.Mode(), info.Size(), info.ModTime().UnixNano())
		return nil
	})
	return [sha256.Size]byte(h.Sum(nil)), err
}

// readBounded reads a regular file of at most so many bytes.
func readBounded(path string, most int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, errors.Join(err, fmt.Errorf("%s is no regular file", filepath.Base(path)))
	}
	text, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(text)) > most {
		err = fmt.Errorf("%s is larger than %d KiB", filepath.Base(path), most>>10)
	}
	return text, err
}

// protect makes everything in a folder read-only, its root last and only by root.
func protect(folder string) error {
	return filepath.WalkDir(folder, func(path string, e fs.DirEntry, err error) error {
		if err != nil || path == folder {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		return os.Chmod(path, info.Mode().Perm()&^0o222)
	})
}

// removeTree removes a folder whose parts may be read-only.
func removeTree(folder string) error {
	_ = filepath.WalkDir(folder, func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.IsDir() {
			return os.Chmod(path, 0o700)
		}
		return nil // what cannot be opened shows itself at the removal
	})
	return os.RemoveAll(folder)
}
