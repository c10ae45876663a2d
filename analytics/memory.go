package analytics

import (
	"context"
	"database/sql"
	"encoding/binary"
	"fmt"
	"slices"
	"time"

	"meterbridge"
)

// memory is what the writer remembers between commits. It is read from the
// ledger before the first commit and thrown away when a commit fails, so it
// never knows more than the file.
type memory struct {
	loaded  bool
	words   words
	facets  facets
	sources map[int64]*sourceInfo
	// sessions is a cache of session rows, emptied when it grows.
	sessions map[sessionKey]*sessionState
	byID     map[int32]*sessionState
	// complete: the cache holds every session of the ledger.
	complete bool
	// Counters of the last number given out.
	lastSource  int64
	lastSession int32
	// requests counts the rows of the request table; newest is the greatest
	// ended_at among them; unordered counts rows that came after a later one.
	requests, newest, unordered int64
	// has tells which other tables hold rows, so that empty ones are not probed;
	// "told" that there are sources of telemetry.
	has map[string]bool
	// dirty are the days whose rollup is out of date.
	dirty map[int32]bool
	// touched are the sessions whose facts changed since the rollup was made, unless
	// they are many, or not all known.
	touched     map[int32]bool
	touchedMany bool
	// stores is the store of each harness's requests, as last seen.
	stores map[string]string
	// driven: there are rows of driving harnesses with response ids; nil when that
	// was not asked yet.
	driven *bool
	// aliases are read with the first commit.
	aliases aliases
}

// sourceInfo is what merging must know of a source.
type sourceInfo struct {
	path    string
	machine string
	modTime time.Time
	gone    bool
	// row is what this process wrote of it last.
	row sourceRow
}

// scanState is the scan that is running; its row is written by its first commit.
type scanState struct {
	number    int32
	startedAt time.Time
	open      bool
	written   bool
	// backfill: the scan began with an empty ledger.
	backfill bool
	// before is Stats.Written when the scan began.
	before int64
	// sources are those that this scan made.
	sources map[sourceKey]int64
	// seen are the ids that a back-fill wrote, by their first 64 bits: other ids
	// cannot be in the ledger, so they are not searched for. nil otherwise.
	seen map[uint64]struct{}
	// unseen are those of the last commit, which wait for another one.
	unseen [][]meterbridge.ID
	// claims are what earlier commits of this scan noted (noteClaims).
	claims map[meterbridge.ID]claimNote
}

// maxSeen bounds what a back-fill remembers; beyond it ids are searched for.
const maxSeen = 2_000_000

// perhaps keeps the ids that the ledger may have.
func (s *scanState) perhaps(ids []meterbridge.ID) []meterbridge.ID {
	if s.seen == nil {
		return ids
	}
	s.see()
	if s.seen == nil {
		return ids
	}
	return slices.DeleteFunc(ids, func(id meterbridge.ID) bool {
		_, known := s.seen[short(id)]
		return !known
	})
}

// wrote remembers ids that a commit of a back-fill wrote; there may be no other
// commit that wants to know.
func (s *scanState) wrote(ids []meterbridge.ID) {
	if s.seen != nil && len(ids) > 0 {
		s.unseen = append(s.unseen, ids)
	}
}

// see puts what was written into the set.
func (s *scanState) see() {
	for _, ids := range s.unseen {
		for _, id := range ids {
			s.seen[short(id)] = struct{}{}
		}
	}
	s.unseen = nil
	if len(s.seen) > maxSeen {
		s.seen = nil
	}
}

// short is the first half of an id.
func short(id meterbridge.ID) uint64 { return binary.LittleEndian.Uint64(id[:8]) }

// sourceKey is a place of a log.
type sourceKey struct{ harness, machine, path string }

// maxSessions is how many sessions the cache keeps between commits.
const maxSessions = 8192

// remember fills the memory from the ledger.
func (l *Ledger) remember(ctx context.Context) error {
	if l.mem.loaded {
		return nil
	}
	m := memory{
		sources: map[int64]*sourceInfo{}, sessions: map[sessionKey]*sessionState{}, byID: map[int32]*sessionState{},
		has: map[string]bool{}, dirty: map[int32]bool{}, touched: map[int32]bool{}, stores: map[string]string{},
	}
	loads := []func(context.Context, *memory) error{l.loadWords, l.loadFacets, l.loadSources, l.loadCounts, l.loadDirty}
	if l.empty { // a dozen questions about nothing
		l.empty, m.complete = false, true
		m.words, m.facets = noWords(), noFacets()
		loads = nil
	}
	for _, load := range loads {
		if err := load(ctx, &m); err != nil {
			return fmt.Errorf("read what the ledger knows: %w", err)
		}
	}
	m.loaded = true
	l.mem = m
	return nil
}

func (l *Ledger) loadSources(ctx context.Context, m *memory) error {
	return l.each(ctx, "SELECT id, path, machine, mtime_ns, gone FROM source", func(rows *sql.Rows) error {
		var id, mtime int64
		s := &sourceInfo{}
		if err := rows.Scan(&id, &s.path, &s.machine, &mtime, &s.gone); err != nil {
			return err
		}
		s.modTime = time.Unix(0, mtime)
		m.sources[id] = s
		m.lastSource = max(m.lastSource, id)
		return nil
	})
}

// loadCounts asks one thing at a time: DuckDB needs longer to plan one statement
// of many parts than to run all of these.
func (l *Ledger) loadCounts(ctx context.Context, m *memory) error {
	for _, table := range []string{"prompt", "tool_call", "turn", "rate_limit", "event", "sighting"} {
		var rows int64
		if err := l.number(ctx, "SELECT count(*) FROM "+table, &rows); err != nil {
			return err
		}
		m.has[table] = rows > 0
	}
	var told int64
	if err := l.number(ctx, "SELECT count(*) FROM source WHERE kind = '"+KindTelemetry+"'", &told); err != nil {
		return err
	}
	m.has["told"] = told > 0
	var session int64
	for _, ask := range []struct {
		query string
		into  *int64
	}{
		{"SELECT coalesce(max(id), 0)::BIGINT FROM session", &session},
		{"SELECT count(*) FROM request", &m.requests},
		{"SELECT coalesce(max(ended_at), 0) FROM request", &m.newest},
		{"SELECT coalesce(max(value::BIGINT), 0) FROM meta WHERE key = 'unordered'", &m.unordered},
	} {
		if err := l.number(ctx, ask.query, ask.into); err != nil {
			return err
		}
	}
	m.lastSession = int32(session)
	m.has["request"] = m.requests > 0
	m.has["session"] = m.lastSession > 0
	m.complete = m.lastSession == 0
	return nil
}

// number asks for one number.
func (l *Ledger) number(ctx context.Context, query string, into *int64) error {
	return l.w.QueryRowContext(ctx, query).Scan(into)
}

func (l *Ledger) loadDirty(ctx context.Context, m *memory) error {
	if l.summing { // the days that are noted may be noted no more in a moment
		l.reread, m.touchedMany = true, true
		return nil
	}
	return l.each(ctx, "SELECT DISTINCT day FROM rollup_dirty", func(rows *sql.Rows) error {
		var day int32
		err := rows.Scan(&day)
		m.dirty[day], m.touchedMany = true, true
		return err
	})
}

// each calls fn for every row that the writer's connection finds.
func (l *Ledger) each(ctx context.Context, query string, fn func(*sql.Rows) error) error {
	rows, err := l.w.QueryContext(ctx, query)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := fn(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// forget empties the memory after a commit that failed.
func (l *Ledger) forget() {
	l.mem = memory{}
	l.dirtied.Add(1)
	l.dictionary.forget()
	l.families.forget()
}

// trim keeps the cache of sessions small between commits.
func (m *memory) trim() {
	if len(m.sessions) > maxSessions {
		m.sessions = map[sessionKey]*sessionState{}
		m.byID = map[int32]*sessionState{}
		m.complete = false
	}
}

// milli is t in epoch milliseconds, rounded down.
func milli(t time.Time) int64 { return t.UnixMilli() }

// nullMilli is t in epoch milliseconds, nil for the zero time.
func nullMilli(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return milli(t)
}

// whole cuts t to the milliseconds that the ledger keeps.
func whole(t time.Time) time.Time {
	if t.IsZero() {
		return time.Time{}
	}
	return time.UnixMilli(milli(t)).UTC()
}
