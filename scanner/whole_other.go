//go:build !linux

package scanner

import "os"

func readWhole(path string) ([]byte, error) { return os.ReadFile(path) }
