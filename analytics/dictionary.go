package analytics

import (
	"context"
	"database/sql"
	"fmt"
	"sync"

	"meterbridge"
)

// dictionary are the words and facets as readers know them. Both only ever grow,
// so what was read once stays true; the writer has its own (memory), which is
// ahead of what is committed.
type dictionary struct {
	mu     sync.Mutex
	texts  []string
	facets []facet
}

// forget forgets all of it.
func (d *dictionary) forget() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.texts, d.facets = nil, nil
}

// word is the text of the number n.
func (d *dictionary) word(ctx context.Context, q querier, n int32) (string, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.text(ctx, q, n)
}

func (d *dictionary) text(ctx context.Context, q querier, n int32) (string, error) {
	if n <= 0 {
		return "", nil
	}
	if int(n) >= len(d.texts) {
		if len(d.texts) == 0 {
			d.texts = []string{""}
		}
		more, err := collectRows(ctx, q, "words", fmt.Sprintf("SELECT text FROM word WHERE id >= %d ORDER BY id", len(d.texts)), func(rows *sql.Rows, t *string) error { return rows.Scan(t) })
		if err != nil {
			return "", err
		}
		d.texts = append(d.texts, more...)
	}
	if int(n) >= len(d.texts) {
		return "", fmt.Errorf("the ledger has no word %d", n)
	}
	return d.texts[n], nil
}

// describe puts what the facet with the number n says into a request.
func (d *dictionary) describe(ctx context.Context, q querier, s *spentRow, n int32) (err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if int(n) >= len(d.facets) {
		if len(d.facets) == 0 {
			d.facets = make([]facet, 1)
		}
		query := fmt.Sprintf("SELECT %s FROM facet WHERE id >= %d ORDER BY id", facetColumns, len(d.facets))
		more, err := collectRows(ctx, q, "facets", query, func(rows *sql.Rows, f *facet) error { return rows.Scan(f.targets()...) })
		if err != nil {
			return err
		}
		d.facets = append(d.facets, more...)
	}
	if n <= 0 || int(n) >= len(d.facets) {
		return fmt.Errorf("the ledger has no facet %d", n)
	}
	f := &d.facets[n]
	if s.provider, err = d.text(ctx, q, f.provider); err != nil {
		return err
	}
	precision, err := d.text(ctx, q, f.precision)
	s.coarse, s.aborted = coarse(meterbridge.Precision(precision)), f.aborted
	return err
}

// coarse reports whether a row stands for more than a request.
func coarse(p meterbridge.Precision) bool { return p != "" && p != meterbridge.PerRequest }
