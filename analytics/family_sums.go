package analytics

import (
	"cmp"
	"slices"

	"meterbridge"
)

// at is when a request began, as far as that is known.
func (s *spentRow) at() int64 {
	if s.started.Valid {
		return s.started.Int64
	}
	return s.ended
}

// paid: it has tokens or a fee, or the log says what it cost.
func (s *spentRow) paid() bool {
	t := &s.tokens
	for _, c := range [...]meterbridge.Count{t.Input, t.Output, t.CacheRead, t.CacheWrite5m, t.CacheWrite1h, s.searches} {
		if c.OK && c.N > 0 {
			return true
		}
	}
	return s.recorded.OK
}

// spend adds a request; it is what sql/ask_sums.sql sums.
func (f *figures) spend(s *spentRow) {
	t := &s.tokens
	write := plus(reported(t.CacheWrite5m), reported(t.CacheWrite1h))
	one := figures{
		requests: s.calls, coarse: s.coarse, input: reported(t.Input), output: reported(t.Output), reasoning: reported(t.Reasoning),
		cacheRead: reported(t.CacheRead), cacheWrite: write,
	}
	one.all = plus(plus(one.input, one.output), plus(one.cacheRead, one.cacheWrite))
	switch {
	case s.recorded.OK:
		one.recorded, one.priced, one.cost = 1, 1, meterbridge.SomePico(meterbridge.Pico(s.recorded.N))
	case !s.paid():
	case s.list.OK:
		one.priced, one.cost = 1, s.list
	default:
		one.unpriced = 1
	}
	f.add(&one)
}

// reported is a count as reports have it.
func reported(c meterbridge.Count) *int64 {
	if !c.OK {
		return nil
	}
	return &c.N
}

// unanswered is that of a session's family; of harnesses whose logs hold no
// requests every prompt counts.
func (l *Ledger) unanswered(k *subject) []bool {
	if slices.Contains(l.opts.Unreadable, k.harness) {
		return make([]bool, len(k.prompts))
	}
	return k.unanswered()
}

// unanswered tells of each prompt whether it ended without a request and is in no
// number; the rule is that of sql/unanswered.sql.
func (f *family) unanswered() []bool {
	begins := make([]int64, len(f.requests))
	for i := range f.requests {
		begins[i] = f.requests[i].at()
	}
	slices.Sort(begins)
	stopped, stop := false, int64(0)
	note := func(at int64) {
		if !stopped || at > stop {
			stopped, stop = true, at
		}
	}
	for _, m := range f.stops {
		note(m.at)
	}
	for _, e := range f.endings {
		if e.ended.Valid {
			note(e.ended.Int64)
		}
	}
	out := make([]bool, len(f.prompts))
	for i, p := range f.prompts {
		next, _ := slices.BinarySearch(begins, p.at)
		none := next == len(begins)
		if i+1 < len(f.prompts) {
			out[i] = none || begins[next] >= f.prompts[i+1].at
		} else {
			out[i] = none && stopped && stop >= p.at
		}
	}
	return out
}

// marked is a turn that the log of the top session marks, or a prompt outside of
// those.
type marked struct {
	start   int64
	stop    *int64
	turn    bool
	outcome string
}

// turns are those of the tree's first session over its whole life: what
// sql/ask_turns.sql finds.
func (f *family) turns(t tree, unanswered []bool) []Turn {
	top := t[0].id
	asked, counted := f.askedOf(top, unanswered)
	marks := f.marks(top, asked)
	list := make([]turnMark, len(marks))
	for i, m := range marks {
		list[i] = turnMark{start: m.start, stop: m.stop, outcome: m.outcome, logged: m.turn}
		if i+1 < len(marks) {
			list[i].next = &marks[i+1].start
		}
	}
	// within is the last turn that began by then.
	within := func(at int64) *turnMark {
		n, _ := slices.BinarySearchFunc(list, at, func(m turnMark, at int64) int {
			if m.start <= at {
				return -1
			}
			return 1
		})
		if n == 0 {
			return nil
		}
		return &list[n-1]
	}
	for i, at := range asked {
		if m := within(at); m != nil && counted[i] {
			m.prompts++
		}
	}
	for _, s := range f.stops {
		if m := within(s.at); m != nil && s.session == top {
			m.interrupted = true
		}
	}
	in := t.set()
	for i := range f.requests {
		if s := &f.requests[i]; in[s.session] {
			if m := within(s.at()); m != nil {
				m.spend(s)
			}
		}
	}
	turns := make([]Turn, len(list))
	for i, m := range list {
		turns[i] = m.turn()
	}
	return turns
}

// spend notes a request of the turn.
func (m *turnMark) spend(s *spentRow) {
	m.requests++
	called := s.tools != ""
	switch {
	case m.lastEnd == nil || s.ended > *m.lastEnd:
		m.lastEnd, m.called, m.aborted = &s.ended, called, s.aborted
	case s.ended == *m.lastEnd: // of two that ended at once either can tell
		m.called, m.aborted = m.called || called, m.aborted || s.aborted
	}
}

// set are the numbers of the tree's sessions.
func (t tree) set() map[int64]bool {
	in := make(map[int64]bool, len(t))
	for _, b := range t {
		in[b.id] = true
	}
	return in
}

// askedOf is when the prompts of a session were typed, and whether they count.
func (f *family) askedOf(session int64, unanswered []bool) (asked []int64, counted []bool) {
	for i, p := range f.prompts {
		if p.session == session {
			asked, counted = append(asked, p.at), append(counted, !unanswered[i])
		}
	}
	return asked, counted
}

// marks are the turns that the log marks, and the prompts outside of them, in
// the order of their starts.
func (f *family) marks(top int64, asked []int64) []marked {
	var marks []marked
	for i := range f.endings {
		if e := &f.endings[i]; e.session == top && (e.started.Valid || e.ended.Valid) {
			marks = append(marks, e.mark(asked))
		}
	}
	order := func(a, b marked) int {
		switch {
		case a.start != b.start:
			return cmp.Compare(a.start, b.start)
		case a.stop != nil && b.stop != nil:
			return cmp.Or(cmp.Compare(*a.stop, *b.stop), cmp.Compare(a.outcome, b.outcome))
		case a.stop != nil:
			return -1
		case b.stop != nil:
			return 1
		}
		return cmp.Compare(a.outcome, b.outcome)
	}
	slices.SortStableFunc(marks, order)
	logged := marks[:len(marks):len(marks)]
	for _, at := range asked {
		if !covered(logged, at) {
			marks = append(marks, marked{start: at})
		}
	}
	slices.SortStableFunc(marks, order)
	return marks
}

// mark is a marked turn. Without a start it began at the last prompt before its end.
func (e *ending) mark(asked []int64) marked {
	m := marked{turn: true, outcome: e.outcome, start: e.started.Int64}
	if e.ended.Valid {
		m.stop = &e.ended.Int64
	}
	if !e.started.Valid {
		m.start = e.ended.Int64
		if n, found := slices.BinarySearch(asked, e.ended.Int64); found {
			m.start = asked[n]
		} else if n > 0 {
			m.start = asked[n-1]
		}
	}
	return m
}

// covered reports whether a prompt lies in a marked turn: that lasts until its
// end, or the next one.
func covered(logged []marked, at int64) bool {
	for i, m := range logged {
		switch {
		case at == m.start:
			return true
		case at < m.start:
			continue
		case m.stop != nil:
			if at < *m.stop {
				return true
			}
		case i+1 == len(logged) || at < logged[i+1].start:
			return true
		}
	}
	return false
}
