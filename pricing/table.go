package pricing

import (
	"sync"
	"time"
)

// Table is a price table with the user's overrides laid over it. It is
// immutable (but for caches) and safe for concurrent use. Its models are
// decoded when a request first needs them, so a table that nothing is priced
// with costs nothing.
type Table struct {
	head    head
	version string
	asOfSec int64
	rules   *rules
	open    func() *document

	mu    sync.RWMutex
	cache map[query]*matched
}

// newTable makes a table whose document is made on demand.
func newTable(h head, open func() *document) *Table {
	sec, err := bound(h.AsOf, 0)
	if err != nil {
		sec = 0
	}
	return &Table{head: h, version: h.Version, asOfSec: sec, rules: &rules{}, open: open}
}

// withUser makes a table of data with the user's file laid over it. The error
// is a *UserError when the file, not the table, is at fault.
func withUser(data []byte, u User) (*Table, error) {
	d, err := split(data)
	if err != nil {
		return nil, err
	}
	r, err := newRules(u, d)
	if err != nil {
		return nil, err
	}
	t := newTable(d.head, func() *document { return d })
	t.rules = r
	if !u.empty() {
		t.version += "+user." + u.digest()
	}
	return t, nil
}

// Version is the table's version, with a digest of the user's overrides when
// there are any: another version means other prices.
func (t *Table) Version() string { return t.version }

// AsOf is the day of the table's newest source, in UTC; zero when unknown.
func (t *Table) AsOf() time.Time {
	if t.asOfSec == 0 {
		return time.Time{}
	}
	return time.Unix(t.asOfSec, 0).UTC()
}

func (t *Table) asOf() int64 { return t.asOfSec }
