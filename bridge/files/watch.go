package files

import (
	"context"
	"io/fs"
	"path/filepath"
	"slices"
	"time"
)

// Watch tells of what changes at a path until ctx ends: the file itself, or what is
// in the folder, with recursive all that is below it, as far as a list goes. It looks
// whenever beat says so.
func (f Folder) Watch(ctx context.Context, name string, recursive bool, beat <-chan time.Time, tell func(path string)) error {
	if _, err := f.Stat(name); err != nil {
		return err
	}
	last := f.looks(name, recursive)
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-beat:
		}
		now := f.looks(name, recursive)
		for _, path := range differing(last, now) {
			tell(path)
		}
		last = now
	}
}

// look is what tells one state of a file from another.
type look struct {
	mode  fs.FileMode
	size  int64
	mtime time.Time
}

func lookOf(info fs.FileInfo) look {
	if info.IsDir() {
		return look{mode: info.Mode()} // what is in it tells for itself
	}
	return look{info.Mode(), info.Size(), info.ModTime()}
}

// looks are those of all that is watched; nothing of what is gone.
func (f Folder) looks(name string, recursive bool) map[string]look {
	all := map[string]look{}
	root, at, err := f.reach(name, f.readable)
	if err != nil {
		return all
	}
	defer root.Close()
	info, err := root.Stat(filepath.FromSlash(at))
	if err != nil {
		return all
	}
	shown, _ := clean(name) // it was, above
	if !info.IsDir() {
		all[shown] = lookOf(info)
		return all
	}
	_ = walk(root, at, recursive, func(rest string, info fs.FileInfo) bool {
		all[join(shown, rest)] = lookOf(info)
		return len(all) < MaxEntries
	}) // what is gone has no looks
	return all
}

func differing(last, now map[string]look) (paths []string) {
	for path, l := range now {
		if was, known := last[path]; !known || was != l {
			paths = append(paths, path)
		}
	}
	for path := range last {
		if _, there := now[path]; !there {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	return paths
}
