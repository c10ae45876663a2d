package scanner

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// look finds out what became of some paths: of the sources there, of those that
// were there, and of those that are the same files under another path. What it
// gathers is planned like the findings of a scan, only that it is a part.
type look struct {
	live  *Live
	found findings
	// asked are the paths that were looked at; known the sources in question.
	asked  map[pathKey]bool
	known  []*entry
	listed map[*entry]bool
	// left are folders that were walked before.
	left    []string
	buffers folderBuffers
}

func (l *Live) newLook() *look {
	return &look{live: l, asked: map[pathKey]bool{}, listed: map[*entry]bool{}}
}

// at looks at a path in all harnesses that read its folder, and at the roots
// that lie there or below.
func (k *look) at(path string) {
	s := k.live.scanner
	for _, p := range k.live.places[filepath.Dir(path)] {
		k.entry(p, path)
	}
	for i := range s.harnesses {
		for n, root := range s.roots[i] {
			if root.Path == path || below([]string{path}, root.Path) {
				k.root(i, n)
			}
		}
	}
}

// ask reports whether a path was not looked at yet, and notes it.
func (k *look) ask(harness int, path string) bool {
	key := pathKey{k.live.scanner.harnesses[harness].ID, path}
	if k.asked[key] {
		return false
	}
	k.asked[key] = true
	return true
}

// entry looks at an entry of a folder that was walked.
func (k *look) entry(in place, path string) {
	harness := in.harness
	if !k.ask(harness, path) {
		return
	}
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR):
		k.list(harness, path)
		k.leave(harness, path)
	case err != nil:
		// What cannot be looked at is not gone.
	default:
		k.present(in, path, info)
	}
}

func (k *look) present(in place, path string, info fs.FileInfo) {
	harness, w := in.harness, k.walker(in)
	name := filepath.Base(path)
	rel := name
	if in.rel != "" {
		rel = in.rel + "/" + name
	}
	k.list(harness, path)
	k.leave(harness, path)
	switch {
	case info.Mode().IsRegular():
		w.file(path, rel, info)
	case info.IsDir():
		w.subfolder(nil, path, rel, "", strings.Count(rel, "/")+1)
	case info.Mode()&fs.ModeSymlink != 0:
		w.folders = k.live.walkedFolders(harness, in.root)
		w.links = append(w.links, link{path, rel, strings.Count(rel, "/") + 1})
	}
	w.followAll()
}

// root walks a root.
func (k *look) root(harness, n int) {
	root := k.live.scanner.roots[harness][n]
	if !k.ask(harness, root.Path) {
		return
	}
	k.list(harness, root.Path)
	k.leave(harness, root.Path)
	w := k.live.scanner.walker(harness, n, &k.buffers, &k.found)
	w.root(root.Path)
}

// walker walks below a folder that was walked before, for its root.
func (k *look) walker(in place) walker {
	return walker{
		h: &k.live.scanner.harnesses[in.harness], harness: in.harness, rank: in.rank, top: in.root, machine: in.machine, places: true,
		entered: map[inode]bool{}, buffers: &k.buffers, out: &k.found,
	}
}

// list puts the sources at a path in question.
func (k *look) list(harness int, path string) {
	for _, e := range k.live.known.byPath[pathKey{k.live.scanner.harnesses[harness].ID, path}] {
		k.question(e)
	}
}

func (k *look) question(e *entry) {
	if !k.listed[e] {
		k.listed[e] = true
		k.known = append(k.known, e)
	}
}

// leave puts the sources below a folder in question, when there was a folder. It
// is walked again, or no more.
func (k *look) leave(harness int, path string) {
	if k.live.forget(harness, path) {
		k.left = append(k.left, path)
		k.live.known.below(k.live.scanner.harnesses[harness].ID, path, k.question)
	}
}

// close looks at the other paths of the files that were found, and so on: a
// source that moved is known by its inode alone.
func (k *look) close() {
	for i := 0; i < len(k.found.files); i++ {
		f := &k.found.files[i]
		harness := f.harness
		k.list(harness, f.path)
		if f.inode == 0 {
			continue
		}
		for _, e := range k.live.known.byInode[inodeKey{harness, inode{f.device, f.inode}}] {
			k.question(e)
			k.sourceAt(harness, e.cp.Path)
		}
	}
}

// sourceAt looks at the path of a source, unless its folder is gone.
func (k *look) sourceAt(harness int, path string) {
	dir := filepath.Dir(path)
	for _, p := range k.live.places[dir] {
		if p.harness == harness && !k.walked(harness, dir) {
			k.entry(p, path)
		}
	}
}

// walked reports whether this look has walked a folder.
func (k *look) walked(harness int, dir string) bool {
	return slices.ContainsFunc(k.found.places, func(p place) bool { return p.harness == harness && p.path == dir })
}

// plan plans what was found.
func (k *look) plan(res *Result) plan {
	k.close()
	return k.live.scanner.plan(checkpoints(k.known), k.found, res)
}
