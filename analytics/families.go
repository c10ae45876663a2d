package analytics

import (
	"context"
	"database/sql"
	"sync"
)

// families keeps the families that were asked for last, as of the newest commit:
// a card asks for the numbers of a session that works again and again, and each
// time one request more is there. A commit puts its requests into them and throws
// away those of which it changed anything else.
type families struct {
	mu sync.Mutex
	// version counts commits; touched is the last one that touched a root, as far
	// as it came after floor. A family that was read before is not kept.
	version, floor uint64
	touched        map[int32]uint64
	byRoot         map[int32]*kept
	// names are sessions by what they were asked for.
	names map[string]named
	// requests counts those of byRoot; used numbers the questions.
	requests int
	used     uint64
	// scanned is when the newest scan began; traits are what is true of harnesses.
	scanned *int64
	traits  map[trait]bool
}

type kept struct {
	family *family
	used   uint64
}

// named is the session that an ID means.
type named struct {
	id, root         int64
	session, harness string
}

// trait is something that is true of a harness once the ledger has one such row.
type trait struct{ question, harness string }

const (
	// keptRequests bounds what is kept: about 10 MB.
	keptRequests = 2 * largestFamily
	keptNames    = 1024
	keptTouched  = 4096
)

// subject is the session that a question is about, with its family.
type subject struct {
	named
	*family
	tree tree
	// What the logs of its harness tell.
	logsPrompts, logsSubagents bool
}

// subject finds a session and its family, kept or read. With more they are read,
// and it is called with the connection while all is seen as of one moment.
func (l *Ledger) subject(ctx context.Context, id string, more func(q querier, k subject) error) (subject, error) {
	if k, ok := l.families.find(id); ok && more == nil {
		k.tree = grow(k.members, k.id)
		return k, nil
	}
	var k subject
	version := l.families.now()
	err := l.reading(ctx, func(q *sql.Conn) (err error) {
		if k.named, err = l.named(ctx, q, id); err != nil {
			return err
		}
		if k.family, err = l.readFamily(ctx, q, k.root); err != nil {
			return err
		}
		k.tree = grow(k.members, k.id)
		if err := l.readTraits(ctx, q, &k); err != nil || more == nil {
			return err
		}
		return more(q, k)
	})
	if err == nil {
		l.families.keep(id, k, version)
	}
	return k, err
}

// named finds the session that answers to an ID.
func (l *Ledger) named(ctx context.Context, q querier, id string) (named, error) {
	type row struct {
		named
		harness int32
	}
	exact, err := collectRows(ctx, q, "session", "SELECT id, root, native, harness FROM session WHERE native = $1 LIMIT 2",
		func(rows *sql.Rows, r *row) error { return rows.Scan(&r.id, &r.root, &r.session, &r.harness) }, id)
	if err != nil {
		return named{}, err
	}
	if len(exact) == 1 && id != "" {
		n := exact[0].named
		n.harness, err = l.dictionary.word(ctx, q, exact[0].harness)
		return n, err
	}
	f, err := findSession(ctx, q, id)
	if err != nil {
		return named{}, err
	}
	n := named{id: f.id, session: f.Session, harness: f.Harness}
	err = q.QueryRowContext(ctx, "SELECT root FROM session WHERE id = $1", f.id).Scan(&n.root)
	return n, err
}

// readTraits asks what is not known yet of a harness, and for the newest scan.
func (l *Ledger) readTraits(ctx context.Context, q querier, k *subject) error {
	version := l.families.now()
	for question, into := range map[string]*bool{"logs_prompts": &k.logsPrompts, "has_subagents": &k.logsSubagents} {
		is, ok := l.families.trait(question, k.harness)
		if !ok {
			var err error
			if is, err = yes(ctx, q, question, k.harness); err != nil {
				return err
			}
			l.families.learn(trait{question, k.harness}, is, version)
		}
		*into = is
	}
	if l.families.scannedAt() != nil {
		return nil
	}
	at, err := scannedAt(ctx, q)
	if err == nil && at != nil {
		l.families.scan(*at)
	}
	return err
}

func (f *families) now() uint64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.version
}

// find is a session whose family is kept.
func (f *families) find(id string) (subject, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	n, ok := f.names[id]
	if !ok || f.byRoot[int32(n.root)] == nil {
		return subject{}, false
	}
	prompts, ok := f.traits[trait{"logs_prompts", n.harness}]
	subagents, both := f.traits[trait{"has_subagents", n.harness}]
	if !ok || !both {
		return subject{}, false
	}
	k := f.byRoot[int32(n.root)]
	f.used++
	k.used = f.used
	return subject{named: n, family: k.family, logsPrompts: prompts, logsSubagents: subagents}, true
}

// keep keeps a family that was read at a version, unless it was touched since.
func (f *families) keep(id string, k subject, version uint64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	root := int32(k.root)
	if f.floor > version || f.touched[root] > version {
		return
	}
	if f.byRoot == nil {
		f.byRoot, f.names = map[int32]*kept{}, map[string]named{}
	}
	if len(f.names) >= keptNames {
		clear(f.names)
	}
	f.names[id] = k.named
	f.put(root, k.family)
	for f.requests > keptRequests {
		f.dropOldest()
	}
}

func (f *families) put(root int32, g *family) {
	f.drop(root)
	f.used++
	f.byRoot[root] = &kept{family: g, used: f.used}
	f.requests += len(g.requests)
}

func (f *families) drop(root int32) {
	if k := f.byRoot[root]; k != nil {
		f.requests -= len(k.family.requests)
		delete(f.byRoot, root)
	}
}

func (f *families) dropOldest() {
	oldest, used := int32(0), f.used+1
	for root, k := range f.byRoot {
		if k.used < used {
			oldest, used = root, k.used
		}
	}
	f.drop(oldest)
}

// forget forgets everything: something was changed that is not followed.
func (f *families) forget() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.version++
	f.forgetAll()
}

func (f *families) forgetAll() {
	f.floor, f.requests = f.version, 0
	f.touched, f.byRoot, f.names, f.traits = nil, nil, nil, nil
}

func (f *families) trait(question, harness string) (is, ok bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	is, ok = f.traits[trait{question, harness}]
	return is, ok
}

// learn notes what was true of a harness at a version.
func (f *families) learn(t trait, is bool, version uint64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.version != version && !is {
		return
	}
	if f.floor > version {
		return
	}
	if f.traits == nil {
		f.traits = map[trait]bool{}
	}
	f.traits[t] = is
}

func (f *families) scannedAt() *int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.scanned
}

// scan notes when a scan began; the newest counts.
func (f *families) scan(at int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.scanned == nil || at > *f.scanned {
		f.scanned = &at
	}
}

// follow brings the families up to date with a commit.
func (f *families) follow(c *commit) {
	if c.l.scan.written {
		f.scan(c.l.scan.startedAt.UnixMilli())
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.version++
	if c.reshaped() || len(f.touched) > keptTouched {
		f.forgetAll()
		return
	}
	if f.touched == nil {
		f.touched = map[int32]uint64{}
	}
	for root := range c.retold {
		f.touched[root] = f.version
		f.drop(root)
	}
	if len(c.retold) > 0 { // a name may mean another session, a harness have new facts
		clear(f.names)
		for t, is := range f.traits {
			if !is {
				delete(f.traits, t)
			}
		}
	}
	for _, row := range c.written {
		root := row.session.rootID
		f.touched[root] = f.version
		k := f.byRoot[root]
		if k == nil {
			continue
		}
		g := k.family.with(row.spent(c.l), row.stored)
		if g == nil || len(g.requests) > largestFamily {
			f.drop(root)
			continue
		}
		f.requests += len(g.requests) - len(k.family.requests)
		k.family = g
	}
}

// spent is the row as a family has it.
func (row *requestState) spent(l *Ledger) spentRow {
	r := row.r
	w := &l.mem.words
	// The words of the dictionary, not those of the batch: these keep all of it in memory.
	word := func(text string) string { return w.text(w.id(text)) }
	s := spentRow{
		id: row.id, session: int64(row.session.id), ended: milli(r.EndedAt), tokens: r.Tokens, searches: r.WebSearches,
		recorded: recordedPico(r.Recorded), calls: r.Counts(), model: word(r.Model), provider: word(r.Provider), tools: word(joinToolNames(r.Tools)),
		coarse: coarse(precision(r)), aborted: r.Aborted, source: row.source, line: r.Place.Line,
	}
	if !r.StartedAt.IsZero() {
		s.started = sql.NullInt64{Int64: milli(r.StartedAt), Valid: true}
	}
	s.list, _ = l.price(r)
	return s
}

// reshaped reports whether the commit changed what families are, or rows in a way
// that is not followed.
func (c *commit) reshaped() bool {
	return c.moved || len(c.replaced)+len(c.unasked)+len(c.aliased)+len(c.mirrors.replaced) > 0 || c.shuffled
}

// retell notes that more than requests changed of the root of a session,
// whichever session's log told of it.
func (c *commit) retell(s *sessionState) {
	if s == nil {
		c.shuffled = true
		return
	}
	c.l.mem.touchSession(s.id)
	c.retold[s.rootID] = true
}
