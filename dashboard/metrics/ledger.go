package metrics

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"meterbridge/analytics"
)

// scrapeTime is how long a scrape may wait for the ledger.
const scrapeTime = 10 * time.Second

// restShare is how many times longer than reading the totals took they are
// shown again without another look, so that scrapes cost a few percent at most.
const restShare = 20

// ledgerCollector shows what the ledger holds.
type ledgerCollector struct {
	source Source
	o      Options
	f      *families
	floor  *floor

	mu       sync.Mutex
	models   *ranked
	projects *ranked
	// metrics are those of the newest look, taken at revision and good until then
	// or a change.
	metrics  []prometheus.Metric
	revision uint64
	until    time.Time
}

func newLedgerCollector(source Source, o Options) *ledgerCollector {
	f, err := newFloor(o.Floor, o.Now)
	if err != nil {
		o.Log.Warn("what metrics showed before the restart is lost", slog.Any("error", err))
	}
	c := &ledgerCollector{source: source, o: o, f: newFamilies(o), floor: f}
	c.models, c.projects = newRanked(o.Models), newRanked(o.Projects)
	c.recall()
	return c
}

// recall takes up the models and projects that were told apart before.
func (c *ledgerCollector) recall() {
	at := len(c.f.requests.labels)
	for series := range c.floor.rest(c.f.requests.name, nil) {
		labels := labelsOf(series, at)
		if labels == nil {
			continue
		}
		c.models.admit(labels[1])
		if c.o.Projects > 0 {
			c.projects.admit(labels[2])
		}
	}
}

// Describe implements prometheus.Collector.
func (c *ledgerCollector) Describe(out chan<- *prometheus.Desc) {
	for _, f := range c.f.all() {
		out <- f.desc
	}
}

// Collect implements prometheus.Collector.
func (c *ledgerCollector) Collect(out chan<- prometheus.Metric) {
	metrics, err := c.look()
	if err != nil {
		c.o.Log.Warn("the ledger's totals cannot be read", slog.Any("error", err))
		out <- prometheus.NewInvalidMetric(c.f.tokens.desc, err)
		return
	}
	for _, m := range metrics {
		out <- m
	}
}

// look reads the totals, or has those of the newest look while they are good.
func (c *ledgerCollector) look() ([]prometheus.Metric, error) {
	if !c.source.State().Ready {
		return nil, nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	revision, now := c.source.Revision(), c.o.Now()
	if c.metrics != nil && (revision == c.revision || now.Before(c.until)) {
		return c.metrics, nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), scrapeTime)
	defer cancel()
	counters, err := c.source.Counters(ctx, c.o.Projects > 0)
	if err != nil {
		return nil, err
	}
	c.metrics, c.revision = c.expose(&counters), revision
	end := c.o.Now()
	c.until = end.Add(restShare * end.Sub(now))
	if err := c.floor.keep(); err != nil {
		c.o.Log.Warn("what metrics show is not kept for the next start", slog.Any("error", err))
	}
	return c.metrics, nil
}

// sums adds up the series of the counters, in no order.
type sums map[string]float64

func (s sums) add(f *family, value float64, labels ...string) {
	s[seriesOf(f.name, labels)] += value
}

// expose makes the metrics of the totals.
func (c *ledgerCollector) expose(t *analytics.Counters) []prometheus.Metric {
	s := sums{}
	c.rank(t.Spent)
	for i := range t.Spent {
		c.spent(s, &t.Spent[i])
	}
	for _, u := range t.Unpriced {
		s.add(c.f.unpriced, float64(u.Requests), known(u.Provider))
	}
	for _, turns := range t.Turns {
		s.add(c.f.turns, float64(turns.Turns), turns.Harness, turns.Ended)
	}
	if c.f.claudeSessions != nil {
		for harness, n := range t.Sessions {
			s.add(c.f.claudeSessions, float64(n), harness)
		}
	}
	return append(c.counters(s), c.histograms(t.Durations)...)
}

// rank gives the models and projects that spent most their own series.
func (c *ledgerCollector) rank(spent []analytics.SpentCounter) {
	models, projects := map[string]int64{}, map[string]int64{}
	for i := range spent {
		p := &spent[i]
		models[known(p.Model)] += p.Input + p.Output + p.CacheRead + p.CacheWrite
		projects[known(p.Project)] += p.Input + p.Output + p.CacheRead + p.CacheWrite
	}
	c.models.rank(models)
	if c.o.Projects > 0 {
		c.projects.rank(projects)
	}
}

// spent adds what was spent with one model of a harness.
func (c *ledgerCollector) spent(s sums, p *analytics.SpentCounter) {
	harness, model := p.Harness, c.models.label(known(p.Model))
	with := func(labels ...string) []string {
		if c.o.Projects > 0 {
			labels = append(labels, c.projects.label(known(p.Project)))
		}
		return labels
	}
	kinds := []struct {
		kind, claude string
		n            int64
	}{
		{kindInput, "input", p.Input},
		{kindOutput, "output", p.Output},
		{kindCacheRead, "cacheRead", p.CacheRead},
		{kindCacheWrite, "cacheCreation", p.CacheWrite},
	}
	for _, k := range kinds {
		s.add(c.f.tokens, float64(k.n), with(harness, model, k.kind)...)
		if c.f.claudeTokens != nil {
			s.add(c.f.claudeTokens, float64(k.n), harness, model, k.claude)
		}
	}
	s.add(c.f.reasoning, float64(p.Reasoning), with(harness, model)...)
	s.add(c.f.requests, float64(p.Requests), with(harness, model)...)
	recorded, listed := analytics.Dollars(p.Recorded), analytics.Dollars(p.Listed)
	s.add(c.f.cost, recorded, with(harness, model, sourceRecorded)...)
	s.add(c.f.cost, listed, with(harness, model, sourceList)...)
	if c.f.claudeCost != nil {
		s.add(c.f.claudeCost, recorded+listed, harness, model)
	}
}

// known names what a log does not tell.
func known(name string) string {
	if name == "" {
		return "unknown"
	}
	return strings.ReplaceAll(name, separator, " ")
}

// counters are the series, none of them below what was shown before, and those
// that were shown before and are in the ledger no more.
func (c *ledgerCollector) counters(s sums) []prometheus.Metric {
	var out []prometheus.Metric
	for _, f := range c.f.all() {
		if f == c.f.durations {
			continue
		}
		seen := map[string]bool{}
		for series, value := range s {
			if strings.HasPrefix(series, f.name+separator) {
				seen[series] = true
				out = append(out, f.counter(series, c.floor.raise(series, value)))
			}
		}
		for series, value := range c.floor.rest(f.name, seen) {
			if labelsOf(series, len(f.labels)) != nil {
				out = append(out, f.counter(series, value))
			}
		}
	}
	return out
}

func (f *family) counter(series string, value float64) prometheus.Metric {
	return prometheus.MustNewConstMetric(f.desc, prometheus.CounterValue, value, labelsOf(series, len(f.labels))...)
}

func (c *ledgerCollector) histograms(durations []analytics.DurationCounter) []prometheus.Metric {
	var out []prometheus.Metric
	for _, d := range durations {
		name := func(part string) string { return seriesOf(c.f.durations.name, []string{part, d.Harness}) }
		buckets := map[float64]uint64{}
		for i, bound := range analytics.DurationBounds() {
			buckets[bound.Seconds()] = uint64(c.floor.raise(name(bound.String()), float64(d.Buckets[i])))
		}
		count, sum := c.floor.raise(name("count"), float64(d.Requests)), c.floor.raise(name("sum"), d.Total.Seconds())
		out = append(out, prometheus.MustNewConstHistogram(c.f.durations.desc, uint64(count), sum, buckets, d.Harness))
	}
	return out
}
