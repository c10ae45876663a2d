// Package extensions installs extensions on this machine and keeps what their user
// consented to: packages are unpacked within bounds, pinned by their digests, and
// shown to agents only as far as they were approved, linked and turned on. It
// joins the rooms of package bridge with the files of the data folder. The
// daemon and the commands `ext` use one Desk each, at the same time; of the project
// it may import bridge with its rooms and dashboard, whose answers it gives, but
// not internal/daemon.
package extensions

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"meterbridge/bridge"
	"meterbridge/bridge/policy"
)

// Options of a desk. Folder is needed.
type Options struct {
	// Folder is that of extensions in the data folder.
	Folder string
	// Version of the program, OS a GOOS value.
	Version, OS string
	// Now is the clock; nil is time.Now.
	Now func() time.Time
	// Resolve is the id of the agent or terminal that a name or an id means; nil takes
	// it for an id.
	Resolve func(ctx context.Context, name string) (string, error)
	// Name is what an agent's user calls it, for the extension that it calls; nil takes
	// the id.
	Name func(agent string) string
	// Runtime runs extensions; nil where nothing is run, as without a daemon.
	Runtime bridge.Runtime
	// Find is the file of a program's name; nil is exec.LookPath.
	Find func(string) (string, error)
	Log  *slog.Logger
	// WholeNames: long names are told as they are, whatever clients take.
	WholeNames bool
}

// Fault is an error that a person can do something about.
type Fault struct {
	Err error
	// Hint says what to do.
	Hint string
	// Nothing: there is no such thing. Wrong: what was asked for cannot be.
	Nothing, Wrong bool
}

func (f *Fault) Error() string { return f.Err.Error() }
func (f *Fault) Unwrap() error { return f.Err }

// Desk is the extensions of one installation.
type Desk struct {
	o      Options
	record record
	calls  calls
	// changing is held while a view is made and told of.
	changing sync.Mutex
	now      atomic.Pointer[view]
	// trees remembers digests of folders; guarded by changing.
	trees map[string]tree
	// watchers hear of each new view; guarded by changing.
	watchers []func()
	// news is the runtime's.
	news chan struct{}
}

// Open reads what is installed. A record that cannot be read is no error: then
// nothing is visible, and every answer says why.
func Open(o Options) *Desk {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Find == nil {
		o.Find = exec.LookPath
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	d := &Desk{o: o, record: record{folder: o.Folder}, trees: map[string]tree{}, news: make(chan struct{}, 1)}
	d.calls.of = map[int64]*running{}
	d.Refresh()
	return d
}

// Watch has fn called after each change of what there is or who may see it. It must
// not ask the desk to change anything.
func (d *Desk) Watch(fn func()) {
	d.changing.Lock()
	defer d.changing.Unlock()
	d.watchers = append(d.watchers, fn)
}

// Refresh looks at the record and at the packages anew and tells who watches.
func (d *Desk) Refresh() {
	d.changing.Lock()
	defer d.changing.Unlock()
	d.refresh()
}

func (d *Desk) refresh() {
	next := d.look()
	last := d.now.Swap(next)
	if d.o.Runtime != nil {
		d.o.Runtime.Sync(next.installed())
	}
	if last != nil {
		d.calls.stop(next)
	}
	for _, fn := range d.watchers {
		fn()
	}
}

// Reported says that the runtime has news of its own. It never waits.
func (d *Desk) Reported() {
	select {
	case d.news <- struct{}{}:
	default: // it is known already
	}
}

// hear makes a new view out of what the runtime says now. The list of what may run
// is the same, so the runtime is not told of it.
func (d *Desk) hear() {
	d.changing.Lock()
	defer d.changing.Unlock()
	next := *d.now.Load()
	next.reports = d.reports(next.items)
	d.now.Store(&next)
	for _, fn := range d.watchers {
		fn()
	}
}

// change changes the record while no other process does, and refreshes.
func (d *Desk) change(fn func(*policy.State) error) error {
	d.changing.Lock()
	defer d.changing.Unlock()
	err := d.record.change(fn)
	if errors.Is(err, errUnchanged) {
		return nil
	}
	if err != nil {
		return recordFault(err)
	}
	d.refresh()
	return nil
}

// errUnchanged leaves the record as it is.
var errUnchanged = errors.New("nothing changed")

func recordFault(err error) error {
	var told *Fault
	switch {
	case errors.As(err, &told):
		return err
	case errors.Is(err, policy.ErrState):
		return &Fault{Err: err, Hint: restoreHint}
	}
	return fmt.Errorf("extensions: %w", err)
}

// restoreHint is what to do about a record that cannot be relied on.
const restoreHint = "nothing of extensions is visible until this is decided: `cp state.previous.json state.json` in the folder extensions of the data folder " +
	"takes the record before the last change, if you trust it; moving the folder away begins anew"

// Run watches for what others change: the record, packages that are worked on in
// place, and those that should never change. It ends with ctx.
func (d *Desk) Run(ctx context.Context) error {
	d.sweep()
	soon, seldom := time.NewTicker(lookEvery), time.NewTicker(verifyEvery)
	defer soon.Stop()
	defer seldom.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-d.news:
			d.hear()
		case <-soon.C:
			if d.stale() {
				d.Refresh()
			}
		case <-seldom.C:
			d.Refresh()
		}
	}
}

// How often the record and the manifests under work are looked at, and how often
// whole packages.
const (
	lookEvery   = time.Second
	verifyEvery = time.Minute
)

// stale tells whether the record or the manifest of a package under work is
// another than the view was made of.
func (d *Desk) stale() bool {
	v := d.now.Load()
	if d.record.mark() != v.mark {
		return true
	}
	for _, it := range v.items {
		if it.pkg.Dev && fileMark(filepath.Join(it.inst.Folder, it.pkg.Manifest)) != it.mark {
			return true
		}
	}
	return false
}

// sweep removes what an installation that was cut short left behind.
func (d *Desk) sweep() {
	dir := filepath.Join(d.o.Folder, stagingFolder)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		if info, err := e.Info(); err == nil && d.o.Now().Sub(info.ModTime()) > time.Hour {
			d.discard(filepath.Join(dir, e.Name()))
		}
	}
}

// discard removes a folder of ours, which may be read-only.
func (d *Desk) discard(folder string) {
	if err := removeTree(folder); err != nil {
		d.o.Log.Warn("a folder of extensions could not be removed", slog.Any("error", err))
	}
}
