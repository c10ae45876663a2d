package scanner

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"meterbridge"
)

// maxStates bounds the parsers' states that are kept at hand, in bytes.
const maxStates = 16 << 20

// known are the checkpoints of all sources, as the sink has them. Live keeps
// them between passes, so that a look at one log asks for nothing.
type known struct {
	harness map[string]int // index by id
	entries map[int64]*entry
	byPath  map[pathKey][]*entry
	byInode map[inodeKey][]*entry
	// there counts the sources that are there, by harness.
	there []int
	// states is how many bytes of parsers' states are at hand.
	states int
}

// entry is one source.
type entry struct {
	// cp is its checkpoint; State is nil unless stated.
	cp     meterbridge.Checkpoint
	stated bool
	// seen is the number of the rescan that found it as it is.
	seen int
	// tried is how an unreadable source was when it was tried last, and again the
	// earliest time at which it is tried without having changed.
	tried stat
	again time.Time
	wait  time.Duration
}

func (s *Scanner) newKnown() *known {
	k := &known{harness: map[string]int{}, entries: map[int64]*entry{}, byPath: map[pathKey][]*entry{}, byInode: map[inodeKey][]*entry{}}
	k.there = make([]int, len(s.harnesses))
	for i := range s.harnesses {
		k.harness[s.harnesses[i].ID] = i
	}
	return k
}

// take makes cp the checkpoint of its source. Those of harnesses that are not
// read are left alone.
func (k *known) take(cp meterbridge.Checkpoint, stated bool) {
	h, read := k.harness[cp.Harness]
	if !read || cp.Source == 0 {
		return
	}
	e := k.entries[cp.Source]
	if e == nil {
		e = &entry{}
		k.entries[cp.Source] = e
	} else {
		k.unlink(e, h)
		k.states -= len(e.cp.State)
		k.count(e, h, -1)
	}
	e.cp, e.stated = cp, stated
	k.count(e, h, 1)
	if cp.Size != unread {
		e.tried, e.wait = stat{}, 0
	}
	k.states += len(cp.State)
	p := pathKey{cp.Harness, cp.Path}
	k.byPath[p] = append(k.byPath[p], e)
	if cp.Inode != 0 {
		n := inodeKey{h, inode{cp.Device, cp.Inode}}
		k.byInode[n] = append(k.byInode[n], e)
	}
	if k.states > maxStates {
		k.dropStates()
	}
}

func (k *known) count(e *entry, harness, n int) {
	if !e.cp.Gone {
		k.there[harness] += n
	}
}

func (k *known) unlink(e *entry, harness int) {
	without(k.byPath, pathKey{e.cp.Harness, e.cp.Path}, e)
	without(k.byInode, inodeKey{harness, inode{e.cp.Device, e.cp.Inode}}, e)
}

func without[K comparable](m map[K][]*entry, key K, e *entry) {
	rest := slices.DeleteFunc(m[key], func(o *entry) bool { return o == e })
	if len(rest) == 0 {
		delete(m, key)
		return
	}
	m[key] = rest
}

func (k *known) dropStates() {
	for _, e := range k.entries {
		e.cp.State, e.stated = nil, false
	}
	k.states = 0
}

// state is the parser's state of a source, if it is at hand.
func (k *known) state(source int64) ([]byte, bool) {
	e := k.entries[source]
	if e == nil || !e.stated {
		return nil, false
	}
	return e.cp.State, true
}

// below calls fn with every source of a harness below a folder.
func (k *known) below(harness, dir string, fn func(*entry)) {
	for _, e := range k.entries {
		if e.cp.Harness == harness && below([]string{dir}, e.cp.Path) {
			fn(e)
		}
	}
}

// standing is the source that lies at a path now, nil when there is none, or
// more than one claims it.
func (k *known) standing(harness, path string) *entry {
	var found *entry
	for _, e := range k.byPath[pathKey{harness, path}] {
		switch {
		case e.cp.Gone:
		case found != nil:
			return nil
		default:
			found = e
		}
	}
	return found
}

// all are the sources in the order of their numbers.
func (k *known) all() []*entry {
	list := slices.Collect(maps.Values(k.entries))
	slices.SortFunc(list, func(a, b *entry) int { return cmp.Compare(a.cp.Source, b.cp.Source) })
	return list
}

// checkpoints are those of the entries, without State.
func checkpoints(entries []*entry) []meterbridge.Checkpoint {
	list := make([]meterbridge.Checkpoint, len(entries))
	for i, e := range entries {
		list[i] = e.cp
		list[i].State = nil
	}
	return list
}

const (
	// firstTry and lastTry bound the wait before a source that could not be read
	// is tried again without having changed.
	firstTry, lastTry = time.Second, 5 * time.Minute
)

// trying notes that an unreadable source is tried as it is now.
func (e *entry) trying(st stat, now time.Time) {
	e.wait = min(max(firstTry, 2*e.wait), lastTry)
	e.tried, e.again = st, now.Add(e.wait)
}

// hopeless: it was tried like this a short time ago.
func (e *entry) hopeless(st stat, now time.Time) bool {
	return e.cp.Size == unread && e.tried == st && now.Before(e.again)
}
