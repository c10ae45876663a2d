package metrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// toolMetrics tell of calls of tools over the bridge, since the start.
type toolMetrics struct {
	calls  *prometheus.CounterVec
	took   *prometheus.HistogramVec
	queued prometheus.Histogram
	starts *prometheus.CounterVec
	late   prometheus.Counter
}

func newToolMetrics() *toolMetrics {
	return &toolMetrics{
		calls: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "meterbridge_tool_calls_total", Help: "Calls of tools by outcome: ok, tool_error, cancelled or a code.",
		}, []string{"tool", "outcome"}),
		took: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "meterbridge_tool_call_duration_seconds", Help: "How long calls of tools took in all.",
			Buckets: []float64{.005, .025, .1, .25, 1, 2.5, 10, 30, 60, 120},
		}, []string{"tool"}),
		queued: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "meterbridge_tool_queue_seconds", Help: "How long calls of tools waited for their turn.",
			Buckets: []float64{.001, .01, .1, 1, 10},
		}),
		starts: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "meterbridge_extension_starts_total", Help: "Starts of extensions by reason: created, woken or crashed.",
		}, []string{"extension", "reason"}),
		late: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "meterbridge_tool_late_results_total", Help: "Answers of extensions that came when nobody waited any more.",
		}),
	}
}

func (t *toolMetrics) all() []prometheus.Collector {
	return []prometheus.Collector{t.calls, t.took, t.queued, t.starts, t.late}
}

// Called hears of a call that ended. The tool is a registered one.
func (m *Metrics) Called(tool, outcome string, queued, took time.Duration) {
	m.tools.calls.WithLabelValues(tool, outcome).Inc()
	m.tools.took.WithLabelValues(tool).Observe(took.Seconds())
	m.tools.queued.Observe(queued.Seconds())
}

// Started hears that an extension was started, and why.
func (m *Metrics) Started(extension, reason string) {
	m.tools.starts.WithLabelValues(extension, reason).Inc()
}

// Late hears of an answer that nobody waited for.
func (m *Metrics) Late() { m.tools.late.Inc() }
