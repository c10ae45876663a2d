package clinetasks

import (
	"bytes"
	"io/fs"
	"path"
	"sync"
	"time"

	"meterbridge"
	"meterbridge/harnesses/facts"
	"meterbridge/harnesses/jsonvalue"
	"meterbridge/harnesses/walk"
)

// item is what a list of tasks says of one.
type item struct {
	id, title, project, model string
	parent, mode              string
}

func readItem(o jsonvalue.Object) item {
	i := item{
		id: o["id"].Text(), title: o["task"].Clip(meterbridge.PreviewRunes), project: o["cwdOnTaskInitialization"].Text(),
		model: o["modelId"].Text(), parent: o["parentTaskId"].Text(), mode: o["mode"].Text(),
	}
	if i.project == "" {
		i.project = o["workspace"].Text()
	}
	return i
}

// session is the item as a fact. A task that another one started is its sub-agent.
func (i item) session(w *facts.Writer) {
	if i.id == "" {
		return
	}
	s := meterbridge.Session{ID: i.id, Title: i.title, TitleRank: meterbridge.TitleFromPrompt, Project: i.project}
	if i.parent != "" && i.parent != i.id {
		s.Parent, s.Relation, s.AgentType = i.parent, meterbridge.SubAgent, i.mode
	}
	w.Session(s)
}

// list reads a list of tasks: an array, or an index with entries.
func list(content []byte) (items []item, ok bool) {
	v, ok := whole(content)
	if !ok {
		return nil, false
	}
	entries := v
	if v[0] == '{' {
		entries = v.Object()["entries"]
	}
	for _, e := range entries.Elements() {
		items = append(items, readItem(e.Object()))
	}
	return items, true
}

// whole is a JSON text, a byte order mark aside; ok is false when it is none.
func whole(content []byte) (v jsonvalue.Value, ok bool) {
	c := walk.Over(bytes.TrimPrefix(content, []byte("\xef\xbb\xbf")))
	v = c.Raw()
	return v, len(v) > 0 && c.End()
}

// known remembers lists of tasks, which every task asks for.
type known struct {
	mu    sync.Mutex
	lists map[string]knownList
}

type knownList struct {
	size  int64
	time  time.Time
	items map[string]item
}

func newKnown() *known { return &known{lists: map[string]knownList{}} }

// item is what the files beside a task say of it: its own, else the list's.
func (k *known) item(files fs.FS, root, dir string) item {
	id := path.Base(dir)
	if content := read(files, path.Join(dir, "history_item.json")); content != nil {
		if o, ok := jsonvalue.Parse(content); ok {
			return readItem(o)
		}
	}
	for _, name := range []string{"tasks/_index.json", "state/taskHistory.json"} {
		if i, ok := k.list(files, root, name)[id]; ok {
			return i
		}
	}
	return item{id: id}
}

// list is the list in a file, read once for each state of it.
func (k *known) list(files fs.FS, root, name string) map[string]item {
	if files == nil {
		return nil
	}
	info, err := fs.Stat(files, name)
	if err != nil {
		return nil
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	at := root + "\x00" + name
	l, ok := k.lists[at]
	if ok && l.size == info.Size() && l.time.Equal(info.ModTime()) {
		return l.items
	}
	l = knownList{size: info.Size(), time: info.ModTime(), items: map[string]item{}}
	items, _ := list(read(files, name))
	for _, i := range items {
		l.items[i.id] = i
	}
	k.lists[at] = l
	return l.items
}

// read is a file beside a task; nil without one.
func read(files fs.FS, name string) []byte {
	if files == nil || !fs.ValidPath(name) {
		return nil
	}
	content, err := fs.ReadFile(files, name)
	if err != nil {
		return nil
	}
	return content
}
