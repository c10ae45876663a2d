package scanner

import (
	"errors"
	"io/fs"
	"os"
	"time"

	"meterbridge/harnesses"
)

// errNoFile: something else lies in a file's place.
var errNoFile = errors.New("no file")

// listings remember what lies in the folders of the last walks. A folder whose
// own time is as it was has the same entries, so it is not opened and listed
// again: only its logs are looked at, for their sizes and times change without it.
type listings struct {
	by map[listingKey]*listing
	// round counts walks.
	round int
}

type listingKey struct {
	harness  int
	top, dir string
}

// listing is what a walk found in a folder.
type listing struct {
	stat    stat
	mode    fs.FileMode
	entries []listed
	// all counts the entries, also those that are of no interest.
	all, seen int
}

// listed is a log, a folder or a link.
type listed struct {
	path, rel, name string
	mode            fs.FileMode
	kind            harnesses.Kind
}

const (
	// settledAfter is how old a folder's time must be when it is listed: what came
	// within the same tick of a clock might be missing.
	settledAfter = 5 * time.Second
	// freshWalk is how often everything is listed again all the same, in walks: a
	// file system might not keep the times of folders.
	freshWalk = 60
)

// begin begins a walk.
func (l *listings) begin() {
	l.round++
	if l.by == nil || l.round%freshWalk == 0 {
		l.by = map[listingKey]*listing{}
	}
}

// end forgets the folders that the walk did not come to.
func (l *listings) end() {
	for key, f := range l.by {
		if f.seen != l.round {
			delete(l.by, key)
		}
	}
}

// known is the listing of a folder that still holds; nil without one.
func (l *listings) known(key listingKey) *listing {
	f := l.by[key]
	if f == nil {
		return nil
	}
	now := listingOf(key.dir)
	if now == nil || now.mode != f.mode || now.stat.inode != f.stat.inode || now.stat.device != f.stat.device || !now.stat.modTime.Equal(f.stat.modTime) {
		delete(l.by, key)
		return nil
	}
	f.seen = l.round
	return f
}

// listingOf is an empty listing of a folder as that is now; nil when it is none.
func listingOf(dir string) *listing {
	info, err := os.Stat(dir)
	if err != nil || !info.IsDir() {
		return nil
	}
	return &listing{stat: statOf(info), mode: info.Mode()}
}

// keep keeps a listing that will hold for as long as its folder's time does.
func (l *listings) keep(key listingKey, f *listing, listedAt time.Time) {
	if f != nil && listedAt.Sub(f.stat.modTime) > settledAfter {
		f.seen = l.round
		l.by[key] = f
	}
}

// replay walks a folder that is as it was listed.
func (w *walker) replay(f *listing, dir, rel string, depth int) {
	defer w.arrive(f.stat, dir, rel)()
	w.entries += f.all
	for i := range f.entries {
		e := &f.entries[i]
		switch e.mode {
		case 0:
			st, err := lookAt(e.path)
			switch {
			case err == nil:
				w.claimed(e.path, e.rel, e.kind, st)
			case !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, errNoFile):
				// What cannot be looked at is not gone; the next walk says why.
				w.out.blind = append(w.out.blind, dir)
				delete(w.listings.by, w.listingKey(dir))
			}
		case fs.ModeDir:
			w.subfolder(nil, e.path, e.rel, e.name, depth+1)
		case fs.ModeSymlink:
			w.links = append(w.links, link{e.path, e.rel, depth + 1})
		}
	}
}
