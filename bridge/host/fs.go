package host

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"time"

	"meterbridge/bridge"
	"meterbridge/bridge/files"
)

// mostWatchers is how many paths one connection may watch.
const mostWatchers = 20

// watchers end the watches of a connection, by id; k.mu guards them.
type watchers struct {
	of   map[string]context.CancelFunc
	last int
}

type fileParams struct {
	Path       string   `json:"path"`
	Recursive  bool     `json:"recursive"`
	MaxEntries int      `json:"maxEntries"`
	Encoding   string   `json:"encoding"`
	MaxBytes   int64    `json:"maxBytes"`
	Data       string   `json:"data"`
	CreateDirs bool     `json:"createDirs"`
	IfMtimeMs  *float64 `json:"ifMtimeMs"`
	WatchID    string   `json:"watchId"`
}

// onFiles makes a handler of what is done in the workspace folder.
func onFiles(do func(p *peer, f files.Folder, in fileParams) (any, error)) handler {
	return with(func(p *peer, in fileParams) (any, *fault) {
		w := p.k.h.o.Ports.workspace(p.k.x.Name)
		if w.Folder == "" {
			return nil, faulty(bridge.CodeUnavailable, "%s has no workspace folder; its user names one with `meterbridge ext workspace %s --folder FOLDER`", p.k.x.Name, p.k.x.Name)
		}
		value, err := do(p, files.Folder{Path: w.Folder, Trash: w.Trash}, in)
		if err != nil {
			return nil, fileFault(err)
		}
		return value, nil
	})
}

// fileFault is an error of files as extensions are told it.
func fileFault(err error) *fault {
	var conflict *files.Conflict
	if !errors.As(err, &conflict) {
		return portFault(err)
	}
	f := faulty(files.CodeFailed, "the file changed meanwhile; read it again")
	f.data = map[string]any{"conflict": true, "mtimeMs": conflict.MtimeMs}
	return f
}

func fileHandlers() map[string]handler {
	return map[string]handler{
		"fs.stat": onFiles(func(_ *peer, f files.Folder, in fileParams) (any, error) { return f.Stat(in.Path) }),
		"fs.list": onFiles(func(_ *peer, f files.Folder, in fileParams) (any, error) {
			return f.List(in.Path, in.Recursive, in.MaxEntries)
		}),
		"fs.read": onFiles(func(_ *peer, f files.Folder, in fileParams) (any, error) {
			return f.Read(in.Path, in.Encoding, in.MaxBytes)
		}),
		"fs.write": onFiles(fileWrite),
		"fs.mkdir": onFiles(func(_ *peer, f files.Folder, in fileParams) (any, error) { return f.Mkdir(in.Path) }),
		"fs.trash": onFiles(func(p *peer, f files.Folder, in fileParams) (any, error) {
			return nil, f.Discard(in.Path, p.k.h.o.Now())
		}),
		"fs.watch":   onFiles(fileWatch),
		"fs.unwatch": with((*peer).fileUnwatch),
	}
}

func fileWrite(_ *peer, f files.Folder, in fileParams) (any, error) {
	data := []byte(in.Data)
	if in.Encoding == "base64" {
		var err error
		if data, err = base64.StdEncoding.DecodeString(in.Data); err != nil {
			return nil, faulty(bridge.CodeInvalidParams, "data: is not base64")
		}
	}
	return f.Write(in.Path, data, files.WriteOptions{CreateDirs: in.CreateDirs, IfMtimeMs: in.IfMtimeMs})
}

// fileWatch begins to tell of changes; a path that is not there cannot be watched.
func fileWatch(p *peer, f files.Folder, in fileParams) (any, error) {
	if _, err := f.Stat(in.Path); err != nil {
		return nil, err
	}
	p.k.mu.Lock()
	defer p.k.mu.Unlock()
	w := &p.watchers
	if len(w.of) >= mostWatchers {
		return nil, faulty(codeQuota, "%d paths are watched already", mostWatchers)
	}
	if w.of == nil {
		w.of = map[string]context.CancelFunc{}
	}
	w.last++
	id := fmt.Sprintf("w-%d", w.last)
	ctx, end := context.WithCancel(p.ctx)
	w.of[id] = end
	return afterwards{map[string]string{"watchId": id}, func() {
		beat := time.NewTicker(p.k.h.times.Look)
		defer beat.Stop()
		_ = f.Watch(ctx, in.Path, in.Recursive, beat.C, func(path string) {
			p.tell("fs.changed", map[string]string{"watchId": id, "path": path, "type": "change"})
		}) // a path that has gone meanwhile changes no more
	}}, nil
}

func (p *peer) fileUnwatch(in fileParams) (any, *fault) {
	p.k.mu.Lock()
	defer p.k.mu.Unlock()
	end := p.watchers.of[in.WatchID]
	if end == nil {
		return nil, faulty(bridge.CodeNotFound, "nothing is watched as %s", in.WatchID)
	}
	end()
	delete(p.watchers.of, in.WatchID)
	return nil, nil
}
