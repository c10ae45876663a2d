package metrics

import (
	"context"
	"log/slog"
	"runtime"

	"github.com/prometheus/client_golang/prometheus"
)

// selfCollector shows how the daemon stands.
type selfCollector struct {
	source Source
	o      Options
}

// descOf describes a metric of the daemon itself.
func descOf(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc("meterbridge_"+name, help, labels, nil)
}

// selfDescs are the metrics of the daemon itself, by name.
func selfDescs() map[string]*prometheus.Desc {
	return map[string]*prometheus.Desc{
		"build":          descOf("build_info", "1, with the program's version.", "version", "revision", "go_version"),
		"files":          descOf("scan_files", "Logs known.", "harness"),
		"bytes":          descOf("scan_bytes_total", "Bytes read from logs since the start."),
		"lag":            descOf("scan_lag_seconds", "Age of the oldest change of a log that is not in the ledger."),
		"ready":          descOf("scan_ready", "1 once every log was read; the ledger's counters are shown from then on."),
		"problems":       descOf("parse_errors_total", "Records of logs that could not be read since the start.", "harness", "reason"),
		"store":          descOf("store_size_bytes", "Size of the ledger's files."),
		"table":          descOf("pricing_table_info", "1, with the version of the price table.", "version"),
		"age":            descOf("pricing_table_age_seconds", "Age of the price table's newest source."),
		"price_failures": descOf("pricing_update_failed_total", "Updates of the price table that failed since the start."),
		"agents":         descOf("agents", "Agents and terminals by what they do.", "harness", "status"),
		"waiting":        descOf("queue_prompts", "Prompts that wait for their agent.", "harness"),
		"delivered":      descOf("prompts_delivered_total", "What became of prompts since the start.", "harness", "result"),
		"sessions":       descOf("mcp_sessions", "Sessions of MCP that are open; clients of 2026-07-28 have none."),
		"extension":      descOf("extension_state", "1, with the state of an extension.", "extension", "state"),
		"budget":         descOf("budget_used_ratio", "Used part of a budget of the settings; 1 is all of it.", "budget", "window"),
	}
}

// Describe implements prometheus.Collector.
func (c *selfCollector) Describe(out chan<- *prometheus.Desc) {
	for _, d := range selfDescs() {
		out <- d
	}
}

// Collect implements prometheus.Collector.
func (c *selfCollector) Collect(out chan<- prometheus.Metric) {
	d, s := selfDescs(), c.source.State()
	gauge := func(name string, value float64, labels ...string) {
		out <- prometheus.MustNewConstMetric(d[name], prometheus.GaugeValue, value, labels...)
	}
	counter := func(name string, value float64, labels ...string) {
		out <- prometheus.MustNewConstMetric(d[name], prometheus.CounterValue, value, labels...)
	}
	gauge("build", 1, c.o.Version, c.o.Revision, runtime.Version())
	for harness, n := range s.Files {
		gauge("files", float64(n), harness)
	}
	counter("bytes", float64(s.BytesRead))
	gauge("lag", s.Lag.Seconds())
	gauge("ready", truth(s.Ready))
	for harness, reasons := range s.Problems {
		for reason, n := range reasons {
			counter("problems", float64(n), harness, reason)
		}
	}
	gauge("store", float64(s.StoreBytes))
	gauge("table", 1, s.PriceTable)
	if !s.PriceDate.IsZero() {
		gauge("age", c.o.Now().Sub(s.PriceDate).Seconds())
	}
	counter("price_failures", float64(s.PriceFailures))
	for harness, n := range s.Waiting {
		gauge("waiting", float64(n), harness)
	}
	for harness, results := range s.Delivered {
		for result, n := range results {
			counter("delivered", float64(n), harness, result)
		}
	}
	gauge("sessions", float64(s.MCPSessions))
	for harness, statuses := range s.Agents {
		for status, n := range statuses {
			gauge("agents", float64(n), harness, status)
		}
	}
	for name, state := range s.Extensions {
		gauge("extension", 1, name, state)
	}
	if s.Ready {
		c.budgets(gauge)
	}
}

func (c *selfCollector) budgets(gauge func(string, float64, ...string)) {
	ctx, cancel := context.WithTimeout(context.Background(), scrapeTime)
	defer cancel()
	budgets, err := c.source.Budgets(ctx)
	if err != nil {
		c.o.Log.Warn("the budgets cannot be read", slog.Any("error", err))
		return
	}
	for _, b := range budgets {
		gauge("budget", b.UsedRatio, b.Name, b.Window)
	}
}

func truth(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}
