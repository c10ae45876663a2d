package scanner

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"time"

	"meterbridge/harnesses"
)

// maxDepth bounds the nesting of folders where inodes cannot tell a cycle.
const maxDepth = 64

// errNotAFile: a folder lies where a log is expected.
var errNotAFile = errors.New("a folder in a file's place")

// folderKind is the kind of a folder that could not be looked into.
const folderKind = "folder"

// stat is what tells whether a source has changed without opening it.
type stat struct {
	device, inode uint64
	size          int64
	modTime       time.Time
	companion     uint64
}

func statOf(info fs.FileInfo) stat {
	d, i := deviceInode(info)
	return stat{device: d, inode: i, size: info.Size(), modTime: info.ModTime()}
}

// file is a source as discovery found it.
type file struct {
	harness   int // index into Scanner.harnesses
	rank      int // the order of its root; links come after what is really there
	path, rel string
	machine   string
	kind      harnesses.Kind
	stat
	// err says why it cannot be read although it is there.
	err error
}

// findings are all sources and the folders that could not be looked into.
type findings struct {
	files []file
	blind []string
	// places are the folders that were walked, each before those in it; nil
	// unless they are asked for.
	places []place
}

// place is a folder that was walked, and what must be known to walk it again.
type place struct {
	harness, rank   int
	root, path, rel string
	machine         string
	inode           inode
	// active is the latest of its own time and those of the sources in it;
	// entries is the number of all that lies in it.
	active  time.Time
	entries int
}

// discover looks at every root; known is how many sources there were last time.
func (s *Scanner) discover(ctx context.Context, known int, res *Result) (findings, error) {
	out := findings{files: make([]file, 0, known+known/8)}
	var buffers folderBuffers
	for i := range s.harnesses {
		for n, root := range s.roots[i] {
			if err := ctx.Err(); err != nil {
				return out, err
			}
			w := s.walker(i, n, &buffers, &out)
			found := w.root(root.Path)
			res.Harnesses[i].Roots = append(res.Harnesses[i].Roots, RootResult{Root: root, Found: found})
		}
	}
	return out, nil
}

// walker walks the n-th root of the harness i.
func (s *Scanner) walker(i, n int, buffers *folderBuffers, out *findings) walker {
	root := s.roots[i][n]
	return walker{
		h: &s.harnesses[i], harness: i, rank: 2 * n, top: root.Path, machine: root.Machine, places: s.places, listings: s.listings,
		entered: map[inode]bool{}, buffers: buffers, out: out,
	}
}

type inode struct{ device, inode uint64 }

// link is a symbolic link met in a walk, followed after everything else.
type link struct {
	path, rel string
	depth     int
}

// walker finds the sources of one harness below one root.
type walker struct {
	h             *harnesses.Harness
	harness, rank int
	top, machine  string
	// places: the folders walked are asked for; newest is the time of the newest
	// source in the folder that is walked, entries the number of its entries so far.
	places  bool
	newest  time.Time
	entries int
	// listings are what is remembered of folders; nil when nothing is.
	listings *listings
	// folders are those that were walked, entered their inodes: these are only
	// looked up once there is a link that could lead back.
	folders []string
	entered map[inode]bool
	links   []link
	buffers *folderBuffers
	out     *findings
}

// folderBuffers is the memory for the entries of the folders that are open, one
// within the other.
type folderBuffers [][]byte

func (b *folderBuffers) at(depth int) []byte {
	for len(*b) <= depth {
		*b = append(*b, make([]byte, folderLen))
	}
	return (*b)[depth]
}

// root walks a root and reports whether there is one.
func (w *walker) root(root string) bool {
	info, err := os.Stat(root)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false
	case err != nil:
		w.unreadable(root, "", err)
		return true
	case !info.IsDir():
		w.file(root, filepath.Base(root), info)
		return true
	}
	w.folder(nil, root, "", "", 0)
	w.followAll()
	return true
}

// followAll goes where the links lead that were met.
func (w *walker) followAll() {
	for len(w.links) > 0 {
		next := w.links[0]
		w.links = w.links[1:]
		w.follow(next)
	}
}

// folder walks the folder dir, which is called name in the folder in, if that is open.
func (w *walker) folder(in *folder, dir, name, rel string, depth int) {
	if depth > maxDepth {
		return
	}
	w.folders = append(w.folders, dir)
	if w.listings != nil {
		if l := w.listings.known(w.listingKey(dir)); l != nil {
			w.replay(l, dir, rel, depth)
			return
		}
	}
	f, err := openFolder(in, dir, name, w.buffers.at(depth))
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	if err != nil {
		w.unreadable(dir, rel, err)
		return
	}
	defer f.close()
	st, err := f.self()
	if err != nil {
		w.unreadable(dir, rel, err)
		return
	}
	defer w.arrive(st, dir, rel)()
	w.list(f, st, dir, rel, depth)
}

// list walks what lies in an open folder, and remembers it.
func (w *walker) list(f *folder, st stat, dir, rel string, depth int) {
	var l *listing
	began := time.Now()
	if w.listings != nil {
		if l = listingOf(dir); l != nil && (l.stat.inode != st.inode || !l.stat.modTime.Equal(st.modTime)) {
			l = nil // it is changing
		}
	}
	for {
		name, kind, ok := f.next()
		if !ok {
			break
		}
		w.entry(f, l, dir, rel, name, kind, depth)
	}
	switch {
	case f.err != nil:
		w.unreadable(dir, rel, f.err)
	case l != nil:
		w.listings.keep(w.listingKey(dir), l, began)
	}
}

func (w *walker) listingKey(dir string) listingKey { return listingKey{w.harness, w.top, dir} }

// arrive notes the place of a folder; what it returns is called when all
// in it was seen.
func (w *walker) arrive(st stat, dir, rel string) (leave func()) {
	if !w.places {
		return func() {}
	}
	at, newest, entries := len(w.out.places), w.newest, w.entries
	w.newest, w.entries = st.modTime, 0
	w.out.places = append(w.out.places, place{
		harness: w.harness, rank: w.rank, root: w.top, path: dir, rel: rel, machine: w.machine, inode: inode{st.device, st.inode},
	})
	return func() {
		w.out.places[at].active, w.out.places[at].entries = w.newest, w.entries
		w.newest, w.entries = newest, entries
	}
}

// entry takes one entry of an open folder. Its path, its place below the root and
// its name share one string.
func (w *walker) entry(f *folder, l *listing, dir, rel string, entry []byte, kind fs.FileMode, depth int) {
	w.entries++
	note := func(e listed) {
		if l != nil {
			l.entries = append(l.entries, e)
		}
	}
	if l != nil {
		l.all++
	}
	path := join(dir, entry)
	name := path[len(path)-len(entry):]
	childRel := name
	if rel != "" {
		childRel = inRoot(path, rel, name)
	}
	switch kind {
	case 0:
		if k, ok := w.h.Claim(childRel); ok {
			note(listed{path, childRel, name, kind, k})
			w.regular(f, path, childRel, name, k)
		}
	case fs.ModeDir:
		note(listed{path: path, rel: childRel, name: name, mode: kind})
		w.subfolder(f, path, childRel, name, depth+1)
	case fs.ModeSymlink:
		note(listed{path: path, rel: childRel, name: name, mode: kind})
		w.links = append(w.links, link{path, childRel, depth + 1})
	}
}

// inRoot is the path of an entry below its root, with slashes: the end of its
// path where systems write that with slashes too.
func inRoot(path, rel, name string) string {
	n := len(rel) + 1 + len(name)
	if end := path[len(path)-n:]; filepath.Separator == '/' && end[:len(rel)] == rel {
		return end
	}
	return rel + "/" + name
}

func (w *walker) regular(f *folder, path, rel, name string, kind harnesses.Kind) {
	st, err := f.stat(name)
	if err != nil {
		return // it went away between the listing and the look
	}
	w.claimed(path, rel, kind, st)
}

func (w *walker) subfolder(in *folder, dir, rel, name string, depth int) {
	if w.h.Skip != nil && w.h.Skip(rel) {
		return
	}
	w.misplaced(dir, rel, func() (fs.FileInfo, error) { return os.Lstat(dir) })
	w.folder(in, dir, name, rel, depth)
}

// misplaced reports a folder whose name is that of a log.
func (w *walker) misplaced(dir, rel string, look func() (fs.FileInfo, error)) {
	if path.Ext(rel) == "" {
		return
	}
	kind, ok := w.h.Claim(rel)
	if !ok {
		return
	}
	info, err := look()
	if err != nil {
		return
	}
	f := w.make(dir, rel, kind, statOf(info))
	f.err = errNotAFile
	w.out.files = append(w.out.files, f)
}

// follow goes where a link leads, if that was not walked yet.
func (w *walker) follow(l link) {
	info, err := os.Stat(l.path)
	if err != nil {
		return // a link to nothing is nothing
	}
	w.rank |= 1
	switch {
	case info.Mode().IsRegular():
		w.file(l.path, l.rel, info)
	case info.IsDir() && (w.h.Skip == nil || !w.h.Skip(l.rel)) && !w.walked(info):
		w.misplaced(l.path, l.rel, func() (fs.FileInfo, error) { return info, nil })
		w.folder(nil, l.path, "", l.rel, l.depth)
	}
}

// walked reports whether a folder was walked already.
func (w *walker) walked(info fs.FileInfo) bool {
	for _, dir := range w.folders {
		if at, err := os.Stat(dir); err == nil {
			d, i := deviceInode(at)
			w.entered[inode{d, i}] = i != 0
		}
	}
	w.folders = w.folders[:0]
	d, i := deviceInode(info)
	return w.entered[inode{d, i}]
}

func (w *walker) file(path, rel string, info fs.FileInfo) {
	if kind, ok := w.h.Claim(rel); ok && info.Mode().IsRegular() {
		w.claimed(path, rel, kind, statOf(info))
	}
}

func (w *walker) claimed(path, rel string, kind harnesses.Kind, st stat) {
	f := w.make(path, rel, kind, st)
	if st.modTime.After(w.newest) {
		w.newest = st.modTime
	}
	if hasCompanion(w.h, kind) {
		f.companion = companionOf(w.h.Companion(path))
	}
	w.out.files = append(w.out.files, f)
}

func (w *walker) make(path, rel string, kind harnesses.Kind, st stat) file {
	return file{harness: w.harness, rank: w.rank, path: path, rel: rel, machine: w.machine, kind: kind, stat: st}
}

// unreadable notes a folder that cannot be looked into. What is known below it
// is not gone.
func (w *walker) unreadable(dir, rel string, err error) {
	w.out.blind = append(w.out.blind, dir)
	f := w.make(dir, rel, harnesses.Kind{Name: folderKind}, stat{})
	f.err = err
	w.out.files = append(w.out.files, f)
}

// hasCompanion reports whether a file beside a source of the kind stands for it.
func hasCompanion(h *harnesses.Harness, kind harnesses.Kind) bool {
	return h.Companion != nil && (kind.Shape == harnesses.Database || kind.Totals)
}

// companionOf folds the size and the time of a side file into one number.
func companionOf(path string) uint64 {
	if path == "" {
		return 0
	}
	info, err := os.Stat(path)
	if err != nil || info.Size() == 0 {
		return 0 // an empty one tells nothing, and to look into a database may leave one
	}
	return fold(uint64(info.Size()), uint64(info.ModTime().UnixNano()))
}

// join is filepath.Join for parts that are clean already.
func join(dir string, name []byte) string {
	b := make([]byte, 0, 256)
	b = append(b, dir...)
	if !os.IsPathSeparator(dir[len(dir)-1]) {
		b = append(b, filepath.Separator)
	}
	return string(append(b, name...))
}
