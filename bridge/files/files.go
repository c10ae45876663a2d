// Package files lets an extension work in one folder of its user's, and in nothing
// outside of it: paths that lead out, by their words or through links, are refused,
// and so is writing what would put instructions or code into an agent or a build.
// It imports bridge and bridge/manifest, whose lists it follows; bridge/host calls
// it, after it has asked for the permission.
package files

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"meterbridge/bridge"
	"meterbridge/bridge/manifest"
)

// The bounds of what is done at once.
const (
	// MaxSize is the most that is read or written, in bytes.
	MaxSize = 10 << 20
	// MaxEntries is the most that is listed.
	MaxEntries = 5000
	// maxPath is the longest path, in characters.
	maxPath = 1024
)

// The codes of what can go wrong besides those of package bridge.
const (
	CodeDenied = "FS_DENIED"
	CodeFailed = "FS_ERROR"
)

// Conflict says that a file is another than its writer thinks.
type Conflict struct {
	// MtimeMs is when the file changed, in epoch ms; nil when there is none.
	MtimeMs *float64
}

// Error implements error.
func (c *Conflict) Error() string { return CodeFailed + ": the file changed meanwhile; read it again" }

// Folder is the folder that an extension may work in.
type Folder struct {
	// Path is absolute.
	Path string
	// Trash is where what is thrown away goes, outside of Path.
	Trash string
}

// failed is an error of the system as extensions are told it: without the path of
// the folder, which they may not know.
func failed(at string, err error) error {
	var told *bridge.ToolError
	var perr *fs.PathError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &told):
		return err
	case errors.Is(err, fs.ErrNotExist):
		return bridge.Refuse(bridge.CodeNotFound, "there is no %s", at)
	case errors.As(err, &perr):
		err = perr.Err
	}
	return bridge.Refuse(CodeFailed, "%s: %v", at, err)
}

// clean is a path as it is meant: with slashes, "." for the folder itself.
func clean(name string) (string, error) {
	if utf8.RuneCountInString(name) > maxPath || !utf8.ValidString(name) {
		return "", bridge.Refuse(CodeDenied, "a path has at most %d characters", maxPath)
	}
	name = strings.ReplaceAll(name, `\`, "/")
	name = strings.TrimSuffix(strings.TrimPrefix(name, "./"), "/")
	if name == "" || name == "." {
		return ".", nil
	}
	if err := manifest.CheckFile(name); err != nil {
		return "", bridge.Refuse(CodeDenied, "%v", err)
	}
	return name, nil
}

// open opens the folder.
func (f Folder) open() (*os.Root, error) {
	root, err := os.OpenRoot(f.Path)
	if err != nil {
		return nil, bridge.Refuse(bridge.CodeUnavailable, "the workspace folder cannot be opened; its user names another with `meterbridge ext workspace`")
	}
	return root, nil
}

// real is a path with every link on the way resolved, relative to the folder. What
// does not exist yet stays as it is named.
func (f Folder) real(name string) (string, error) {
	base, err := filepath.EvalSymlinks(f.Path)
	if err != nil {
		return "", failed(".", err)
	}
	at, rest := filepath.Join(base, filepath.FromSlash(name)), ""
	for {
		found, err := filepath.EvalSymlinks(at)
		if err == nil {
			at = filepath.Join(found, rest)
			break
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return "", failed(name, err)
		}
		if _, err := os.Lstat(at); err == nil {
			return "", bridge.Refuse(CodeDenied, "%s is a link to nothing", name)
		}
		at, rest = filepath.Dir(at), filepath.Join(filepath.Base(at), rest)
	}
	inside, err := filepath.Rel(base, at)
	if err != nil || !filepath.IsLocal(inside) {
		return "", bridge.Refuse(CodeDenied, "%s leads out of the workspace folder", name)
	}
	return filepath.ToSlash(inside), nil
}

// readable is a path that may be read.
func (f Folder) readable(name string) (string, error) {
	name, err := clean(name)
	if err != nil {
		return "", err
	}
	return f.real(name)
}

// writable is a path that may be written: neither as it is named nor as it is
// found it may be one that steers agents or builds.
func (f Folder) writable(name string) (string, error) {
	name, err := clean(name)
	if err != nil {
		return "", err
	}
	found, err := f.real(name)
	switch {
	case err != nil:
		return "", err
	case name == "." || found == ".":
		return "", bridge.Refuse(CodeDenied, "the workspace folder itself cannot be written")
	case manifest.NeverWritten(name) || manifest.NeverWritten(found):
		return "", bridge.Refuse(CodeDenied, "%s may not be written by an extension: it steers an agent or a build", name)
	}
	return found, nil
}

// Stat is what a file or folder is.
type Stat struct {
	Path string `json:"path"`
	// Type is file or directory.
	Type string `json:"type"`
	// Size is in bytes, 0 of a folder.
	Size int64 `json:"size"`
	// MtimeMs is when it changed, in epoch ms.
	MtimeMs float64 `json:"mtimeMs"`
}

func statOf(name string, info fs.FileInfo) Stat {
	s := Stat{Path: name, Type: "file", Size: info.Size(), MtimeMs: mtime(info)}
	if info.IsDir() {
		s.Type, s.Size = "directory", 0
	}
	if name == "." {
		s.Path = ""
	}
	return s
}

// mtime is in whole milliseconds, as what is compared must be.
func mtime(info fs.FileInfo) float64 { return float64(info.ModTime().UnixMilli()) }

// reach opens the folder at a path that may, which is readable or writable, lets
// through. The caller closes it.
func (f Folder) reach(name string, may func(string) (string, error)) (root *os.Root, at string, err error) {
	if at, err = may(name); err == nil {
		root, err = f.open()
	}
	return root, at, err
}

// Stat looks at a file or folder.
func (f Folder) Stat(name string) (Stat, error) {
	root, at, err := f.reach(name, f.readable)
	if err != nil {
		return Stat{}, err
	}
	defer root.Close()
	info, err := root.Stat(filepath.FromSlash(at))
	if err != nil {
		return Stat{}, failed(name, err)
	}
	name, _ = clean(name) // it was, above
	return statOf(name, info), nil
}

// regular opens a file, and nothing that would wait for another program.
func regular(root *os.Root, at, name string) (*os.File, fs.FileInfo, error) {
	info, err := root.Stat(filepath.FromSlash(at))
	if err != nil {
		return nil, nil, failed(name, err)
	}
	if !info.Mode().IsRegular() {
		return nil, nil, bridge.Refuse(CodeFailed, "%s is no file", name)
	}
	file, err := root.Open(filepath.FromSlash(at))
	return file, info, failed(name, err)
}

func join(folder, name string) string {
	if folder == "." {
		return name
	}
	return path.Join(folder, name)
}
