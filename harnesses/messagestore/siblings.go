package messagestore

import (
	"cmp"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// siblings are the files around a message: its parts, its session, and the
// other sessions of the project, among which the original of a copy lies. A
// file that is not there, or not readable, tells nothing.
type siblings struct {
	fsys   fs.FS
	layout layout
	// root is the root's path, by which known tells its sessions apart from those
	// of others.
	root  string
	known *known
}

// addParts reads the parts of a message.
func (f siblings) addParts(m *message, p *parts) {
	dir := f.layout.parts(m.session, m.id)
	for _, name := range f.names(dir) {
		if data := f.read(path.Join(dir, name)); data != nil {
			_ = p.add([]byte(strings.TrimSuffix(name, ".json")), data, nil) // half-written: told when the message is written again
		}
	}
}

// names lists the JSON files of a folder in order.
func (f siblings) names(dir string) (names []string) {
	for _, e := range f.entries(dir) {
		if name := e.Name(); path.Ext(name) == ".json" && name[0] != '.' {
			names = append(names, name)
		}
	}
	return names
}

func (f siblings) entries(dir string) []fs.DirEntry {
	if f.fsys == nil {
		return nil
	}
	entries, err := fs.ReadDir(f.fsys, dir)
	if err != nil {
		return nil
	}
	return entries
}

func (f siblings) read(name string) []byte {
	if f.fsys == nil || !fs.ValidPath(name) {
		return nil
	}
	data, err := fs.ReadFile(f.fsys, name)
	if err != nil {
		return nil
	}
	return data
}

// session is what the file of a session tells; nothing but the id without one.
// The parent and the begin of a session, for which it is asked, never change.
func (f siblings) session(id string) *conversation {
	return f.known.session(f.root, path.Join(f.layout.base, id), func() *conversation { return f.findSession(id) })
}

// findSession looks where the session lay when the folders were listed, then in
// all of them: it may be newer than the list.
func (f siblings) findSession(id string) *conversation {
	list := f.known.list(f.root, f.layout.base, f.listSessions)
	if dir, ok := list[id]; ok {
		if c := f.sessionIn(dir, id); c != nil {
			return c
		}
	}
	for _, dir := range f.sessionFolders() {
		if c := f.sessionIn(dir, id); c != nil {
			return c
		}
	}
	return &conversation{id: id}
}

// listSessions tells of each session in which folder it lies.
func (f siblings) listSessions() map[string]string {
	list := map[string]string{}
	for _, dir := range f.sessionFolders() {
		for _, name := range f.names(dir) {
			list[strings.TrimSuffix(name, ".json")] = dir
		}
	}
	return list
}

// sessionFolders are the folders with sessions: one per project.
func (f siblings) sessionFolders() (dirs []string) {
	if f.layout.oldest {
		return []string{path.Join(f.layout.base, "info")}
	}
	for _, e := range f.entries(path.Join(f.layout.base, "session")) {
		if e.IsDir() {
			dirs = append(dirs, path.Join(f.layout.base, "session", e.Name()))
		}
	}
	return dirs
}

// sessionIn reads a session's file; its project is the folder it lies in.
func (f siblings) sessionIn(dir, id string) *conversation {
	data := f.read(path.Join(dir, id+".json"))
	if data == nil {
		return nil
	}
	s, err := decodeSession(data)
	if err != nil {
		return nil
	}
	s.id, s.project = id, dir
	return &s.conversation
}

// original finds the message that a fork copied; nil when m is no copy.
func (f siblings) original(m *message, in *conversation) (best *message) {
	if in.project == "" || !in.copied(m) {
		return nil
	}
	first := in
	for _, id := range f.candidates(m, in) {
		found := f.match(m, id)
		if found == nil {
			continue
		}
		other := f.sessionIn(in.project, id)
		if other == nil || !other.before(first) {
			continue
		}
		if best, first = found, other; !other.copied(found) {
			return best
		}
	}
	return best
}

// lastCopy reports whether the message after m, if any, is none that the fork
// copied: as in a database, the last copy tells whose fork a session is.
func (f siblings) lastCopy(m *message, in *conversation) bool {
	dir := path.Join(f.layout.base, "message", in.id)
	names := f.names(dir)
	at, _ := slices.BinarySearch(names, m.id+".json")
	if at+1 >= len(names) {
		return true
	}
	next, err := decode(f.read(path.Join(dir, names[at+1])), nil)
	return err != nil || !in.copied(&next)
}

// candidates are the sessions of the project that may hold the original, the
// ones that began last before it first. Where ids tell no time it may be any.
func (f siblings) candidates(m *message, in *conversation) (ids []string) {
	for _, name := range f.names(in.project) {
		id := strings.TrimSuffix(name, ".json")
		if began, ok := sessionTime(id, m.created); id != in.id && (!ok || began <= m.created+nearby) {
			ids = append(ids, id)
		}
	}
	slices.SortStableFunc(ids, func(a, b string) int {
		at, _ := sessionTime(a, m.created)
		bt, _ := sessionTime(b, m.created)
		return cmp.Compare(bt, at)
	})
	return ids
}

// match looks in a session for the message with the signs of m.
func (f siblings) match(m *message, session string) *message {
	dir := path.Join(f.layout.base, "message", session)
	want := signOf(m)
	for _, name := range f.names(dir) {
		id := strings.TrimSuffix(name, ".json")
		if madeAt(id, m.created) == elsewhere {
			continue
		}
		found, err := decode(f.read(path.Join(dir, name)), nil)
		if err == nil && signOf(&found) == want {
			found.id, found.session = id, session
			return &found
		}
	}
	return nil
}
