package scanner

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// readWhole reads a file by four system calls; os.ReadFile makes six, and an
// os.File that must be collected.
func readWhole(path string) ([]byte, error) {
	fd, err := openToRead(path)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	defer func() { _ = unix.Close(fd) }()
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil || st.Mode&unix.S_IFMT != unix.S_IFREG {
		return os.ReadFile(path)
	}
	content := make([]byte, st.Size+1)
	for n := 0; ; {
		m, err := unix.Read(fd, content[n:])
		switch n += max(0, m); {
		case errors.Is(err, unix.EINTR):
		case err != nil:
			return nil, &fs.PathError{Op: "read", Path: path, Err: err}
		case n < len(content): // a regular file gives less than was asked for at its end only
			return content[:n:n], nil
		default:
			content = append(content, make([]byte, len(content))...)
		}
	}
}

func openToRead(path string) (int, error) {
	for {
		fd, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
		if !errors.Is(err, unix.EINTR) {
			return fd, err
		}
	}
}
