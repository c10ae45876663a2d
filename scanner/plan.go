package scanner

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"meterbridge"
	"meterbridge/harnesses"
)

// Sizes in checkpoints that never equal a file's, so that the source is looked
// into again.
const (
	// unread: the source could not be read.
	unread = -1
	// unfinished: it was read in part, and more follows in the same scan.
	unfinished = -2
)

// mode is how a source is read.
type mode int

const (
	fresh  mode = iota // never read before
	resume             // goes on at the checkpoint if the committed part is as it was
	whole              // read again from its start
)

// task is a source that is to be read.
type task struct {
	file
	known *meterbridge.Checkpoint // nil for a new source
	state []byte
	mode  mode
}

// plan is what a scan has to do: sources to read, largest first, and units that
// only say something of a source. Those of first are committed before all else:
// they free paths that other sources take.
type plan struct {
	tasks        []*task
	first, notes []note
}

func (p *plan) empty() bool { return len(p.tasks) == 0 && len(p.first) == 0 && len(p.notes) == 0 }

// note is a unit that needs no reading, with the harness it belongs to.
type note struct {
	harness int
	unit    meterbridge.Unit
}

// planner matches what was found with what is known.
type planner struct {
	scanner *Scanner
	res     *Result
	known   []meterbridge.Checkpoint
	matched []bool // by known
	byPath  map[pathKey]int
	// next is another known source with the same path, -1 for none.
	next []int
	// movedTo are the new paths of known sources.
	movedTo map[int]*file
	plan    plan
}

type pathKey struct{ harness, path string }

type inodeKey struct {
	harness int
	inode
}

func (s *Scanner) plan(known []meterbridge.Checkpoint, found findings, res *Result) plan {
	p := planner{scanner: s, res: res, known: known, matched: make([]bool, len(known)), movedTo: map[int]*file{}}
	p.indexPaths()
	files := p.withoutAliases(found.files)
	pending := p.inPlace(files)
	pending = p.moved(pending)
	p.rest(pending)
	p.gone(found.blind)
	slices.SortStableFunc(p.plan.tasks, func(a, b *task) int { return cmp.Compare(b.size, a.size) })
	return p.plan
}

// indexPaths makes the known sources findable by path, those that are there
// before those that were gone.
func (p *planner) indexPaths() {
	p.byPath, p.next = make(map[pathKey]int, len(p.known)), make([]int, len(p.known))
	for _, gone := range []bool{true, false} {
		for i := range p.known {
			if p.known[i].Gone != gone {
				continue
			}
			key := pathKey{p.known[i].Harness, p.known[i].Path}
			p.next[i] = -1
			if other, ok := p.byPath[key]; ok {
				p.next[i] = other
			}
			p.byPath[key] = i
		}
	}
}

// at returns the known source at the path of f.
func (p *planner) at(f *file) (int, bool) {
	k, ok := p.byPath[pathKey{p.scanner.harnesses[f.harness].ID, f.path}]
	return k, ok
}

// withoutAliases keeps one path for each file that is reached by several: the
// known one, else the one of the earlier root, links last.
func (p *planner) withoutAliases(files []file) []file {
	first := make(map[inodeKey]int, len(files))
	paths := map[pathKey]bool{} // of files without an inode
	out := files[:0]
	for _, f := range files {
		key := inodeKey{f.harness, inode{f.device, f.inode}}
		path := pathKey{p.scanner.harnesses[f.harness].ID, f.path}
		i, seen := first[key]
		switch {
		case f.inode == 0 && paths[path]:
		case f.inode == 0:
			paths[path] = true
			out = append(out, f)
		case !seen:
			first[key] = len(out)
			out = append(out, f)
		case p.preferred(&f, &out[i]):
			out[i] = f
		}
	}
	for i := range out {
		p.res.Harnesses[out[i].harness].Files++
	}
	return out
}

func (p *planner) preferred(f, than *file) bool {
	_, known := p.at(f)
	_, other := p.at(than)
	switch {
	case known != other:
		return known
	case f.rank != than.rank:
		return f.rank < than.rank
	}
	return f.path < than.path
}

// inPlace settles the files that are where they were, and returns the others.
func (p *planner) inPlace(files []file) []*file {
	var pending []*file
	for i := range files {
		f := &files[i]
		k, ok := p.at(f)
		if ok && sameFile(&p.known[k], f) {
			p.match(f, k)
		} else {
			pending = append(pending, f)
		}
	}
	return pending
}

func sameFile(k *meterbridge.Checkpoint, f *file) bool {
	return k.Inode == 0 || f.inode == 0 || (k.Inode == f.inode && k.Device == f.device)
}

// moved settles the files that a known source has become by renaming.
func (p *planner) moved(pending []*file) []*file {
	if len(pending) == 0 || !slices.Contains(p.matched, false) {
		return pending
	}
	byInode := make(map[inodeKey]int)
	for i := range p.known {
		if !p.matched[i] && p.known[i].Inode != 0 {
			byInode[inodeKey{p.harness(&p.known[i]), inode{p.known[i].Device, p.known[i].Inode}}] = i
		}
	}
	rest := pending[:0]
	for _, f := range pending {
		k, ok := byInode[inodeKey{f.harness, inode{f.device, f.inode}}]
		if ok && !p.matched[k] && p.sameContent(&p.known[k], f) {
			p.res.Harnesses[f.harness].Moved++
			p.movedTo[k] = f
			p.match(f, k)
		} else {
			rest = append(rest, f)
		}
	}
	return rest
}

// harness returns the index of a checkpoint's harness, -1 when it is not read.
func (p *planner) harness(k *meterbridge.Checkpoint) int {
	return slices.IndexFunc(p.scanner.harnesses, func(h harnesses.Harness) bool { return h.ID == k.Harness })
}

// sameContent reports whether the file begins with what was read of k. An inode
// alone is no proof: systems give the number of a deleted file to a new one.
func (p *planner) sameContent(k *meterbridge.Checkpoint, f *file) bool {
	if f.err != nil || k.Offset == 0 || f.size < k.Offset {
		return false
	}
	if f.kind.Shape != harnesses.Lines && (f.size != k.Size || !f.modTime.Equal(k.ModTime)) {
		return false
	}
	r, err := os.Open(f.path)
	if err != nil {
		return false
	}
	defer r.Close()
	if f.kind.Shape == harnesses.CompressedLines {
		return true // its offset counts unpacked bytes; size and time are the same
	}
	ends, err := readPrefix(r, k.Offset)
	return err == nil && ends.matches(k.Head, k.HeadLen, k.Tail)
}

// rest settles what is neither in place nor moved: replaced or new files.
func (p *planner) rest(pending []*file) {
	for _, f := range pending {
		k, ok := p.at(f)
		for ok && k >= 0 && p.matched[k] {
			p.leave(k)
			k = p.next[k]
		}
		if ok && k >= 0 {
			p.match(f, k)
			continue
		}
		p.unknown(f)
	}
}

// leave notes first of all that the source k has left its path, which another
// file has now: a path names one source at a time.
func (p *planner) leave(k int) {
	if to, ok := p.movedTo[k]; ok {
		c := p.known[k]
		c.Path, c.Gone = to.path, false
		p.plan.first = append(p.plan.first, note{to.harness, meterbridge.Unit{Checkpoint: c}})
		delete(p.movedTo, k)
	}
}

func (p *planner) unknown(f *file) {
	switch {
	case f.err != nil:
		p.res.Harnesses[f.harness].Unreadable++
		p.note(f.harness, p.scanner.unreadableUnit(f, nil, f.err))
	case f.size == 0 && f.kind.Shape != harnesses.Database:
		// An empty file tells nothing; it becomes a source with its first line.
	default:
		p.res.Harnesses[f.harness].New++
		p.plan.tasks = append(p.plan.tasks, &task{file: *f, mode: fresh})
	}
}

// match settles the file f, which is the known source k.
func (p *planner) match(f *file, i int) {
	p.matched[i] = true
	k := &p.known[i]
	if f.err != nil {
		p.res.Harnesses[f.harness].Unreadable++
		if k.Size != unread || k.Gone {
			p.note(f.harness, p.scanner.unreadableUnit(f, k, f.err))
		}
		return
	}
	if p.scanner.unchanged(k, f) {
		p.still(f, k)
		return
	}
	p.plan.tasks = append(p.plan.tasks, &task{file: *f, known: k, mode: p.scanner.modeOf(k, f)})
}

// still notes that a source is back, or elsewhere, with nothing new in it.
func (p *planner) still(f *file, k *meterbridge.Checkpoint) {
	if !k.Gone && k.Path == f.path {
		return
	}
	c := *k
	c.Gone, c.Path, c.Machine, c.Kind = false, f.path, f.machine, f.kind.Name
	p.note(f.harness, meterbridge.Unit{Checkpoint: c})
}

func (s *Scanner) unchanged(k *meterbridge.Checkpoint, f *file) bool {
	return k.Size == f.size && k.ModTime.Equal(f.modTime) && sameFile(k, f) && k.Companion == f.companion &&
		k.Parser == s.harnesses[f.harness].ParserVersion && k.Kind == f.kind.Name
}

// modeOf decides how a known source that has changed is read.
func (s *Scanner) modeOf(k *meterbridge.Checkpoint, f *file) mode {
	if k.Parser != s.harnesses[f.harness].ParserVersion || k.Kind != f.kind.Name || !sameFile(k, f) {
		return whole
	}
	switch f.kind.Shape {
	case harnesses.Database:
		return resume
	case harnesses.Lines:
		if f.size > k.Size && f.size >= k.Offset {
			return resume
		}
	}
	return whole
}

// gone notes the sources that were not found. Those below a folder that could
// not be looked into are not gone.
func (p *planner) gone(blind []string) {
	for i := range p.known {
		k := &p.known[i]
		h := p.harness(k)
		if p.matched[i] || k.Gone || h < 0 || below(blind, k.Path) {
			continue
		}
		p.res.Harnesses[h].Gone++
		c := *k
		c.Gone = true
		// A folder that could not be looked into is no source once it can be.
		p.note(h, meterbridge.Unit{Checkpoint: c, Readable: k.Kind == folderKind})
	}
}

func below(folders []string, path string) bool {
	return slices.ContainsFunc(folders, func(dir string) bool {
		rest, ok := strings.CutPrefix(path, dir)
		return ok && rest != "" && (os.IsPathSeparator(rest[0]) || dir == string(filepath.Separator))
	})
}

func (p *planner) note(harness int, u meterbridge.Unit) {
	p.plan.notes = append(p.plan.notes, note{harness, u})
}
