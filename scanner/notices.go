package scanner

import (
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"
)

// notifier is where the machine's notices come from.
type notifier interface {
	Add(dir string) error
	Remove(dir string) error
	WatchList() []string
	Close() error
}

// notices are a notifier with the channels of its notices; both are closed when
// it ends.
type notices struct {
	notifier
	events <-chan fsnotify.Event
	errors <-chan error
}

// openNotifier opens the machine's notifier.
func openNotifier() (*notices, error) {
	w, err := fsnotify.NewBufferedWatcher(4096)
	if err != nil {
		return nil, err
	}
	return &notices{w, w.Events, w.Errors}, nil
}

// notice notes what an event may mean.
func (l *Live) notice(path string, op fsnotify.Op) {
	if path == "" {
		return
	}
	l.placesMu.RLock()
	source, side := l.companions[path]
	concerns := l.concerns(path, op)
	l.placesMu.RUnlock()
	now := time.Now()
	if side {
		l.touched.add(source, now)
	}
	if concerns {
		l.touched.add(path, now)
	}
}

// concerns reports whether what happened to a path may matter.
func (l *Live) concerns(path string, op fsnotify.Op) bool {
	in := l.places[filepath.Dir(path)]
	for i := range in {
		h := &l.scanner.harnesses[in[i].harness]
		if _, ok := h.Claim(relIn(&in[i], path)); ok || op.Has(fsnotify.Create) {
			return true
		}
	}
	if _, folder := l.places[path]; folder && !op.Has(fsnotify.Write) {
		return true
	}
	return len(in) == 0 && l.aboveRoot(path)
}

func relIn(in *place, path string) string {
	name := filepath.Base(path)
	if in.rel == "" {
		return name
	}
	return in.rel + "/" + name
}

// aboveRoot reports whether a root lies at a path or below it.
func (l *Live) aboveRoot(path string) bool {
	at := []string{path}
	for _, roots := range l.scanner.roots {
		for i := range roots {
			if roots[i].Path == path || below(at, roots[i].Path) {
				return true
			}
		}
	}
	return false
}
