package analytics

import (
	"time"

	"meterbridge"
)

// identifySources numbers the units' sources. A source without a number is the
// one that this scan has already read at the same place, else a new one.
func (c *commit) identifySources() error {
	m := &c.l.mem
	for _, u := range c.units {
		cp := &u.Checkpoint
		key := sourceKey{cp.Harness, cp.Machine, cp.Path}
		u.source = cp.Source
		if id := c.l.scan.sources[key]; u.source == 0 && m.sources[id] != nil && m.sources[id].path == cp.Path {
			u.source = id
		}
		if u.source == 0 {
			u.source = m.lastSource + 1
			c.l.scan.sources[key] = u.source
		}
		m.lastSource = max(m.lastSource, u.source)
		u.fresh = m.sources[u.source] == nil
		m.sources[u.source] = c.before(u)
	}
	return nil
}

// before keeps what is known of a unit's source until the unit's turn comes.
func (c *commit) before(u *unit) *sourceInfo {
	if s := c.l.mem.sources[u.source]; s != nil {
		return s
	}
	return &sourceInfo{path: u.Checkpoint.Path, machine: u.Checkpoint.Machine, modTime: u.Checkpoint.ModTime, gone: u.Checkpoint.Gone}
}

// see makes the unit's checkpoint the state of its source.
func (c *commit) see(u *unit) {
	c.touched = append(c.touched, u)
	*c.l.mem.sources[u.source] = sourceInfo{path: u.Checkpoint.Path, machine: u.Checkpoint.Machine, modTime: u.Checkpoint.ModTime, gone: u.Checkpoint.Gone}
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
		cp.Size, mtime, cp.Offset, cp.Lines,
		nullBytes(cp.State), int32(cp.Parser), cp.Generation, cp.Gone, pack(id, cp))
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
