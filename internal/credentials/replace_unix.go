//go:build !windows

package credentials

import "github.com/google/renameio/v2"

// replace puts content in the place of the file, whole or not at all.
func replace(path string, content []byte) error {
	return renameio.WriteFile(path, content, 0o600, renameio.WithStaticPermissions(0o600))
}
