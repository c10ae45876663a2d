package line

import (
	"os/exec"
	"path/filepath"
	"strings"
)

// lookPath finds the program in the PATH that it is to have: the starting process
// may have another one, or none.
func lookPath(s Spec) (string, error) {
	name := s.Argv[0]
	if strings.ContainsRune(name, filepath.Separator) {
		return name, nil
	}
	for _, v := range s.Env {
		list, ok := strings.CutPrefix(v, "PATH=")
		if !ok {
			continue
		}
		for _, dir := range filepath.SplitList(list) {
			if !filepath.IsAbs(dir) {
				continue // the working folder's programs are not meant
			}
			if path, err := exec.LookPath(filepath.Join(dir, name)); err == nil {
				return path, nil
			}
		}
	}
	return "", exec.ErrNotFound
}
