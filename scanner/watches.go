package scanner

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/fsnotify/fsnotify"
)

// watches are the folders that are watched: never files, each folder once
// however many paths lead to it.
type watches struct {
	live *Live
	src  *notices
	done sync.WaitGroup
	// broken: the notifier ended or lost its way.
	broken atomic.Bool
	paths  map[string]inode
	inodes map[inode]string
	// limit bounds what the folders cost, used is what they do; full: the system
	// refused a folder.
	limit, used int
	// short are the folders that should be watched and are not; fault why nothing
	// is, remote the roots on file systems that tell nothing.
	short  map[string]bool
	full   bool
	warned bool
	fault  error
	remote []string
}

func newWatches(l *Live) *watches {
	w := &watches{live: l, limit: l.opt.MaxWatches, short: map[string]bool{}}
	l.state.Limits = machineLimits()
	if w.limit == 0 {
		w.limit = defaultWatches(l.state.Limits)
	}
	return w
}

// open begins to listen.
func (w *watches) open() {
	w.paths, w.inodes, w.used = map[string]inode{}, map[inode]string{}, 0
	w.broken.Store(false)
	w.src, w.fault = w.live.opt.open()
	if w.fault != nil {
		w.live.opt.Log.Warn("live scanner: folders cannot be watched, rescans take their place", slog.Any("err", w.fault))
		return
	}
	src := w.src
	w.done.Go(func() { w.listen(src) })
}

func (w *watches) close() {
	if w.src != nil {
		if err := w.src.Close(); err != nil {
			w.live.opt.Log.Warn("live scanner: the notifier did not close", slog.Any("err", err))
		}
		w.done.Wait()
		w.src = nil
	}
}

// lost reports whether the notifier broke and is to be opened again.
func (w *watches) lost() bool { return w.src != nil && w.broken.Load() }

// degraded: changes may only be found by rescans.
func (w *watches) degraded() bool { return w.src == nil || len(w.short) > 0 || len(w.remote) > 0 }

// listen takes notices until there are no more. It is quick: a pass takes what it notes.
func (w *watches) listen(src *notices) {
	events, faults := src.events, src.errors
	for events != nil {
		select {
		case ev, ok := <-events:
			if !ok {
				events = nil
				continue
			}
			w.live.notice(ev.Name, ev.Op)
		case err, ok := <-faults:
			if !ok {
				faults = nil
				continue
			}
			w.fail(err)
		}
	}
	w.broken.Store(true)
	w.live.touched.ring()
}

// fail meets an error of the notifier: something was missed.
func (w *watches) fail(err error) {
	if errors.Is(err, fsnotify.ErrEventOverflow) {
		w.live.mu.Lock()
		w.live.state.Overflows++
		w.live.mu.Unlock()
	} else {
		w.live.opt.Log.Warn("live scanner: the notifier is opened again", slog.Any("err", err))
		w.broken.Store(true)
	}
	w.live.touched.addAll(time.Now())
}

// sync watches what is to be watched of all folders, and no others; it returns
// those that it began to watch.
func (w *watches) sync(places []place) []string {
	if w.lost() || w.src == nil {
		w.close()
		w.open()
	}
	wanted := w.wanted(places)
	w.short, w.full = map[string]bool{}, false
	if w.src == nil {
		for i := range wanted {
			w.short[wanted[i].path] = true
		}
		w.publish()
		return nil
	}
	w.reconcile(wanted)
	var added []string
	for _, p := range wanted {
		if w.watch(p) {
			added = append(added, p.path)
		}
	}
	w.publish()
	return added
}

// reconcile lets go of what is not wanted, and forgets what the notifier does
// not watch any more.
func (w *watches) reconcile(wanted []place) {
	keep := make(map[string]inode, len(wanted))
	for i := range wanted {
		keep[wanted[i].path] = wanted[i].inode
	}
	alive := w.alive()
	for path, node := range w.paths {
		if now, ok := keep[path]; !ok || now != node || !alive[path] {
			w.unwatch(path)
		}
	}
	w.used = len(w.paths)
}

// wanted are the folders to be watched, the most important ones first: the
// places where roots are or will be, then the folders of late.
func (w *watches) wanted(places []place) []place {
	l := w.live
	cutoff := time.Now().Add(-l.opt.Active)
	w.remote = w.remote[:0]
	far := w.far()
	lively := map[string]bool{}
	for i := range slices.Backward(places) {
		p := &places[i]
		if p.path == p.root || p.active.After(cutoff) || lively[p.path] {
			lively[p.path] = true
			if p.path != p.root {
				lively[filepath.Dir(p.path)] = true
			}
		}
	}
	list := w.anchors()
	for i := range places {
		if p := &places[i]; lively[p.path] && !far[p.root] {
			list = append(list, *p)
		}
	}
	slices.SortStableFunc(list, func(a, b place) int {
		if n := cmp.Compare(btoi(b.path == b.root), btoi(a.path == a.root)); n != 0 {
			return n
		}
		return b.active.Compare(a.active)
	})
	return list
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// far are the roots on file systems whose changes are not all told.
func (w *watches) far() map[string]bool {
	far := map[string]bool{}
	for _, roots := range w.live.scanner.roots {
		for i := range roots {
			if path := roots[i].Path; !far[path] && remote(path) {
				far[path] = true
				w.remote = append(w.remote, path)
			}
		}
	}
	return far
}

// anchors are the folders in which roots will appear, and those of roots that
// are files.
func (w *watches) anchors() []place {
	var list []place
	for _, roots := range w.live.scanner.roots {
		for i := range roots {
			if info, err := os.Stat(roots[i].Path); err == nil && info.IsDir() {
				continue
			}
			up := nearest(roots[i].Path)
			if up == "" || slices.ContainsFunc(list, func(p place) bool { return p.path == up }) {
				continue
			}
			if info, err := os.Stat(up); err == nil {
				d, n := deviceInode(info)
				list = append(list, place{path: up, root: up, inode: inode{d, n}})
			}
		}
	}
	return list
}

// follow watches the folders that a look has found and lets go of those that it
// did not find any more; it returns those that it began to watch.
func (w *watches) follow(found []place, left []string) []string {
	if w.src == nil {
		return nil
	}
	for _, dir := range left {
		for path := range w.paths {
			if (path == dir || below([]string{dir}, path)) && w.live.places[path] == nil {
				w.unwatch(path)
			}
		}
	}
	if len(left) > 0 {
		w.bury(found)
	}
	var added []string
	cutoff := time.Now().Add(-w.live.opt.Active)
	for _, p := range found {
		if (p.path == p.root || p.active.After(cutoff)) && w.watch(p) {
			added = append(added, p.path)
		}
	}
	if len(left) > 0 { // a root may be gone: it will appear again in the folder above
		for _, p := range w.anchors() {
			if w.watch(p) {
				added = append(added, p.path)
			}
		}
	}
	if len(added) > 0 || len(left) > 0 {
		w.publish()
	}
	return added
}

// bury forgets folders that the notifier does not watch any more: one that was
// removed and made again may have the inode of the one before.
func (w *watches) bury(found []place) {
	alive := w.alive()
	for i := range found {
		if path := found[i].path; !alive[path] {
			w.unwatch(path)
		}
	}
}

// alive are the folders that the notifier watches.
func (w *watches) alive() map[string]bool {
	alive := map[string]bool{}
	for _, path := range w.src.WatchList() {
		alive[path] = true
	}
	return alive
}

// watch begins to watch a folder; it reports whether it was not watched before.
func (w *watches) watch(p place) bool {
	if node, ok := w.paths[p.path]; ok {
		if node == p.inode {
			return false
		}
		w.unwatch(p.path)
	}
	if other, ok := w.inodes[p.inode]; ok && p.inode.inode != 0 {
		if w.stillThere(other, p.inode) {
			return false
		}
		w.unwatch(other)
	}
	cost := watchCost(p.entries)
	if w.full || w.used+cost > w.limit {
		w.short[p.path] = true
		return false
	}
	switch err := w.src.Add(p.path); {
	case err == nil:
	case errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR):
		return false
	default:
		w.full, w.short[p.path] = true, true
		if !w.warned {
			w.warned = true
			w.live.opt.Log.Warn("live scanner: no more folders can be watched, rescans take their place", slog.Int("watched", len(w.paths)), slog.Any("err", err))
		}
		return false
	}
	w.paths[p.path] = p.inode
	w.inodes[p.inode] = p.path
	w.used += cost
	return true
}

func (w *watches) stillThere(path string, node inode) bool {
	info, err := os.Stat(path)
	if err != nil {
		return false
	}
	d, n := deviceInode(info)
	return node == inode{d, n}
}

func (w *watches) unwatch(path string) {
	node, ok := w.paths[path]
	if !ok {
		return
	}
	delete(w.paths, path)
	if w.inodes[node] == path {
		delete(w.inodes, node)
	}
	// The notifier lets go of folders that are gone by itself.
	_ = w.src.Remove(path)
}

// publish tells the state.
func (w *watches) publish() {
	l := w.live
	l.mu.Lock()
	defer l.mu.Unlock()
	l.state.Watched, l.state.Unwatched = len(w.paths), len(w.short)
	l.state.Degraded = nil
	if w.fault != nil {
		l.state.Degraded = append(l.state.Degraded, fmt.Sprintf("folders cannot be watched (%v): changes are found by rescans", w.fault))
	} else if len(w.short) > 0 {
		l.state.Degraded = append(l.state.Degraded, fmt.Sprintf("%d folders are beyond what may be watched: their changes are found by rescans", len(w.short)))
	}
	for _, root := range w.remote {
		l.state.Degraded = append(l.state.Degraded, root+" lies on a network file system: its changes are found by rescans")
	}
}

func parent(path string) string { return filepath.Dir(path) }
