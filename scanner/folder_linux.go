package scanner

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io/fs"
	"time"

	"golang.org/x/sys/unix"
)

// folder is an open folder. It is read by system calls alone: an os.File makes
// twice as many, and a scan that finds nothing new consists of them.
type folder struct {
	fd int
	// buf holds what the system listed, rest the part that was not given out.
	buf, rest []byte
	err       error
}

// folderLen is the memory for the entries of one folder.
const folderLen = 16 << 10

// openFolder opens the folder dir, which is called name in the open folder in;
// without in it is found by its path.
func openFolder(in *folder, dir, name string, buf []byte) (*folder, error) {
	at, path := unix.AT_FDCWD, dir
	if in != nil {
		at, path = in.fd, name
	}
	for {
		fd, err := unix.Openat(at, path, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
		switch {
		case err == nil:
			return &folder{fd: fd, buf: buf}, nil
		case !errors.Is(err, unix.EINTR):
			return nil, &fs.PathError{Op: "open", Path: dir, Err: err}
		}
	}
}

func (f *folder) close() { _ = unix.Close(f.fd) }

// self looks at the folder itself.
func (f *folder) self() (stat, error) {
	var st unix.Stat_t
	if err := unix.Fstat(f.fd, &st); err != nil {
		return stat{}, err
	}
	return statFrom(&st), nil
}

// Where the parts of struct linux_dirent64 lie.
const (
	direntLen  = 16
	direntType = 18
	direntName = 19
)

// next is the next entry with its type; name is good until the next call. It is
// false at the end and at an error, which err then says.
func (f *folder) next() (name []byte, kind fs.FileMode, ok bool) {
	for {
		if len(f.rest) < direntName && !f.more() {
			return nil, 0, false
		}
		size := min(len(f.rest), int(binary.NativeEndian.Uint16(f.rest[direntLen:])))
		if size < direntName {
			f.rest = nil
			continue
		}
		entry := f.rest[:size]
		f.rest = f.rest[size:]
		name, _, _ = bytes.Cut(entry[direntName:], []byte{0})
		if bytes.Equal(name, []byte(".")) || bytes.Equal(name, []byte("..")) {
			continue
		}
		return name, f.kind(entry[direntType], name), true
	}
}

func (f *folder) more() bool {
	for {
		n, err := unix.Getdents(f.fd, f.buf)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		f.err = err
		f.rest = f.buf[:max(0, n)]
		return n > 0 && err == nil
	}
}

// kind is the type of an entry; some file systems only tell when asked for it.
func (f *folder) kind(t byte, name []byte) fs.FileMode {
	switch t {
	case unix.DT_REG:
		return 0
	case unix.DT_DIR:
		return fs.ModeDir
	case unix.DT_LNK:
		return fs.ModeSymlink
	case unix.DT_UNKNOWN:
		var st unix.Stat_t
		if err := unix.Fstatat(f.fd, string(name), &st, unix.AT_SYMLINK_NOFOLLOW); err != nil {
			return fs.ModeIrregular // it went away
		}
		// S_IFMT and DT_ have the same numbers, 12 bits apart.
		if t = byte(st.Mode & unix.S_IFMT >> 12); t != unix.DT_UNKNOWN {
			return f.kind(t, name)
		}
	}
	return fs.ModeIrregular
}

// stat looks at an entry without following a link.
func (f *folder) stat(name string) (stat, error) {
	var st unix.Stat_t
	if err := unix.Fstatat(f.fd, name, &st, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		return stat{}, err
	}
	return statFrom(&st), nil
}

// lookAt looks at a file by its path without following a link.
func lookAt(path string) (stat, error) {
	var st unix.Stat_t
	if err := unix.Lstat(path, &st); err != nil {
		return stat{}, err
	}
	if st.Mode&unix.S_IFMT != unix.S_IFREG {
		return stat{}, errNoFile
	}
	return statFrom(&st), nil
}

func statFrom(st *unix.Stat_t) stat {
	at := time.Unix(int64(st.Mtim.Sec), int64(st.Mtim.Nsec))                       //nolint:unconvert // the widths differ by system
	return stat{device: uint64(st.Dev), inode: st.Ino, size: st.Size, modTime: at} //nolint:unconvert // likewise
}
