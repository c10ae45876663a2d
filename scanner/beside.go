package scanner

import (
	"io/fs"
	"os"
	"path/filepath"
)

// beside is a root as parsers see it, who look into the files around the one that
// they are given: os.DirFS, whose files are read by fewer system calls. A store of
// a file for each part of each message is read that way.
type beside struct {
	rootFS
	root string
}

// rootFS is what os.DirFS gives.
type rootFS interface {
	fs.StatFS
	fs.ReadDirFS
}

// besideIn is the file system below root.
func besideIn(root string) fs.FS {
	files, ok := os.DirFS(root).(rootFS)
	if !ok {
		return os.DirFS(root)
	}
	return beside{rootFS: files, root: root}
}

// ReadFile implements fs.ReadFileFS.
func (b beside) ReadFile(name string) ([]byte, error) {
	local, err := filepath.Localize(name)
	if err != nil || b.root == "" {
		return nil, &fs.PathError{Op: "read", Path: name, Err: fs.ErrInvalid}
	}
	return readWhole(filepath.Join(b.root, local))
}
