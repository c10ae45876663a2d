//go:build !linux

package scanner

import (
	"io/fs"
	"os"
)

// folder is an open folder.
type folder struct {
	file *os.File
	list []fs.DirEntry
	at   int // behind the entry that next gave
	err  error
}

// folderLen is the memory for the entries of one folder, which the system keeps.
const folderLen = 0

// openFolder opens the folder dir.
func openFolder(_ *folder, dir, _ string, _ []byte) (*folder, error) {
	file, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	f := &folder{file: file}
	f.list, f.err = file.ReadDir(-1)
	return f, nil
}

func (f *folder) close() { _ = f.file.Close() }

// self looks at the folder itself.
func (f *folder) self() (stat, error) {
	info, err := f.file.Stat()
	if err != nil {
		return stat{}, err
	}
	return statOf(info), nil
}

// next is the next entry with its type. It is false at the end and at an error,
// which err then says.
func (f *folder) next() (name []byte, kind fs.FileMode, ok bool) {
	if f.at == len(f.list) {
		return nil, 0, false
	}
	e := f.list[f.at]
	f.at++
	return []byte(e.Name()), e.Type(), true
}

// stat looks at the entry that next gave last, without following a link.
func (f *folder) stat(string) (stat, error) { return statAt(f.file, f.list[f.at-1]) }

// lookAt looks at a file by its path without following a link.
func lookAt(path string) (stat, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return stat{}, err
	}
	if !info.Mode().IsRegular() {
		return stat{}, errNoFile
	}
	return statOf(info), nil
}
