package analytics

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"

	duckdb "github.com/duckdb/duckdb-go/v2"

	"meterbridge"
	"meterbridge/pricing"
)

// metaPrices is the version of the price table that all list prices are of.
const metaPrices = "price_table"

// Reprice takes another price table into use and computes every list price
// again, in one transaction, so that no report ever mixes two tables. Recorded
// costs are not touched. Open does it for the table that it is given.
func (l *Ledger) Reprice(ctx context.Context, prices PriceTable) error {
	l.write.Lock()
	defer l.write.Unlock()
	l.opts.Prices = prices
	return l.reprice(ctx)
}

func (l *Ledger) reprice(ctx context.Context) error {
	if l.opts.Prices == nil {
		return nil
	}
	stored, err := l.meta(ctx, metaPrices)
	if err != nil || stored == l.opts.Prices.Version() {
		return err
	}
	before := l.stats
	err = l.transact(ctx, func() error {
		if err := l.priceAll(ctx); err != nil {
			return err
		}
		return l.setMeta(ctx, metaPrices, l.opts.Prices.Version())
	})
	// Words and days changed in the file: the memory reads them anew.
	l.forget()
	if err != nil {
		l.stats = before
		return fmt.Errorf("price the ledger by table %s: %w", l.opts.Prices.Version(), err)
	}
	return nil
}

// metaRates is the version of the price table whose rates are in the ledger.
const metaRates = "rates"

// listRates fills the table behind the view prices. It is as large as the rest
// of a small ledger, so it waits for the first statement that might read it.
func (l *Ledger) listRates(ctx context.Context) error {
	l.write.Lock()
	defer l.write.Unlock()
	if l.opts.Prices == nil {
		return nil
	}
	version := l.opts.Prices.Version()
	stored, err := l.meta(ctx, metaRates)
	if err != nil || stored == version {
		return err
	}
	err = l.transact(ctx, func() error {
		if err := l.writeRates(ctx); err != nil {
			return err
		}
		return l.setMeta(ctx, metaRates, version)
	})
	if err != nil {
		return fmt.Errorf("list the rates of table %s: %w", version, err)
	}
	return nil
}

// writeRates replaces the rates behind the view prices.
func (l *Ledger) writeRates(ctx context.Context) error {
	out := l.writer(ctx)
	if err := out.exec("DELETE FROM price_rate"); err != nil {
		return err
	}
	var err error
	l.opts.Prices.Rates(func(r pricing.Rate) bool {
		err = out.append("price_rate", r.Provider, r.Model, nullMilli(r.From), nullMilli(r.To), r.TierAbove, r.Mode, r.Window, r.Class, r.PicoPerToken, r.Source)
		return err == nil
	})
	return errors.Join(err, out.close())
}

// priceAll prices every row, in portions so that a large ledger is never held
// in memory, and then replaces the prices that changed.
func (l *Ledger) priceAll(ctx context.Context) error {
	var last sql.NullInt64
	if err := l.w.QueryRowContext(ctx, "SELECT max(rowid) FROM request").Scan(&last); err != nil || !last.Valid {
		return err
	}
	if err := l.remember(ctx); err != nil {
		return err
	}
	if err := l.execAll(ctx, "CREATE OR REPLACE TEMP TABLE repriced (row_id BIGINT, list_pusd HUGEINT, facet INTEGER)"); err != nil {
		return err
	}
	for from := int64(0); from <= last.Int64; from += repriceRows {
		if err := l.pricePortion(ctx, from); err != nil {
			return err
		}
	}
	out := l.writer(ctx)
	table := l.mem.words.id(l.priceVersion())
	if err := errors.Join(l.mem.facets.flush(out), l.mem.words.flush(out), out.close()); err != nil {
		return err
	}
	zone, err := zoneCase(ctx, l.w, l.opts.ReportZone, "r.ended_at")
	if err != nil {
		return err
	}
	return l.execAll(ctx,
		"INSERT INTO rollup_dirty SELECT DISTINCT "+dayExpr(zone, "r.ended_at")+" FROM request r JOIN repriced p ON r.rowid = p.row_id",
		"UPDATE request SET list_pusd = p.list_pusd, facet = p.facet FROM repriced p WHERE request.rowid = p.row_id",
		fmt.Sprintf("UPDATE facet SET price_table = %d WHERE price_table <> %d", table, table),
		"DROP TABLE repriced")
}

// repriceRows is how many rows are priced at a time.
const repriceRows = 100_000

// repriced is the new list price of a row.
type repriced struct {
	row   int64
	list  meterbridge.NullPico
	facet int32
}

// pricePortion prices the rows from a position on and stages those whose price
// or key is another one.
func (l *Ledger) pricePortion(ctx context.Context, from int64) error {
	var rows []repriced
	query := fmt.Sprintf("SELECT rowid, list_pusd, %s FROM request WHERE rowid >= %d AND rowid < %d", requestColumns, from, from+repriceRows)
	err := l.each(ctx, query, func(found *sql.Rows) error {
		var s storedRequest
		var now repriced
		var was meterbridge.NullPico
		if err := found.Scan(append([]any{&now.row, amount{&was}}, s.targets()...)...); err != nil {
			return err
		}
		f := l.mem.facets.of(s.facet)
		r := s.request(&l.mem.words, &f)
		list, key := l.price(&r)
		f.priceKey = l.mem.words.id(key)
		now.list, now.facet = list, l.mem.facets.id(f)
		if now.list != was || now.facet != s.facet {
			rows = append(rows, now)
		}
		return nil
	})
	if err != nil || len(rows) == 0 {
		return err
	}
	l.stats.Repriced += int64(len(rows))
	return l.raw(func(c driver.Conn) error { return stagePrices(c, rows) })
}

func stagePrices(c driver.Conn, rows []repriced) error {
	a, err := duckdb.NewAppender(c, "temp", "main", "repriced")
	if err != nil {
		return fmt.Errorf("stage prices: %w", err)
	}
	for _, r := range rows {
		var list any
		if r.list.OK {
			list = r.list.Amount.Big()
		}
		if err := a.AppendRow(r.row, list, r.facet); err != nil {
			return errors.Join(fmt.Errorf("stage prices: %w", err), a.Close())
		}
	}
	return a.Close()
}
