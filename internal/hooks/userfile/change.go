package userfile

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

var (
	// errUnchanged leaves a file as it is, errRemove removes it.
	errUnchanged = errors.New("unchanged")
	errRemove    = errors.New("remove")
)

// mostTries is how often a file that another program changes meanwhile is read again.
const mostTries = 5

// change replaces a file by what fn makes of it, unless another program has changed
// it meanwhile: then fn is asked again. The file that a symbolic link points to is
// changed, with its mode.
func change(path string, fn func(text []byte, there bool) ([]byte, error)) error {
	path = behind(path)
	for range mostTries {
		text, there, err := read(path)
		if err != nil {
			return err
		}
		after, err := fn(text, there)
		switch {
		case errors.Is(err, errUnchanged):
			return nil
		case err != nil && !errors.Is(err, errRemove):
			return err
		}
		now, still, readErr := read(path)
		if readErr != nil || still != there || !bytes.Equal(now, text) {
			continue
		}
		if errors.Is(err, errRemove) {
			if err := os.Remove(path); err != nil {
				return fmt.Errorf("remove the file that was made: %w", err)
			}
			return nil
		}
		if there && bytes.Equal(after, text) {
			return nil
		}
		return write(path, after, mode(path))
	}
	return fmt.Errorf("%w: %s", ErrBusy, path)
}

// mostLinks is how many symbolic links are followed, as the systems do.
const mostLinks = 40

// behind is the file that a symbolic link leads to, also one that is not there yet:
// a link that was replaced by a file would be lost.
func behind(path string) string {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		return target
	}
	at := path
	for range mostLinks {
		target, err := os.Readlink(at)
		if err != nil {
			return at
		}
		if !filepath.IsAbs(target) {
			target = filepath.Join(filepath.Dir(at), target)
		}
		at = target
	}
	return path
}

func read(path string) (text []byte, there bool, err error) {
	text, err = os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, fmt.Errorf("read settings: %w", err)
	}
	return text, true, nil
}

// mode is that of a file, and for a new one its user's alone.
func mode(path string) os.FileMode {
	if info, err := os.Stat(path); err == nil {
		return info.Mode().Perm()
	}
	return 0o600
}

// write replaces a file whole or not at all.
func write(path string, text []byte, perm os.FileMode) (err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("make the folder of %s: %w", path, err)
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".meterbridge-*")
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("write %s: %w", path, err), os.Remove(f.Name()))
		}
	}()
	_, err = f.Write(text)
	if err = errors.Join(err, f.Chmod(perm), f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
