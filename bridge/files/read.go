package files

import (
	"encoding/base64"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"meterbridge/bridge"
)

// Content is what was read of a file.
type Content struct {
	Data string `json:"data"`
	// Encoding is utf8 or base64.
	Encoding string `json:"encoding"`
	// Size is that of the whole file, in bytes.
	Size int64 `json:"size"`
	// Truncated: Data is only its beginning.
	Truncated bool `json:"truncated"`
}

// Read reads the first most bytes of a file, at most MaxSize. What is no UTF-8 is
// replaced, unless it is encoded in base64.
func (f Folder) Read(name, encoding string, most int64) (Content, error) {
	root, at, err := f.reach(name, f.readable)
	if err != nil {
		return Content{}, err
	}
	defer root.Close()
	file, info, err := regular(root, at, name)
	if err != nil {
		return Content{}, err
	}
	defer file.Close()
	if most <= 0 || most > MaxSize {
		most = MaxSize
	}
	data, err := io.ReadAll(io.LimitReader(file, most))
	if err != nil {
		return Content{}, failed(name, err)
	}
	c := Content{Encoding: "utf8", Size: info.Size(), Truncated: info.Size() > int64(len(data))}
	if encoding == "base64" {
		c.Encoding, c.Data = encoding, base64.StdEncoding.EncodeToString(data)
		return c, nil
	}
	if c.Truncated {
		data = data[:bridge.WholeRunes(data)]
	}
	c.Data = strings.ToValidUTF8(string(data), "\uFFFD")
	return c, nil
}

// Entry is one of a list.
type Entry struct {
	Path string `json:"path"`
	// Type is file or directory.
	Type string `json:"type"`
	// Size is in bytes, nil of a folder.
	Size *int64 `json:"size,omitempty"`
}

// Listing is what is in a folder, by path.
type Listing struct {
	Entries   []Entry `json:"entries"`
	Truncated bool    `json:"truncated"`
}

// List lists a folder, with recursive all that is below it. Links are shown as what
// they lead to, those that lead out of the workspace are not, and none is followed.
func (f Folder) List(name string, recursive bool, most int) (Listing, error) {
	if most <= 0 || most > MaxEntries {
		most = MaxEntries
	}
	root, at, err := f.reach(name, f.readable)
	if err != nil {
		return Listing{}, err
	}
	defer root.Close()
	info, err := root.Stat(filepath.FromSlash(at))
	if err != nil {
		return Listing{}, failed(name, err)
	}
	if !info.IsDir() {
		return Listing{}, bridge.Refuse(CodeFailed, "%s is no folder", name)
	}
	shown, _ := clean(name) // it was, above
	l := Listing{Entries: []Entry{}}
	err = walk(root, at, recursive, func(rest string, info fs.FileInfo) bool {
		if len(l.Entries) == most {
			l.Truncated = true
			return false
		}
		e := Entry{Path: join(shown, rest), Type: "directory"}
		if !info.IsDir() {
			size := info.Size()
			e.Type, e.Size = "file", &size
		}
		l.Entries = append(l.Entries, e)
		return true
	})
	slices.SortFunc(l.Entries, func(a, b Entry) int { return strings.Compare(a.Path, b.Path) })
	return l, failed(name, err)
}

// walk shows what is in a folder until show is false. What cannot be looked at is
// left out.
func walk(root *os.Root, at string, recursive bool, show func(rest string, info fs.FileInfo) bool) error {
	dir, err := root.OpenRoot(filepath.FromSlash(at))
	if err != nil {
		return err
	}
	defer dir.Close()
	return fs.WalkDir(dir.FS(), ".", func(rest string, e fs.DirEntry, err error) error {
		if rest == "." {
			return err
		}
		if err != nil {
			return nil // a folder that may not be read was shown already
		}
		info, err := root.Stat(filepath.FromSlash(join(at, rest)))
		switch {
		case err != nil || !info.IsDir() && !info.Mode().IsRegular():
			return nil
		case !show(rest, info):
			return fs.SkipAll
		case e.IsDir() && !recursive:
			return fs.SkipDir
		}
		return nil
	})
}
