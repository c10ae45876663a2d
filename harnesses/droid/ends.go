package droid

import (
	"bytes"
	"io"
	"io/fs"
	"path"
	"strings"
	"time"

	"meterbridge/harnesses/jsonvalue"
)

// endLen is how much of each end of a conversation is read for the totals: its
// first lines and its newest messages.
const endLen = 256 << 10

// slack is by how much a message may be newer than the file with the totals that
// count it.
const slack = 2 * time.Second

// conversation reads the two ends of the file beside the settings; ok is false
// while it holds no message with a time.
func (d *settings) conversation() (c conversation, ok bool) {
	if d.opt.Siblings == nil {
		return c, false
	}
	lines := readEnds(d.opt.Siblings, path.Join(path.Dir(d.opt.Rel), strings.TrimSuffix(path.Base(d.opt.Rel), suffix)+".jsonl"))
	var written time.Time
	if info, err := fs.Stat(d.opt.Siblings, d.opt.Rel); err == nil {
		written = info.ModTime()
	}
	newest := c.last
	for _, line := range lines {
		o, good := jsonvalue.Parse(line)
		if !good {
			continue
		}
		switch o["type"].Text() {
		case "session_start":
			c.project, c.parent = o["cwd"].Text(), o["parent"].Text()
		case "compaction_state":
			c.compacted = true
		case "message":
			at := o["timestamp"].Time()
			if c.first.IsZero() || at.Before(c.first) && !at.IsZero() {
				c.first = at
			}
			if at.After(newest) {
				newest = at
			}
			if at.After(c.last) && !at.After(written.Add(slack)) {
				c.last = at
			}
		}
	}
	if c.last.IsZero() { // a clock that was put back: the file is older than all messages
		c.last = newest
	}
	if c.parent == d.session || strings.TrimSpace(c.parent) == "" {
		c.parent = ""
	}
	return c, !c.last.IsZero()
}

// readEnds returns the lines at both ends of a file, whole ones only; of a short
// file all.
func readEnds(fsys fs.FS, name string) [][]byte {
	f, err := fsys.Open(name)
	if err != nil {
		return nil
	}
	defer f.Close()
	info, err := f.Stat()
	at, random := f.(io.ReaderAt)
	if err != nil || !random || info.Size() <= 2*endLen {
		all, err := io.ReadAll(f)
		if err != nil {
			return nil
		}
		return bytes.Split(all, []byte("\n"))
	}
	head, tail := make([]byte, endLen), make([]byte, endLen)
	n, _ := at.ReadAt(head, 0)
	m, _ := at.ReadAt(tail, info.Size()-endLen)
	first := bytes.Split(head[:n], []byte("\n"))
	last := bytes.Split(tail[:m], []byte("\n"))
	return append(first[:len(first)-1], last[1:]...)
}
