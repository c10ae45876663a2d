package otlp

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"meterbridge"
	"meterbridge/harnesses"
)

func (r *reading) metrics(json bool, body []byte) error {
	var u pmetric.Unmarshaler = &pmetric.ProtoUnmarshaler{}
	if json {
		u = &pmetric.JSONUnmarshaler{}
	}
	all, err := u.UnmarshalMetrics(body)
	if err != nil {
		return err
	}
	for _, resource := range all.ResourceMetrics().All() {
		r.resource(resource.Resource().Attributes())
		for _, scope := range resource.ScopeMetrics().All() {
			r.scope = scope.Scope().Name()
			for _, m := range scope.Metrics().All() {
				r.metric(m)
			}
		}
	}
	return nil
}

// metric reads the points of a counter; gauges and histograms count no tokens.
func (r *reading) metric(m pmetric.Metric) {
	t, name := r.teller(m.Name())
	if t == nil || t.Counter == nil || m.Type() != pmetric.MetricTypeSum {
		return
	}
	c := counter{harness: t.id, series: r.scope + "\x00" + m.Name()}
	switch m.Sum().AggregationTemporality() {
	case pmetric.AggregationTemporalityDelta:
	case pmetric.AggregationTemporalityCumulative:
		c.cumulative = true
	default:
		return // what it adds up to is not said
	}
	for _, p := range m.Sum().DataPoints().All() {
		counted, ok := t.Counter(name, attrs{p.Attributes()})
		if !ok {
			continue
		}
		told, err := c.read(p, counted)
		switch {
		case err != nil:
			r.reject(err)
		case told.N > 0:
			r.out.Readings = append(r.out.Readings, told)
		}
	}
}

// counter is what the points of one metric have in common.
type counter struct {
	harness, series string
	cumulative      bool
}

func (c *counter) read(p pmetric.NumberDataPoint, of harnesses.Counted) (meterbridge.Reading, error) {
	n := int64(-1)
	switch p.ValueType() {
	case pmetric.NumberDataPointValueTypeInt:
		n = p.IntValue()
	case pmetric.NumberDataPointValueTypeDouble:
		n = wholeOf(math.Round(p.DoubleValue()))
	}
	if n < 0 || n > meterbridge.MaxCount {
		return meterbridge.Reading{}, harnesses.ErrWrongCount
	}
	since, until := instant(p.StartTimestamp()), instant(p.Timestamp())
	if !believable(until) || !believable(since) || until.Before(since) {
		return meterbridge.Reading{}, harnesses.ErrNoTime
	}
	return meterbridge.Reading{
		Harness: c.harness, Session: of.Session, Model: of.Model, Kind: of.Kind, N: n, Since: since, Until: until,
		Key: c.key(p, n),
	}, nil
}

// key tells points apart: by their counter and its start, and where each counts
// for itself by its own time and value. What a collector on the way says of the
// resource makes no other point of it.
func (c *counter) key(p pmetric.NumberDataPoint, n int64) meterbridge.ID {
	point := strconv.FormatUint(uint64(p.StartTimestamp()), 10)
	if !c.cumulative {
		point += " " + strconv.FormatUint(uint64(p.Timestamp()), 10) + " " + strconv.FormatInt(n, 10)
	}
	return meterbridge.NewID(c.series, sortedText(p.Attributes()), point)
}

// sortedText writes attributes so that equal ones give equal texts.
func sortedText(a pcommon.Map) string {
	list := make([]string, 0, a.Len())
	for k, v := range a.All() {
		list = append(list, k+"\x01"+v.AsString())
	}
	slices.Sort(list)
	return strings.Join(list, "\x02")
}
