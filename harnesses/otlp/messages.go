package otlp

// kind is a message of OTLP that holds further ones, as far as weighing needs to
// know them.
type kind int

// The messages. Before each resource message stands the one that holds it.
const (
	_ kind = iota
	logsData
	resourceLogs
	scopeLogs
	logRecord
	metricsData
	resourceMetrics
	scopeMetrics
	metric
	points
	histogramPoints
	exponentialPoints
	summaryPoints
	numberPoint
	histogramPoint
	exponentialPoint
	summaryPoint
	buckets
	exemplar
	tracesData
	resourceSpans
	scopeSpans
	span
	spanEvent
	spanLink
	resource
	scope
	keyValue
	anyValue
	arrayValue
	keyValueList
	// leaf holds nothing of weight.
	leaf
	// packedNumbers are numbers of a byte or more, each of which becomes eight.
	packedNumbers
)

// fields are the fields of messages that hold messages, by their numbers in the
// protocol's definition.
func fields() map[kind]map[uint64]kind {
	return map[kind]map[uint64]kind{
		logsData:          {1: resourceLogs},
		resourceLogs:      {1: resource, 2: scopeLogs, 1000: scopeLogs},
		scopeLogs:         {1: scope, 2: logRecord},
		logRecord:         {5: anyValue, 6: keyValue},
		metricsData:       {1: resourceMetrics},
		resourceMetrics:   {1: resource, 2: scopeMetrics, 1000: scopeMetrics},
		scopeMetrics:      {1: scope, 2: metric},
		metric:            {5: points, 7: points, 9: histogramPoints, 10: exponentialPoints, 11: summaryPoints, 12: keyValue},
		points:            {1: numberPoint},
		histogramPoints:   {1: histogramPoint},
		exponentialPoints: {1: exponentialPoint},
		summaryPoints:     {1: summaryPoint},
		numberPoint:       {5: exemplar, 7: keyValue},
		histogramPoint:    {6: packedNumbers, 8: exemplar, 9: keyValue},
		exponentialPoint:  {1: keyValue, 8: buckets, 9: buckets, 11: exemplar},
		summaryPoint:      {6: leaf, 7: keyValue},
		buckets:           {2: packedNumbers},
		exemplar:          {7: keyValue},
		tracesData:        {1: resourceSpans},
		resourceSpans:     {1: resource, 2: scopeSpans, 1000: scopeSpans},
		scopeSpans:        {1: scope, 2: span},
		span:              {9: keyValue, 11: spanEvent, 13: spanLink, 15: leaf},
		spanEvent:         {3: keyValue},
		spanLink:          {4: keyValue},
		resource:          {1: keyValue, 3: leaf},
		scope:             {3: keyValue},
		keyValue:          {2: anyValue},
		anyValue:          {5: arrayValue, 6: keyValueList},
		arrayValue:        {1: anyValue},
		keyValueList:      {1: keyValue},
	}
}

// weights is what a message takes in memory, about, what it holds aside.
func weights(of kind) int {
	switch of {
	case keyValue, anyValue, arrayValue, keyValueList, leaf, buckets:
		return 56
	case span, exponentialPoint:
		return 400
	}
	return 240
}
