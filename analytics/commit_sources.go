package analytics

import (
	"database/sql"
	"time"

	"meterbridge"
)

// identifySources numbers the units' sources. A source without a number that
// the ledger already has by its path and machine (a scan that was killed before
// it learnt the number) keeps its old one.
func (c *commit) identifySources() error {
	known := map[string]int64{}
	for _, u := range c.units {
		cp := &u.Checkpoint
		if cp.Source == 0 && len(c.l.mem.sources) > 0 && len(known) == 0 {
			if err := c.sourcesByPath(known); err != nil {
				return err
			}
		}
		key := cp.Harness + "\x00" + cp.Machine + "\x00" + cp.Path
		switch {
		case cp.Source != 0:
			u.source = cp.Source
		case known[key] != 0:
			u.source = known[key]
		default:
			c.l.mem.lastSource++
			u.source, u.fresh = c.l.mem.lastSource, true
			known[key] = u.source
		}
		if c.l.mem.sources[u.source] == nil {
			u.fresh = true
			c.l.mem.lastSource = max(c.l.mem.lastSource, u.source)
		}
		c.l.mem.sources[u.source] = c.before(u)
	}
	return nil
}

// before keeps what is known of a unit's source until the unit's turn comes.
func (c *commit) before(u *unit) *sourceInfo {
	if s := c.l.mem.sources[u.source]; s != nil {
		return s
	}
	return &sourceInfo{path: u.Checkpoint.Path, modTime: u.Checkpoint.ModTime, gone: u.Checkpoint.Gone}
}

func (c *commit) sourcesByPath(known map[string]int64) error {
	m := &c.l.mem
	return c.l.each(c.ctx, "SELECT id, harness, machine, path FROM source", func(rows *sql.Rows) error {
		var id int64
		var harness int32
		var machine, path string
		err := rows.Scan(&id, &harness, &machine, &path)
		known[m.words.text(harness)+"\x00"+machine+"\x00"+path] = id
		return err
	})
}

// see makes the unit's checkpoint the state of its source.
func (c *commit) see(u *unit) {
	c.touched = append(c.touched, u)
	*c.l.mem.sources[u.source] = sourceInfo{path: u.Checkpoint.Path, modTime: u.Checkpoint.ModTime, gone: u.Checkpoint.Gone}
}

func (c *commit) flushSources() error {
	last := map[int64]*unit{}
	var old []int64
	for _, u := range c.touched {
		if last[u.source] == nil && !u.fresh {
			old = append(old, u.source)
		}
		fresh := last[u.source] != nil && last[u.source].fresh
		u.fresh = u.fresh || fresh
		last[u.source] = u
	}
	if len(old) > 0 {
		if err := c.out.exec("DELETE FROM source WHERE id IN " + numbers(old)); err != nil {
			return err
		}
	}
	for _, id := range sorted(last) {
		if err := c.appendSource(id, &last[id].Checkpoint); err != nil {
			return err
		}
	}
	return nil
}

func (c *commit) appendSource(id int64, cp *meterbridge.Checkpoint) error {
	w := &c.l.mem.words
	mtime := int64(0)
	if !cp.ModTime.IsZero() {
		mtime = cp.ModTime.UnixNano()
	}
	return c.out.append("source", int32(id), w.id(cp.Harness), cp.Kind, cp.Path, cp.Machine,
		cp.Device, cp.Inode, cp.Size, mtime, cp.Companion, cp.Offset, cp.Lines, cp.Head, cp.HeadLen, cp.Tail,
		nullBytes(cp.State), int32(cp.Parser), cp.Generation, cp.Gone)
}

func nullBytes(b []byte) any {
	if b == nil {
		return nil
	}
	return b
}

// fromNano is the time of a stored mtime, zero for none.
func fromNano(n int64) time.Time {
	if n == 0 {
		return time.Time{}
	}
	return time.Unix(0, n)
}
