// Package metrics shows the meter to Prometheus: every number is read from the
// ledger when it is scraped, so that metrics and reports agree, and kept from
// stepping down where Prometheus would take that for a restart. It imports of
// the project the domain and analytics; internal/daemon gives it a Source and
// serves its handler behind the guard.
package metrics

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"meterbridge/analytics"
)

// Source is what metrics are made of.
type Source interface {
	// Counters are the ledger's totals, those of projects apart where asked for.
	Counters(ctx context.Context, byProject bool) (analytics.Counters, error)
	// Revision rises with every change of the ledger.
	Revision() uint64
	// State is cheap to know and never waits for the ledger.
	State() State
	// Budgets tells how the budgets of the settings stand.
	Budgets(ctx context.Context) ([]Budget, error)
}

// State is how the daemon stands.
type State struct {
	// Ready: everything was read once. Counters of the ledger are shown from then
	// on: history would look like a spike of today.
	Ready bool
	// Files are the logs known, by harness.
	Files map[string]int
	// BytesRead counts since the start.
	BytesRead int64
	// Lag is the age of the oldest change that is not committed.
	Lag time.Duration
	// Problems counts records that could not be read since the start, by harness and reason.
	Problems map[string]map[string]int64
	// StoreBytes is the size of the ledger's files.
	StoreBytes int64
	// PriceTable is the version of the table in force, PriceDate the day of its newest source.
	PriceTable string
	PriceDate  time.Time
	// PriceFailures counts updates of the table that failed since the start.
	PriceFailures int64
	// Agents counts agents and terminals by harness and status.
	Agents map[string]map[string]int
	// Waiting counts prompts that may still go out, by harness; Delivered what became
	// of prompts since the start, by harness and result.
	Waiting   map[string]int
	Delivered map[string]map[string]int64
	// MCPSessions is how many sessions of MCP are open.
	MCPSessions int
	// Extensions are the states of extensions, by name.
	Extensions map[string]string
}

// Budget is how one budget of the settings stands.
type Budget struct {
	Name, Window string
	// UsedRatio is 1 when all of it is used.
	UsedRatio float64
}

// Options of the metrics.
type Options struct {
	// Version and Revision are the program's.
	Version, Revision string
	// Projects is how many projects are told apart, the others being "other"; 0
	// shows no project.
	Projects int
	// ClaudeNames adds the names of Claude Code's own telemetry.
	ClaudeNames bool
	// Models is how many models are told apart, the others being "other"; 0 is 200.
	Models int
	// Floor remembers what was shown over a restart; nil forgets.
	Floor Floor
	// Now is the clock; nil is time.Now.
	Now func() time.Time
	Log *slog.Logger
}

const defaultModels = 200

// Metrics is the exposition of one daemon.
type Metrics struct {
	registry *prometheus.Registry
	ledger   *ledgerCollector
	commits  prometheus.Histogram
	refusals *prometheus.CounterVec
	tools    *toolMetrics
	log      *slog.Logger
}

// New makes the metrics of a source.
func New(source Source, o Options) *Metrics {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Models <= 0 {
		o.Models = defaultModels
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	m := &Metrics{registry: prometheus.NewRegistry(), ledger: newLedgerCollector(source, o), log: o.Log}
	m.commits = prometheus.NewHistogram(prometheus.HistogramOpts{
		Name: "meterbridge_store_commit_duration_seconds", Help: "How long commits to the ledger took.",
		Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, 1, 5},
	})
	m.refusals = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "meterbridge_edge_refusals_total", Help: "Requests that were refused before they reached anything, by reason.",
	}, []string{"reason"})
	m.tools = newToolMetrics()
	m.registry.MustRegister(m.tools.all()...)
	m.registry.MustRegister(m.ledger, &selfCollector{source: source, o: o}, m.commits, m.refusals)
	return m
}

// Handler answers a scrape.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{
		ErrorLog: slog.NewLogLogger(m.log.Handler(), slog.LevelWarn), ErrorHandling: promhttp.ContinueOnError, EnableOpenMetrics: true,
	})
}

// Committed hears how long a commit took.
func (m *Metrics) Committed(took time.Duration) { m.commits.Observe(took.Seconds()) }

// Refused hears that a request was refused.
func (m *Metrics) Refused(reason string) { m.refusals.WithLabelValues(reason).Inc() }

// Close keeps what was shown, for the next start.
func (m *Metrics) Close() error { return m.ledger.floor.save() }
