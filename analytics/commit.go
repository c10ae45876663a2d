package analytics

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"meterbridge"
)

// commit is one transaction: what its units say, applied in order to the rows
// that the ledger has of the same things.
type commit struct {
	l     *Ledger
	ctx   context.Context
	out   *writer
	units []*unit
	// touched are the sources whose row must be written, in order.
	touched []*unit

	requests map[meterbridge.ID]*requestState
	// places: a source was read whole or is gone; at are the rows of each source.
	places    bool
	at        map[int64][]*requestState
	prompts   map[meterbridge.ID]*promptState
	toolCalls map[meterbridge.ID]*toolState
	turns     map[meterbridge.ID]*turnState
	limits    map[limitKey]*limitState
	events    map[eventKey]*eventState
	// remeasure are the sessions whose first and last time must be read again.
	remeasure map[int32]bool
	// changed are the sessions that this commit wrote to, in order.
	changed []*sessionState
	// renamed are those that have another parent or are another kind of sub-agent.
	renamed []*sessionState
	// last is the session that was asked for last: neighbours mostly share it.
	last *sessionState
	// moved: a stored session got another root, so those below it may have to;
	// rerooted are those that did.
	moved    bool
	rerooted []int32
	days     map[int32]bool
	// mirrors joins calls that two harnesses logged.
	mirrors mirrors
	// logged are rows of logs by the provider's id; nil while no telemetry is known.
	logged map[requestKey]*requestState
	// aliased are the aliases that this commit learnt; replaced and unasked the
	// stored requests and prompts that live on under another id.
	aliased  map[meterbridge.ID]aliasRow
	replaced []*requestState
	unasked  []meterbridge.ID
	// written are the rows of requests that were, retold the roots of which more
	// changed than requests; shuffled: something moved from one root to another.
	written  []*requestState
	retold   map[int32]bool
	shuffled bool
	// copied are the records that are known under another id.
	copied                    map[linePlace]bool
	requestSigns, promptSigns signs
	// claims are what rows do not say of their claims (noteClaims).
	claims map[meterbridge.ID]claimNote
}

// unit is a meterbridge.Unit with its source's number and the ids of its rows.
type unit struct {
	*meterbridge.Unit
	source   int64
	fresh    bool
	requests []meterbridge.ID
	// own are the ids of the requests by their records alone, where requests are
	// those that they are known under.
	own []meterbridge.ID
	// asking is the place of the request that asked for the last call.
	asking    int
	prompts   []meterbridge.ID
	toolCalls []meterbridge.ID
	turns     []meterbridge.ID
}

// Commit writes the units' facts and checkpoints in one transaction: after an
// error, or a kill, the ledger holds all of it or nothing. Committing the same
// units in other portions gives the same rows. Units of new sources are given
// their numbers.
func (l *Ledger) Commit(ctx context.Context, units []meterbridge.Unit) error {
	if len(units) == 0 {
		return nil
	}
	l.write.Lock()
	defer l.write.Unlock()
	before, written := l.stats, l.scan.written
	var c *commit
	err := l.derive(ctx, func() error {
		if err := l.remember(ctx); err != nil {
			return err
		}
		c = l.newCommit(ctx, units)
		return c.run()
	})
	if err != nil {
		l.forget()
		l.scan.written, l.scan.seen = written, nil
		l.stats = before
		return fmt.Errorf("commit to the ledger: %w", err)
	}
	for _, u := range c.units {
		u.Checkpoint.Source = u.source
	}
	c.keepClaims()
	l.families.follow(c)
	l.revision.Add(1)
	if len(l.mem.dirty) > 0 {
		l.dirtied.Add(1)
	}
	l.stats.Commits++
	l.mem.trim()
	return nil
}

func (l *Ledger) newCommit(ctx context.Context, units []meterbridge.Unit) *commit {
	c := &commit{
		l: l, ctx: ctx, out: l.writer(ctx),
		at: map[int64][]*requestState{}, prompts: map[meterbridge.ID]*promptState{}, turns: map[meterbridge.ID]*turnState{},
		limits: map[limitKey]*limitState{}, events: map[eventKey]*eventState{},
		remeasure: map[int32]bool{}, retold: map[int32]bool{}, days: map[int32]bool{}, aliased: map[meterbridge.ID]aliasRow{}, copied: map[linePlace]bool{},
	}
	c.requestSigns.each = func(fn func(meterbridge.Sign, meterbridge.ID)) {
		for id, row := range c.requests {
			fn(row.r.Sign(), id)
		}
	}
	c.promptSigns.each = func(fn func(meterbridge.Sign, meterbridge.ID)) {
		for id, row := range c.prompts {
			fn(row.sign(), id)
		}
	}
	requests, calls := 0, 0
	for i := range units {
		c.units = append(c.units, &unit{Unit: &units[i]})
		l.stats.Staged += int64(units[i].Batch.Len())
		requests += len(units[i].Batch.Requests)
		calls += len(units[i].Batch.ToolCalls)
	}
	c.requests = make(map[meterbridge.ID]*requestState, requests)
	c.toolCalls = make(map[meterbridge.ID]*toolState, calls)
	return c
}

func (c *commit) run() error {
	steps := []func() error{c.startScan, c.identify, c.resolveIDs, c.load, c.apply, c.flush}
	for _, step := range steps {
		if err := step(); err != nil {
			return errors.Join(err, c.out.close())
		}
	}
	for _, u := range c.units {
		for _, ids := range [][]meterbridge.ID{u.requests, u.prompts, u.toolCalls, u.turns} {
			c.l.scan.wrote(ids)
			c.l.known.add(ids)
		}
	}
	return nil
}

// identify gives every unit its source and computes the ids of its rows.
func (c *commit) identify() error {
	if err := c.identifySources(); err != nil {
		return err
	}
	for _, u := range c.units {
		b := &u.Batch
		for i := range b.Requests {
			r := &b.Requests[i]
			// As the ledger keeps them, so that they are found again.
			r.RequestID, r.ResponseID = valid(r.RequestID), valid(r.ResponseID)
			u.requests = append(u.requests, r.ID())
			c.l.mem.stores[r.Harness] = r.Store
		}
		u.own = slices.Clone(u.requests)
		for i := range b.Prompts {
			u.prompts = append(u.prompts, promptID(&b.Prompts[i]))
		}
		for _, t := range b.ToolCalls {
			u.toolCalls = append(u.toolCalls, meterbridge.NewID(t.Harness, "tool", t.NativeID))
		}
		for _, t := range b.Turns {
			u.turns = append(u.turns, meterbridge.NewID(t.Harness, "turn", t.NativeID))
		}
	}
	return nil
}

// load reads the rows that the units may change.
func (c *commit) load() error {
	loads := []func() error{
		c.loadSessions, c.loadRequests, c.loadMirrors, c.loadLogged, c.loadPlaces, c.loadPrompts, c.loadToolCalls, c.loadTurns, c.loadTwins, c.loadRepeats, c.indexStored, c.indexLogged,
	}
	for _, load := range loads {
		if err := load(); err != nil {
			return err
		}
	}
	return nil
}

// apply lays the units over those rows, one after the other.
func (c *commit) apply() error {
	for _, u := range c.units {
		c.see(u)
		for i := range u.Batch.Sessions {
			c.session(&u.Batch.Sessions[i])
		}
		for i := range u.Batch.Requests {
			u.requests[i] = c.requestTwin(u, u.requests[i], &u.Batch.Requests[i])
			if !c.mirrored(u, i) && !c.knownFromLog(u, i) {
				c.request(u, u.requests[i], &u.Batch.Requests[i])
				c.originated(c.requests[u.requests[i]])
				c.nowLogged(c.requests[u.requests[i]], u.Batch.Requests[i].Store)
			}
		}
		c.leave(u)
		for i := range u.Batch.Prompts {
			u.prompts[i] = c.promptTwin(u.prompts[i], &u.Batch.Prompts[i])
			c.prompt(u, u.prompts[i], &u.Batch.Prompts[i])
		}
		for i := range u.Batch.ToolCalls {
			c.toolCall(u, u.toolCalls[i], &u.Batch.ToolCalls[i])
		}
		for i := range u.Batch.Turns {
			c.turn(u, u.turns[i], &u.Batch.Turns[i])
		}
		if u.Whole {
			c.forgetRepeats(u.source)
		}
		for i := range u.Batch.Limits {
			c.limit(u, &u.Batch.Limits[i])
		}
		for i := range u.Batch.Events {
			c.event(u, &u.Batch.Events[i])
		}
	}
	return nil
}

// flush writes what changed. Rows go out before the statements that read them.
func (c *commit) flush() error {
	rows := []func() error{
		c.flushMirrors, c.flushAliases, c.flushRequests, c.flushSightings, c.flushPrompts, c.flushToolCalls, c.flushTurns, c.flushRepeats,
		c.flushProblems, c.flushSessions, c.flushSources, c.flushDays,
		func() error { return c.l.mem.facets.flush(c.out) },
		func() error { return c.l.mem.words.flush(c.out) },
		c.out.close,
		c.measureSessions, c.reroot,
	}
	for _, flush := range rows {
		if err := flush(); err != nil {
			return err
		}
	}
	return nil
}

// searched are the ids of one kind that the ledger may have, each once.
func (c *commit) searched(of func(*unit) []meterbridge.ID) []meterbridge.ID {
	var ids []meterbridge.ID
	for _, u := range c.units {
		ids = append(ids, of(u)...)
	}
	ids = c.l.known.perhaps(c.l.scan.perhaps(ids))
	slices.SortFunc(ids, func(a, b meterbridge.ID) int { return bytes.Compare(a[:], b[:]) })
	return slices.Compact(ids)
}

// sorted are the keys of m in ascending order.
func sorted[K int32 | int64, V any](m map[K]V) []K {
	keys := make([]K, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
