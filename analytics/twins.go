package analytics

import (
	"bytes"
	"slices"
	"time"

	"meterbridge"
)

// twins collects, for the units' requests or prompts, under which other ids the
// ledger may have them: those of copies without an original, and the times of
// records to which a copy is new.
type twins struct {
	ids []meterbridge.ID
	at  []int64
}

func (t *twins) look(a *aliases, id meterbridge.ID, copied time.Time, sign func() meterbridge.Sign) {
	if copied.IsZero() && len(a.signs) == 0 {
		return
	}
	s := sign()
	if other, ok := a.signs[s]; ok {
		t.ids = append(t.ids, other)
	}
	if _, known := a.copies[id]; !copied.IsZero() && !known {
		t.at = append(t.at, s.At)
	}
}

// where is the condition that finds them, empty when there are none; at is the
// column, or the expression, of their time.
func (t *twins) where(c *commit, at string) (string, error) {
	if len(t.ids)+len(t.at) == 0 {
		return "", nil
	}
	slices.SortFunc(t.ids, func(a, b meterbridge.ID) int { return bytes.Compare(a[:], b[:]) })
	in, err := c.out.idList(append(slices.Compact(t.ids), meterbridge.ID{}))
	return "(id IN " + in + " OR " + at + " IN " + numbers(append(t.at, -1)) + ")", err
}

// loadTwins reads the rows that turn out to be the units' records under other ids.
func (c *commit) loadTwins() error {
	a := &c.l.mem.aliases
	var requests, prompts twins
	for _, u := range c.units {
		for i := range u.Batch.Requests {
			r := &u.Batch.Requests[i]
			requests.look(a, u.requests[i], r.CopiedAt, r.Sign)
		}
		for i := range u.Batch.Prompts {
			p := &u.Batch.Prompts[i]
			prompts.look(a, u.prompts[i], p.CopiedAt, p.Sign)
		}
	}
	where, err := requests.where(c, "coalesce(started_at, ended_at)")
	if err == nil && where != "" && c.l.mem.has["request"] {
		err = c.loadTwinRequests(where)
	}
	if err != nil {
		return err
	}
	where, err = prompts.where(c, "happened_at")
	if err != nil || where == "" || !c.l.mem.has["prompt"] {
		return err
	}
	return c.l.each(c.ctx, selectPrompts+where, c.scanPrompt)
}

func (c *commit) loadTwinRequests(where string) error {
	if err := c.l.each(c.ctx, "SELECT "+requestColumns+" FROM request WHERE "+where, c.scanRequest); err != nil {
		return err
	}
	return c.l.each(c.ctx, selectSighting+"id IN (SELECT id FROM request WHERE "+where+")", c.scanSighting)
}

// twin finds the record of another id that one is a copy of, or that is a copy
// of it, and makes the younger id an alias of the elder. It returns the id under
// which the record is known. at finds the rows at hand by their signs.
func (c *commit) twin(id meterbridge.ID, copied time.Time, sign func() meterbridge.Sign, at *signs, unite func(alias, id meterbridge.ID)) meterbridge.ID {
	a := &c.l.mem.aliases
	if to := a.canonical(id); to != id {
		return to
	}
	if copied.IsZero() && len(a.signs) == 0 && at.ids == nil {
		return id
	}
	s := sign()
	other, found := a.signs[s]
	if !found && !copied.IsZero() {
		other, found = at.find(s, id)
		other = a.canonical(other)
	}
	at.add(s, id)
	switch {
	case found && other != id:
		return c.alias(other, id, s, copied, unite)
	case !found && !copied.IsZero():
		a.note(id, s, copied)
		c.aliased[id] = aliasRow{id, copied}
	}
	return id
}

// signs are the rows at hand by their signs, once a copy asked for them.
type signs struct {
	ids map[meterbridge.Sign][]meterbridge.ID
	// each calls fn with every row at hand.
	each func(fn func(meterbridge.Sign, meterbridge.ID))
}

// find returns the least id but id, so that the order of reading does not matter.
func (s *signs) find(sign meterbridge.Sign, id meterbridge.ID) (least meterbridge.ID, found bool) {
	if s.ids == nil {
		s.ids = map[meterbridge.Sign][]meterbridge.ID{}
		s.each(s.add)
	}
	for _, other := range s.ids[sign] {
		if other != id && (!found || bytes.Compare(other[:], least[:]) < 0) {
			least, found = other, true
		}
	}
	return least, found
}

func (s *signs) add(sign meterbridge.Sign, id meterbridge.ID) {
	if s.ids != nil && !slices.Contains(s.ids[sign], id) {
		s.ids[sign] = append(s.ids[sign], id)
	}
}

// requestTwin is the id under which a record of a request is known. What else a
// copy's record tells (an error, an interruption) its original tells as well.
func (c *commit) requestTwin(u *unit, id meterbridge.ID, r *meterbridge.Request) meterbridge.ID {
	if r.CopiedAt.IsZero() {
		return c.twin(id, r.CopiedAt, r.Sign, &c.requestSigns, c.uniteRequests)
	}
	own := r.ID()
	known := c.l.mem.aliases.canonical(own)
	if known == own {
		known = c.twin(own, r.CopiedAt, r.Sign, &c.requestSigns, c.uniteRequests)
	}
	if known != own {
		c.copied[linePlace{u.source, r.Place.Line}] = true
	}
	return known
}

// promptTwin is the id under which a prompt is known.
func (c *commit) promptTwin(id meterbridge.ID, p *meterbridge.Prompt) meterbridge.ID {
	if !p.CopiedAt.IsZero() {
		own := promptID(p)
		if id = c.l.mem.aliases.canonical(own); id != own {
			return id
		}
	}
	return c.twin(id, p.CopiedAt, p.Sign, &c.promptSigns, c.unitePrompts)
}
