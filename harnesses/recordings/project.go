package recordings

import (
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"path"
	"strings"

	"meterbridge/harnesses/walk"
)

// projectOf is the working directory whose recordings lie in the folder of rel.
// The folder is named by a short word that a file in it and a list of all explain;
// before, by the SHA-256 of the path, which only the list can give back. Empty
// where nothing tells.
func projectOf(fsys fs.FS, rel string) string {
	parts := strings.Split(rel, "/")
	if fsys == nil || len(parts) < 2 {
		return ""
	}
	folder := parts[1]
	if text, err := fs.ReadFile(fsys, path.Join("tmp", folder, ".project_root")); err == nil {
		if dir := strings.TrimSpace(string(text)); dir != "" {
			return dir
		}
	}
	text, err := fs.ReadFile(fsys, "projects.json")
	if err != nil {
		return ""
	}
	return listed(text, folder)
}

// listed is the path that the list of projects knows under a folder's name, or
// whose hash is the name.
func listed(text []byte, folder string) (found string) {
	c := walk.Over(text)
	c.Each(func(key string) bool {
		if key != "projects" {
			return false
		}
		c.Each(func(dir string) bool {
			sum := sha256.Sum256([]byte(dir))
			if name := c.String(); name == folder || hex.EncodeToString(sum[:]) == folder {
				found = strings.Clone(dir)
			}
			return true
		})
		return true
	})
	if c.Err() != nil {
		return ""
	}
	return found
}
