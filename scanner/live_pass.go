package scanner

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"
)

// manyOdd is how many sources that are not as they were known are planned with
// all others at once, rather than looked at one by one.
const manyOdd = 1000

// pass looks at paths, or at everything, and commits what is new.
func (l *Live) pass(ctx context.Context, paths []string, all bool) (Result, error) {
	ctx, cancel := graceful(ctx)
	defer cancel()
	defer l.progress.clear()
	res := l.scanner.newResult()
	var p plan
	if all {
		l.scanning(true)
		defer l.scanning(false)
		found, odd, err := l.rescan(ctx, &res)
		if err != nil {
			return res, err
		}
		if paths = append(paths, odd...); l.round == 1 || len(odd) > manyOdd {
			p = l.scanner.plan(checkpoints(l.known.all()), found, &res)
			paths = nil
		}
	}
	if len(paths) > 0 {
		p = l.look(paths, &res)
	}
	err := l.read(ctx, p, &res)
	l.did(&res, all)
	if err == nil && all {
		l.ready()
	}
	return res, err
}

// look plans what became of the paths.
func (l *Live) look(paths []string, res *Result) plan {
	k := l.newLook()
	for _, path := range paths {
		k.at(path)
	}
	p := k.plan(res)
	l.arrive(&k.found)
	l.touchAgain(l.watches.follow(k.found.places, k.left))
	return p
}

// read reads and commits what is planned.
func (l *Live) read(ctx context.Context, p plan, res *Result) error {
	if p.empty() {
		return nil
	}
	now := time.Now()
	for _, t := range p.tasks {
		if t.known != nil && t.known.Size == unread {
			l.known.entries[t.known.Source].trying(t.stat, now)
		}
	}
	if err := l.opt.Keeper.BeginPass(ctx); err != nil {
		return fmt.Errorf("begin a pass: %w", err)
	}
	err := l.scanner.loadStates(ctx, &p)
	if err == nil {
		err = l.scanner.read(ctx, p, res)
	}
	if end := l.opt.Keeper.EndPass(context.WithoutCancel(ctx)); end != nil {
		err = errors.Join(err, fmt.Errorf("end a pass: %w", end))
	}
	return err
}

// rescan walks all roots and finds the paths that are not as they are known.
func (l *Live) rescan(ctx context.Context, res *Result) (findings, []string, error) {
	began := time.Now()
	l.round++
	l.listings.begin()
	l.scanner.listings = &l.listings
	found, err := l.scanner.discover(ctx, len(l.known.entries), res)
	l.scanner.listings = nil
	if err != nil {
		return found, nil, err
	}
	l.listings.end()
	l.placesMu.Lock()
	clear(l.places)
	clear(l.companions)
	l.placesMu.Unlock()
	l.arrive(&found)
	odd := l.odd(&found, began)
	l.touched.cool(began)
	l.lastRescan = time.Now()
	l.rescanCost = l.lastRescan.Sub(began)
	l.touchAgain(l.watches.sync(found.places))
	return found, odd, nil
}

// odd are the paths of what was found and is not known like this, and of what is
// known and was not found.
func (l *Live) odd(found *findings, now time.Time) []string {
	var paths []string
	for i := range found.files {
		f := &found.files[i]
		e := l.known.standing(l.scanner.harnesses[f.harness].ID, f.path)
		if e != nil && l.asKnown(e, f, now) {
			e.seen = l.round
			continue
		}
		paths = append(paths, f.path)
	}
	for _, e := range l.known.entries {
		if !e.cp.Gone && e.seen != l.round && !below(found.blind, e.cp.Path) {
			paths = append(paths, e.cp.Path)
		}
	}
	return paths
}

func (l *Live) asKnown(e *entry, f *file, now time.Time) bool {
	if f.err != nil {
		return e.cp.Size == unread
	}
	return l.scanner.unchanged(&e.cp, f) || e.hopeless(f.stat, now)
}

// arrive makes the folders and databases that were found the known ones.
func (l *Live) arrive(found *findings) {
	l.placesMu.Lock()
	defer l.placesMu.Unlock()
	for _, p := range found.places {
		l.places[p.path] = append(l.places[p.path], p)
	}
	for i := range found.files {
		f := &found.files[i]
		if h := &l.scanner.harnesses[f.harness]; hasCompanion(h, f.kind) {
			l.companions[h.Companion(f.path)] = f.path
		}
	}
}

// forget forgets that a folder was walked, and those in it; it reports whether
// it was.
func (l *Live) forget(harness int, path string) bool {
	l.placesMu.Lock()
	defer l.placesMu.Unlock()
	if !l.drop(harness, path) {
		return false
	}
	inside := []string{path}
	for other := range l.places {
		if below(inside, other) {
			l.drop(harness, other)
		}
	}
	return true
}

func (l *Live) drop(harness int, path string) bool {
	list := l.places[path]
	for i := range list {
		if list[i].harness == harness {
			if list = append(list[:i:i], list[i+1:]...); len(list) == 0 {
				delete(l.places, path)
			} else {
				l.places[path] = list
			}
			return true
		}
	}
	return false
}

// walkedFolders are the folders of a root.
func (l *Live) walkedFolders(harness int, root string) []string {
	var out []string
	for path, list := range l.places {
		for i := range list {
			if list[i].harness == harness && list[i].root == root {
				out = append(out, path)
			}
		}
	}
	return out
}

// touchAgain looks again at folders that are watched from now on: what was
// written in them between the walk and the watch is known to nobody.
func (l *Live) touchAgain(folders []string) {
	now := time.Now()
	if len(folders) > manyFolders {
		l.touched.addAll(now)
		return
	}
	for _, dir := range folders {
		l.touched.add(dir, now)
	}
}

// manyFolders is how many folders to look at again cost more than a rescan.
const manyFolders = 16

// period is how often all roots are walked: as often as asked for, and as costs
// half a percent of a core, or one where there is nothing but rescans.
func (l *Live) period() time.Duration {
	base, share := l.opt.Rescan, 200
	if l.watches.degraded() {
		base, share = min(base, degradedRescan), 100
	}
	return max(base, min(time.Duration(share)*l.rescanCost, 6*l.opt.Rescan))
}

// degradedRescan is the period of rescans where folders are not watched.
const degradedRescan = 2 * time.Second

func (l *Live) scanning(on bool) {
	l.mu.Lock()
	l.state.Scanning = on
	l.mu.Unlock()
}

func (l *Live) ready() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.state.Ready = true
	l.state.LastRescan, l.state.RescanCost, l.state.Period = l.lastRescan, l.rescanCost, l.period()
	l.state.Rescans++
}

// graceful is a context that outlives ctx for a while, so that what is being
// read when the end is asked for is committed.
func graceful(ctx context.Context) (context.Context, context.CancelFunc) {
	out, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		timer := time.NewTimer(grace)
		defer timer.Stop()
		select {
		case <-timer.C:
			cancel()
		case <-out.Done():
		}
	})
	return out, func() { stop(); cancel() }
}

// nearest is the nearest folder above path that is there; empty for none.
func nearest(path string) string {
	for {
		up := parent(path)
		if up == path {
			return ""
		}
		if info, err := os.Stat(up); err == nil && info.IsDir() {
			return up
		}
		path = up
	}
}
