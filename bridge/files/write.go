package files

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"time"

	"meterbridge/bridge"
	"meterbridge/bridge/manifest"
)

// WriteOptions say how a file is written.
type WriteOptions struct {
	// CreateDirs makes the folders on the way.
	CreateDirs bool
	// IfMtimeMs is when the writer thinks that the file changed last, in epoch ms; nil
	// writes whatever is there.
	IfMtimeMs *float64
}

// Write replaces a file, or makes it, whole or not at all. The error is a *Conflict
// when the file is another than the writer thinks.
func (f Folder) Write(name string, data []byte, o WriteOptions) (Stat, error) {
	if len(data) > MaxSize {
		return Stat{}, bridge.Refuse(bridge.CodeTooLarge, "a file is written with at most %d MiB", MaxSize>>20)
	}
	root, at, err := f.reach(name, f.writable)
	if err != nil {
		return Stat{}, err
	}
	defer root.Close()
	mode := fs.FileMode(0o644)
	info, err := root.Lstat(filepath.FromSlash(at))
	switch {
	case err == nil && !info.Mode().IsRegular():
		return Stat{}, bridge.Refuse(CodeFailed, "%s is no file", name)
	case err == nil:
		mode = info.Mode().Perm()
	case !errors.Is(err, fs.ErrNotExist):
		return Stat{}, failed(name, err)
	default:
		info = nil
	}
	if err := fresh(info, o.IfMtimeMs); err != nil {
		return Stat{}, err
	}
	if err := parents(root, path.Dir(at), name, o.CreateDirs); err != nil {
		return Stat{}, err
	}
	if err := replace(root, filepath.FromSlash(at), data, mode); err != nil {
		return Stat{}, failed(name, err)
	}
	return f.Stat(name)
}

// fresh holds what is there, nil for nothing, against what the writer thinks.
func fresh(info fs.FileInfo, wanted *float64) error {
	switch {
	case wanted == nil:
		return nil
	case info == nil:
		return &Conflict{}
	}
	if at := mtime(info); at != *wanted {
		return &Conflict{MtimeMs: &at}
	}
	return nil
}

func parents(root *os.Root, dir, name string, make bool) error {
	if make {
		return failed(name, root.MkdirAll(filepath.FromSlash(dir), 0o755))
	}
	if info, err := root.Stat(filepath.FromSlash(dir)); err != nil || !info.IsDir() {
		return bridge.Refuse(CodeFailed, "there is no folder for %s; createDirs makes it", name)
	}
	return nil
}

// replace writes a file beside another and puts it in its place.
func replace(root *os.Root, at string, data []byte, mode fs.FileMode) error {
	beside := filepath.Join(filepath.Dir(at), ".meterbridge-"+rand.Text()+".tmp")
	file, err := root.OpenFile(beside, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
	if err != nil {
		return err
	}
	_, err = file.Write(data)
	if err = errors.Join(err, file.Close()); err == nil {
		err = errors.Join(root.Chmod(beside, mode), root.Rename(beside, at))
	}
	if err != nil {
		return errors.Join(err, root.Remove(beside))
	}
	return nil
}

// Mkdir makes a folder and those on the way to it.
func (f Folder) Mkdir(name string) (Stat, error) {
	root, at, err := f.reach(name, f.writable)
	if err != nil {
		return Stat{}, err
	}
	defer root.Close()
	if err := root.MkdirAll(filepath.FromSlash(at), 0o755); err != nil {
		return Stat{}, failed(name, err)
	}
	return f.Stat(name)
}

// Discard moves a file or folder to the trash, a link as such. A folder that holds
// what may not be written stays.
func (f Folder) Discard(name string, now time.Time) error {
	named, err := clean(name)
	if err != nil {
		return err
	}
	// The link is thrown away, not what it leads to.
	dir, err := f.real(path.Dir(named))
	if err != nil {
		return err
	}
	at := join(dir, path.Base(named))
	switch {
	case named == "." || at == ".":
		return bridge.Refuse(CodeDenied, "the workspace folder itself cannot be thrown away")
	case manifest.NeverWritten(named) || manifest.NeverWritten(at):
		return bridge.Refuse(CodeDenied, "%s may not be thrown away by an extension: it steers an agent or a build", name)
	}
	root, err := f.open()
	if err != nil {
		return err
	}
	defer root.Close()
	info, err := root.Lstat(filepath.FromSlash(at))
	if err != nil {
		return failed(name, err)
	}
	if info.IsDir() {
		if err := harmless(root, at, name); err != nil {
			return err
		}
	}
	return failed(name, f.move(root, at, now))
}

// harmless refuses a folder that holds what may not be written.
func harmless(root *os.Root, at, name string) error {
	var kept string
	err := fs.WalkDir(root.FS(), at, func(p string, _ fs.DirEntry, err error) error {
		if manifest.NeverWritten(p) {
			kept = p
			return fs.SkipAll
		}
		return err
	})
	if kept != "" {
		return bridge.Refuse(CodeDenied, "%s holds %s, which may not be thrown away by an extension", name, kept)
	}
	return failed(name, err)
}

// move moves what lies at a path to the trash; over the border of a file system it
// is copied.
func (f Folder) move(root *os.Root, at string, now time.Time) error {
	if err := os.MkdirAll(f.Trash, 0o700); err != nil {
		return fmt.Errorf("make the trash: %w", err)
	}
	to := filepath.Join(f.Trash, now.UTC().Format("20060102T150405.000")+"-"+rand.Text()[:6]+"-"+path.Base(at))
	base, err := filepath.EvalSymlinks(f.Path)
	if err != nil {
		return err
	}
	from := filepath.Join(base, filepath.FromSlash(at))
	if err := os.Rename(from, to); err == nil {
		return nil
	}
	info, err := os.Lstat(from)
	switch {
	case err != nil:
		return err
	case info.IsDir():
		err = os.CopyFS(to, os.DirFS(from))
	case info.Mode().IsRegular():
		var data []byte
		if data, err = os.ReadFile(from); err == nil {
			err = os.WriteFile(to, data, 0o600)
		}
	default:
		err = errors.New("it can only be moved within one file system")
	}
	if err != nil {
		return err
	}
	return root.RemoveAll(filepath.FromSlash(at))
}
