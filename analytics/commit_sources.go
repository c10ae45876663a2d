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
	s := c.l.mem.sources[u.source]
	s.path, s.machine, s.modTime, s.gone = u.Checkpoint.Path, u.Checkpoint.Machine, u.Checkpoint.ModTime, u.Checkpoint.Gone
}

// sourceRow is what of a source's row changes rarely; the zero value is not known.
type sourceRow struct {
	harness, kind, path, machine string
	parser                       int
	generation                   int64
	gone                         bool
}

func rowOf(cp *meterbridge.Checkpoint) sourceRow {
	return sourceRow{cp.Harness, cp.Kind, cp.Path, cp.Machine, cp.Parser, cp.Generation, cp.Gone}
}

func (c *commit) flushSources() error {
	last := map[int64]*unit{}
	for _, u := range c.touched {
		fresh := last[u.source] != nil && last[u.source].fresh
		u.fresh = u.fresh || fresh
		last[u.source] = u
	}
	var anew []*unit
	var old []int64
	for _, id := range sorted(last) {
		u, info := last[id], c.l.mem.sources[id]
		row := rowOf(&u.Checkpoint)
		if !u.fresh && len(last) <= fewChanged && info.row == row {
			if err := c.growSource(id, &u.Checkpoint); err != nil {
				return err
			}
			continue
		}
		if info.row = row; !u.fresh {
			old = append(old, id)
		}
		anew = append(anew, u)
	}
	if len(old) > 0 {
		if err := c.out.exec("DELETE FROM source WHERE id IN " + numbers(old)); err != nil {
			return err
		}
	}
	for _, u := range anew {
		if err := c.appendSource(u.source, &u.Checkpoint); err != nil {
			return err
		}
	}
	return nil
}

// growSource changes the row of a source that is as it was, but for its contents.
func (c *commit) growSource(id int64, cp *meterbridge.Checkpoint) error {
	return c.out.change(`UPDATE source SET size = ?, mtime_ns = ?, "offset" = ?, lines = ?, state = ?, packed = ? WHERE id = ?`,
		cp.Size, nanos(cp.ModTime), cp.Offset, cp.Lines, nullBytes(cp.State), pack(id, cp), int32(id))
}

func (c *commit) appendSource(id int64, cp *meterbridge.Checkpoint) error {
	w := &c.l.mem.words
	return c.out.append("source", int32(id), w.id(cp.Harness), cp.Kind, cp.Path, cp.Machine,
		cp.Size, nanos(cp.ModTime), cp.Offset, cp.Lines,
		nullBytes(cp.State), int32(cp.Parser), cp.Generation, cp.Gone, pack(id, cp))
}

func nullBytes(b []byte) any {
	if b == nil {
		return nil
	}
	return b
}

// nanos is a time as an mtime is stored, 0 for none.
func nanos(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixNano()
}

// fromNano is the time of a stored mtime, zero for none.
func fromNano(n int64) time.Time {
	if n == 0 {
		return time.Time{}
	}
	return time.Unix(0, n)
}
