package analytics

import (
	"errors"
	"io/fs"
	"os"
)

// leastFile is the size of the smallest file that DuckDB has finished making:
// its header and two more.
const leastFile = 3 * 4096

// dropUnfinished removes the beginnings of a file that could not be made, for
// want of room on the disk: there is nothing in it, and DuckDB would refuse it for
// ever. A file of another kind, however short, is left as it is.
func dropUnfinished(path string) error {
	content, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer content.Close()
	info, err := content.Stat()
	if err != nil || !info.Mode().IsRegular() || info.Size() >= leastFile || hasWAL(path) {
		return err
	}
	var head [12]byte
	n, _ := content.ReadAt(head[:], 0) // a file that is too short is read in part
	if n > 0 && string(head[8:]) != "DUCK" {
		return nil
	}
	return os.Remove(path)
}

// hasWAL reports whether a write-ahead log with something in it lies beside.
func hasWAL(path string) bool {
	info, err := os.Stat(path + ".wal")
	return err == nil && info.Size() > 0
}
