// Package testkit holds what tests of several packages share: a ledger in
// memory that obeys the same laws as the real one, a toy harness, and sinks that
// fail. No production code imports it; tests do.
package testkit

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"

	"meterbridge"
)

// Row is a request as the ledger keeps it.
type Row struct {
	meterbridge.Request
	// Source is where the record that counts lies, Owner where the one lies that
	// decides the session, Sources all that hold the request now.
	Source, Owner int64
	Sources       map[int64]bool
	// Scan is the number of the scan that saw it first.
	Scan int
	// Owned and Since are the numbers of the scans that saw first the record that
	// owns it and the one that counts; Named is the session that the latter names.
	Owned, Since int
	Named        string
	// Vanished: no source holds it any more.
	Vanished bool
}

// Stored is a source as the ledger keeps it, with its problems.
type Stored struct {
	meterbridge.Checkpoint
	Problems []meterbridge.Problem
}

// Memory is a ledger in memory: a sink for scanners and the model that the real
// ledger is compared with. Its zero value is empty and ready.
type Memory struct {
	mu       sync.Mutex
	scan     int
	sources  map[int64]*Stored
	rows     map[meterbridge.ID]*Row
	sessions map[key]*meterbridge.Session
	prompts  map[key]meterbridge.Prompt
	calls    map[key]*meterbridge.ToolCall
	turns    map[key]*meterbridge.Turn
	limits   []meterbridge.Limit
	// aliases are the second ids of copies, copies those without an original.
	aliases map[meterbridge.ID]meterbridge.ID
	copies  map[meterbridge.ID]bool
	events  []meterbridge.Event
	// Commits, Units and Staged count the work: commits, units in them, and
	// requests handed over; Written the rows that were new or changed.
	Commits, Units, Staged, Written int
}

type key struct{ harness, id string }

// Checkpoints begins a scan.
func (m *Memory) Checkpoints(context.Context) ([]meterbridge.Checkpoint, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.scan++
	var out []meterbridge.Checkpoint
	for _, id := range slices.Sorted(maps.Keys(m.sources)) {
		c := m.sources[id].Checkpoint
		c.State = nil
		out = append(out, c)
	}
	return out, nil
}

// BeginPass begins a scan: what is known was seen earlier.
func (m *Memory) BeginPass(context.Context) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.scan++
	return nil
}

// EndPass does nothing, as do Settle and Idle: there is nothing to do in memory.
func (m *Memory) EndPass(context.Context) error { return nil }

// Settle does nothing.
func (m *Memory) Settle(context.Context) error { return nil }

// Idle does nothing.
func (m *Memory) Idle(context.Context) error { return nil }

// State returns the parser's memory of a source.
func (m *Memory) State(_ context.Context, source int64) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s, ok := m.sources[source]
	if !ok {
		return nil, fmt.Errorf("source %d is not known", source)
	}
	return slices.Clone(s.State), nil
}

// Commit stores the units.
func (m *Memory) Commit(ctx context.Context, units []meterbridge.Unit) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.init()
	if err := m.check(units); err != nil {
		return err
	}
	m.Commits++
	m.Units += len(units)
	theirs := units
	units = slices.Clone(units) // theirs is not written to, but for the sources' numbers
	for i := range units {
		m.source(&units[i])
		theirs[i].Checkpoint.Source = units[i].Checkpoint.Source
		m.facts(&units[i])
	}
	for i := range units {
		m.requests(&units[i])
	}
	return nil
}

// check holds the scanner to the contract of a sink.
func (m *Memory) check(units []meterbridge.Unit) error {
	seen, fresh := map[int64]bool{}, map[string]bool{}
	for i := range units {
		id, path := units[i].Checkpoint.Source, units[i].Checkpoint.Path
		if id == 0 && fresh[path] {
			return fmt.Errorf("new source %s twice in one commit", path)
		}
		fresh[path] = fresh[path] || id == 0
		switch _, known := m.sources[id]; {
		case id == 0:
		case seen[id]:
			return fmt.Errorf("source %d twice in one commit", id)
		case !known:
			return fmt.Errorf("source %d is not known", id)
		}
		seen[id] = true
	}
	return nil
}

func (m *Memory) init() {
	if m.sources != nil {
		return
	}
	m.sources = map[int64]*Stored{}
	m.rows = map[meterbridge.ID]*Row{}
	m.sessions = map[key]*meterbridge.Session{}
	m.prompts = map[key]meterbridge.Prompt{}
	m.calls = map[key]*meterbridge.ToolCall{}
	m.turns = map[key]*meterbridge.Turn{}
	m.aliases, m.copies = map[meterbridge.ID]meterbridge.ID{}, map[meterbridge.ID]bool{}
}

func (m *Memory) source(u *meterbridge.Unit) {
	c := &u.Checkpoint
	if c.Source == 0 {
		c.Source = m.number(c)
	}
	s := m.sources[c.Source]
	s.Checkpoint = *c
	if u.Readable {
		s.Problems = slices.DeleteFunc(s.Problems, func(p meterbridge.Problem) bool { return p.Place.Line == 0 })
	}
	s.Problems = append(s.Problems, u.Batch.Problems...)
}

// number is that of the source at the path of c, or a new one.
func (m *Memory) number(c *meterbridge.Checkpoint) int64 {
	for id, s := range m.sources {
		if s.Harness == c.Harness && s.Machine == c.Machine && s.Path == c.Path {
			return id
		}
	}
	id := int64(len(m.sources) + 1)
	m.sources[id] = &Stored{}
	return id
}

func (m *Memory) requests(u *meterbridge.Unit) {
	held := make(map[meterbridge.ID]bool, len(u.Batch.Requests))
	for _, r := range u.Batch.Requests {
		m.Staged++
		held[m.request(u.Checkpoint.Source, r)] = true
	}
	if !u.Whole {
		return
	}
	for id, row := range m.rows {
		if row.Sources[u.Checkpoint.Source] && !held[id] {
			delete(row.Sources, u.Checkpoint.Source)
			row.Vanished = len(row.Sources) == 0
		}
	}
}

func (m *Memory) request(source int64, r meterbridge.Request) meterbridge.ID {
	id := m.known(&r)
	old, ok := m.rows[id]
	if !ok {
		m.Written++
		m.rows[id] = &Row{Request: r, Source: source, Owner: source, Sources: map[int64]bool{source: true}, Scan: m.scan, Owned: m.scan, Since: m.scan, Named: r.Session}
		return id
	}
	claim, derives := m.claim(r.Session, source, m.scan), m.derives(r.Harness)
	owner := meterbridge.Own(m.claim(old.Session, old.Owner, old.Owned), claim, derives)
	counts := meterbridge.Own(m.claim(old.Named, old.Source, old.Since), claim, derives)
	before := old.Request
	old.NativeID = "" // so that the merged record tells which one counts
	old.Request = meterbridge.Merge(old.Request, r, owner, counts, old.Source == source)
	if old.NativeID != "" {
		if old.Source != source || old.Tokens.Output.N > before.Tokens.Output.N {
			old.Since = m.scan
		}
		old.Source, old.Named = source, r.Session
	}
	if meterbridge.Attributed(owner, &before, &r) == meterbridge.NewOwns {
		old.Owner, old.Owned = source, m.scan
	}
	if old.NativeID = before.NativeID; r.ID() == id {
		old.NativeID = r.NativeID
	}
	old.Sources[source] = true
	old.Vanished = false
	if !same(&before, &old.Request) {
		m.Written++
	}
	return id
}

// known is the id under which a request is known: a copy without its original,
// and the original when it comes, are one, under the elder's id.
func (m *Memory) known(r *meterbridge.Request) meterbridge.ID {
	id := r.ID()
	for to, ok := m.aliases[id]; ok; to, ok = m.aliases[id] {
		id = to
	}
	if id != r.ID() {
		return id
	}
	if r.CopiedAt.IsZero() && len(m.copies) == 0 {
		return id
	}
	for other, row := range m.rows {
		if other == id || row.Sign() != r.Sign() || (r.CopiedAt.IsZero() && !m.copies[other]) {
			continue
		}
		if meterbridge.Elder(other, row.CopiedAt, id, r.CopiedAt) {
			m.aliases[id] = other
			delete(m.copies, id)
			return other
		}
		m.aliases[other] = id
		delete(m.copies, other)
		delete(m.rows, other)
		m.rows[id] = row
	}
	if !r.CopiedAt.IsZero() {
		m.copies[id] = true
	}
	return id
}

// same compares what is reported of a request; where it lies may change.
func same(a, b *meterbridge.Request) bool {
	return a.Tokens == b.Tokens && a.Session == b.Session && a.Model == b.Model && a.Project == b.Project &&
		a.EndedAt.Equal(b.EndedAt) && a.Recorded == b.Recorded && slices.Equal(a.Tools, b.Tools)
}

func (m *Memory) claim(session string, source int64, scan int) meterbridge.Claim {
	s := m.sources[source]
	return meterbridge.Claim{Session: session, Earlier: scan < m.scan, Machine: s.Machine, ModTime: s.ModTime, Path: s.Path}
}

func (m *Memory) derives(harness string) func(child, origin string) bool {
	return func(child, origin string) bool {
		for range 64 {
			s, ok := m.sessions[key{harness, child}]
			if !ok || s.Parent == "" {
				return false
			}
			if s.Parent == origin {
				return true
			}
			child = s.Parent
		}
		return false
	}
}
