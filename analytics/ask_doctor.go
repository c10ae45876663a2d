package analytics

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"time"
)

// DoctorReport is the ledger's part of `doctor`.
type DoctorReport struct {
	SchemaVersion int          `json:"schemaVersion"`
	Ledger        LedgerFacts  `json:"ledger"`
	Places        []PlaceFacts `json:"places"`
	// Problems are inputs that could not be read.
	Problems []ProblemGroup `json:"problems"`
	Unpriced []UnpricedName `json:"unpriced"`
	// Telemetry is null where none was told.
	Telemetry *TelemetryCheck `json:"telemetry"`
}

// LedgerFacts describe the ledger's file.
type LedgerFacts struct {
	Path string `json:"path"`
	// Bytes is the size of the file and of its write-ahead log.
	Bytes         int64   `json:"bytes"`
	Version       int     `json:"version"`
	DuckDBVersion string  `json:"duckdbVersion"`
	PriceTable    *string `json:"priceTable"`
	RollupZone    string  `json:"rollupZone"`

	Requests  int64 `json:"requests"`
	Sessions  int64 `json:"sessions"`
	Subagents int64 `json:"subagents"`
	Prompts   int64 `json:"prompts"`
	ToolCalls int64 `json:"toolCalls"`
	Turns     int64 `json:"turns"`
	Limits    int64 `json:"limits"`
	Events    int64 `json:"events"`
	Sources   int64 `json:"sources"`
	Problems  int64 `json:"problems"`
	Scans     int64 `json:"scans"`

	OldestAt   *time.Time `json:"oldestAt"`
	NewestAt   *time.Time `json:"newestAt"`
	LastScanAt *time.Time `json:"lastScanAt"`
	// OutOfOrder counts rows stored behind a later one; the share is of all
	// requests, null without any.
	OutOfOrder      int64    `json:"outOfOrder"`
	OutOfOrderShare *float64 `json:"outOfOrderShare"`
	// LateReplays sums those of all places; the share is of all requests.
	LateReplays     int64    `json:"lateReplays"`
	LateReplayShare *float64 `json:"lateReplayShare"`
}

// PlaceFacts are what is read of one harness on one machine; a verdict on one
// place says nothing of another.
type PlaceFacts struct {
	Harness string  `json:"harness"`
	Machine *string `json:"machine"`
	Sources int64   `json:"sources"`
	// Gone counts sources that are no longer there; their requests are kept.
	Gone     int64 `json:"gone"`
	Bytes    int64 `json:"bytes"`
	Requests int64 `json:"requests"`
	// Vanished counts requests that their source no longer holds, Copied those
	// that other sources hold too, LateReplays those of them that such a copy
	// dates otherwise (streaming that was copied midway, replays with a new time).
	Vanished    int64      `json:"vanished"`
	Copied      int64      `json:"copied"`
	LateReplays int64      `json:"lateReplays"`
	OldestAt    *time.Time `json:"oldestAt"`
	NewestAt    *time.Time `json:"newestAt"`
	Problems    int64      `json:"problems"`
}

// ProblemGroup are the problems of one reason in one place.
type ProblemGroup struct {
	Harness string  `json:"harness"`
	Machine *string `json:"machine"`
	Reason  string  `json:"reason"`
	Count   int64   `json:"count"`
	// Examples are the newest ones.
	Examples []ProblemPlace `json:"examples"`
}

// ProblemPlace is where a problem lies; Line is 0 when it is of the whole source.
type ProblemPlace struct {
	Path   string  `json:"path"`
	Line   int64   `json:"line"`
	Detail *string `json:"detail"`
}

// UnpricedName is a model without a price; null is not logged.
type UnpricedName struct {
	Harness     string    `json:"harness"`
	Provider    *string   `json:"provider"`
	Model       *string   `json:"model"`
	Requests    int64     `json:"requests"`
	TotalTokens int64     `json:"totalTokens"`
	FirstAt     time.Time `json:"firstAt"`
	LastAt      time.Time `json:"lastAt"`
	// FirstDay is the day of FirstAt in the zone.
	FirstDay string `json:"firstDay"`
}

// problemExamples are shown of each reason.
const problemExamples = 5

// Doctor looks at what the ledger knows of its sources, its problems and its
// own state. Days are of the zone; nil is the ledger's.
func (l *Ledger) Doctor(ctx context.Context, zone *time.Location) (DoctorReport, error) {
	r := DoctorReport{SchemaVersion: SchemaVersion}
	r.Ledger = LedgerFacts{Path: l.path, Version: LedgerVersion, RollupZone: ZoneName(l.opts.ReportZone)}
	for _, path := range []string{l.path, l.path + ".wal"} {
		if info, err := os.Stat(path); err == nil {
			r.Ledger.Bytes += info.Size()
		}
	}
	err := l.reading(ctx, func(q *sql.Conn) (err error) {
		if err = r.Ledger.count(ctx, q); err != nil {
			return err
		}
		if r.Places, err = collect(ctx, q, "doctor_places", scanPlace); err != nil {
			return err
		}
		r.Ledger.late(r.Places)
		if err = r.problems(ctx, q); err != nil {
			return err
		}
		if r.Unpriced, err = l.unpriced(ctx, q, zone); err != nil {
			return err
		}
		r.Telemetry, err = telemetryCheck(ctx, q)
		return err
	})
	if err != nil {
		return r, fmt.Errorf("doctor: %w", err)
	}
	return r, nil
}

// Unpriced lists the names that have no price, the most used first.
func (l *Ledger) Unpriced(ctx context.Context, zone *time.Location) (list []UnpricedName, err error) {
	err = l.reading(ctx, func(q *sql.Conn) error {
		list, err = l.unpriced(ctx, q, zone)
		return err
	})
	return list, err
}

func (l *Ledger) unpriced(ctx context.Context, q querier, zone *time.Location) ([]UnpricedName, error) {
	if zone == nil {
		zone = l.opts.ReportZone
	}
	return collect(ctx, q, "unpriced", func(rows *sql.Rows, n *UnpricedName) error {
		var first, last int64
		err := rows.Scan(&n.Harness, text{&n.Provider}, text{&n.Model}, &n.Requests, number{&n.TotalTokens}, &first, &last)
		n.FirstAt, n.LastAt = time.UnixMilli(first).UTC(), time.UnixMilli(last).UTC()
		n.FirstDay = n.FirstAt.In(zone).Format(time.DateOnly)
		return err
	})
}

// late sums the late replays of the places.
func (f *LedgerFacts) late(places []PlaceFacts) {
	for _, p := range places {
		f.LateReplays += p.LateReplays
	}
	f.LateReplayShare = share(f.LateReplays, f.Requests)
}

// share is part of all; nil without any.
func share(part, all int64) *float64 {
	if all == 0 {
		return nil
	}
	s := float64(part) / float64(all)
	return &s
}

func (f *LedgerFacts) count(ctx context.Context, q querier) error {
	_, err := collect(ctx, q, "doctor_ledger", func(rows *sql.Rows, _ *struct{}) error {
		return rows.Scan(&f.Requests, &f.Sessions, &f.Subagents, &f.Prompts, &f.ToolCalls, &f.Turns, &f.Limits, &f.Events, &f.Sources, &f.Problems, &f.Scans,
			moment{&f.OldestAt}, moment{&f.NewestAt}, moment{&f.LastScanAt}, &f.OutOfOrder, &f.DuckDBVersion, text{&f.PriceTable})
	})
	f.OutOfOrderShare = share(f.OutOfOrder, f.Requests)
	return err
}

func scanPlace(rows *sql.Rows, p *PlaceFacts) error {
	return rows.Scan(&p.Harness, text{&p.Machine}, &p.Sources, &p.Gone, number{&p.Bytes}, number{&p.Requests}, number{&p.Vanished}, number{&p.Copied}, number{&p.LateReplays},
		moment{&p.OldestAt}, moment{&p.NewestAt}, number{&p.Problems})
}

func (r *DoctorReport) problems(ctx context.Context, q querier) error {
	r.Problems = []ProblemGroup{}
	_, err := collect(ctx, q, "doctor_problems", func(rows *sql.Rows, _ *struct{}) error {
		var g ProblemGroup
		var p ProblemPlace
		if err := rows.Scan(&g.Harness, text{&g.Machine}, &g.Reason, &g.Count, &p.Path, &p.Line, text{&p.Detail}); err != nil {
			return err
		}
		last := len(r.Problems) - 1
		if last < 0 || !r.Problems[last].same(g) {
			r.Problems, last = append(r.Problems, g), last+1
		}
		r.Problems[last].Examples = append(r.Problems[last].Examples, p)
		return nil
	}, problemExamples)
	return err
}

func (g *ProblemGroup) same(h ProblemGroup) bool {
	machine := func(m *string) string {
		if m == nil {
			return ""
		}
		return *m
	}
	return g.Harness == h.Harness && g.Reason == h.Reason && machine(g.Machine) == machine(h.Machine)
}
