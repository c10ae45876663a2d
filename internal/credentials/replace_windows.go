package credentials

import "os"

// replace puts content in the place of the file, whole or not at all. The folder
// is the user's own, and so is what is made in it.
func replace(path string, content []byte) error {
	beside := path + ".tmp"
	if err := os.WriteFile(beside, content, 0o600); err != nil {
		return err
	}
	return os.Rename(beside, path)
}
