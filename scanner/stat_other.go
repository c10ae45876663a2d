//go:build !linux && !darwin

package scanner

import (
	"io/fs"
	"os"
)

// statAt looks at an entry of an open folder.
func statAt(_ *os.File, e fs.DirEntry) (stat, error) {
	info, err := e.Info()
	if err != nil {
		return stat{}, err
	}
	return statOf(info), nil
}
