package analytics

import (
	"context"
	"database/sql"

	"meterbridge"
)

// facet is what neighbouring requests share: all of a request that hardly ever
// varies. A request names its facet by one number, which makes the widest table
// a third narrower: every column costs a first scan two to three milliseconds
// for 40,000 rows. The words are numbers of the table word.
type facet struct {
	branch, provider, tier, speed, geo int32
	priceKey, priceTable               int32
	precision, purpose, rule           int32
	machine, parser                    int32
	aborted, side, vanished            bool
}

// facets are the combinations that occur; their numbers count from 1.
type facets struct {
	ids  map[facet]int32
	list []facet
	// stored is how many of list the ledger has.
	stored int
}

const facetColumns = `branch, provider, tier, speed, geo, price_key, price_table, "precision", purpose, rule, machine, parser, aborted, side, vanished`

// targets are where facetColumns are scanned to.
func (f *facet) targets() []any {
	return []any{
		&f.branch, &f.provider, &f.tier, &f.speed, &f.geo, &f.priceKey, &f.priceTable, &f.precision, &f.purpose, &f.rule, &f.machine, &f.parser,
		&f.aborted, &f.side, &f.vanished,
	}
}

func noFacets() facets { return facets{ids: map[facet]int32{}, list: make([]facet, 1), stored: 1} }

func (l *Ledger) loadFacets(ctx context.Context, m *memory) error {
	m.facets = noFacets()
	err := l.each(ctx, "SELECT "+facetColumns+" FROM facet ORDER BY id", func(rows *sql.Rows) error {
		var f facet
		err := rows.Scan(f.targets()...)
		m.facets.ids[f] = int32(len(m.facets.list))
		m.facets.list = append(m.facets.list, f)
		return err
	})
	m.facets.stored = len(m.facets.list)
	return err
}

// id is the number of a combination, a new one when it has none.
func (s *facets) id(f facet) int32 {
	n, ok := s.ids[f]
	if !ok {
		n = int32(len(s.list))
		s.ids[f] = n
		s.list = append(s.list, f)
	}
	return n
}

// of is the combination with the number n.
func (s *facets) of(n int32) facet {
	if n < 0 || int(n) >= len(s.list) {
		return facet{}
	}
	return s.list[n]
}

// flush writes the new combinations.
func (s *facets) flush(out *writer) error {
	for n := s.stored; n < len(s.list); n++ {
		f := &s.list[n]
		err := out.append("facet", int32(n), f.branch, f.provider, f.tier, f.speed, f.geo, f.priceKey, f.priceTable, f.precision, f.purpose, f.rule,
			f.machine, f.parser, f.aborted, f.side, f.vanished)
		if err != nil {
			return err
		}
	}
	s.stored = len(s.list)
	return nil
}

// lastFacet finds the facets of rows that come one after the other: neighbours
// mostly share theirs, and the words in it.
type lastFacet struct {
	branch, provider, tier, speed, geo, key, table, precision, purpose, rule column

	facet facet
	n     int32
}

// of is the number of the row's facet under a price key.
func (last *lastFacet) of(l *Ledger, row *requestState, key string) int32 {
	w, r := &l.mem.words, row.r
	f := facet{
		branch: last.branch.id(w, r.Branch), provider: last.provider.id(w, r.Provider),
		tier: last.tier.id(w, r.ServiceTier), speed: last.speed.id(w, r.Speed), geo: last.geo.id(w, r.Geo),
		priceKey: last.key.id(w, key), priceTable: last.table.id(w, l.priceVersion()),
		precision: last.precision.id(w, string(precision(r))), purpose: last.purpose.id(w, r.Purpose), rule: last.rule.id(w, r.Rule),
		machine: row.machine, parser: int32(row.parser), aborted: r.Aborted, side: r.Side, vanished: row.vanished,
	}
	if last.n == 0 || f != last.facet {
		last.facet, last.n = f, l.mem.facets.id(f)
	}
	return last.n
}

// lay puts what the facet says into a request.
func (f *facet) lay(w *words, r *meterbridge.Request) {
	r.Branch, r.Provider = w.text(f.branch), w.text(f.provider)
	r.ServiceTier, r.Speed, r.Geo = w.text(f.tier), w.text(f.speed), w.text(f.geo)
	r.Precision, r.Purpose, r.Rule = meterbridge.Precision(w.text(f.precision)), w.text(f.purpose), w.text(f.rule)
	r.Aborted, r.Side = f.aborted, f.side
}
