package otlp

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"meterbridge"
	"meterbridge/harnesses"
)

// longestText is the longest text that is taken over, in bytes.
const longestText = 512

// attrs makes a map of pdata what harnesses ask.
type attrs struct{ pcommon.Map }

// Text is a text, or true or false; what is too long, or no sound text, is none.
func (a attrs) Text(name string) string {
	if v, ok := a.Get(name); ok {
		return textOf(v)
	}
	return ""
}

func textOf(v pcommon.Value) string {
	switch v.Type() {
	case pcommon.ValueTypeBool:
		return strconv.FormatBool(v.Bool())
	case pcommon.ValueTypeStr:
		if s := v.Str(); len(s) <= longestText && utf8.ValidString(s) && !strings.ContainsRune(s, 0) {
			return strings.Clone(s)
		}
	}
	return ""
}

// Count is a whole number. Exporters write it as one, as a float and as a text.
func (a attrs) Count(name string) (meterbridge.Count, error) {
	v, ok := a.Get(name)
	if !ok {
		return meterbridge.Count{}, nil
	}
	n := int64(-1)
	switch v.Type() {
	case pcommon.ValueTypeEmpty:
		return meterbridge.Count{}, nil
	case pcommon.ValueTypeInt:
		n = v.Int()
	case pcommon.ValueTypeDouble:
		n = wholeOf(v.Double())
	case pcommon.ValueTypeStr:
		if v.Str() == "" {
			return meterbridge.Count{}, nil
		}
		if f, err := strconv.ParseFloat(a.Text(name), 64); err == nil {
			n = wholeOf(f)
		}
	}
	if n < 0 || n > meterbridge.MaxCount {
		return meterbridge.Count{}, harnesses.ErrWrongCount
	}
	return meterbridge.Reported(n), nil
}

// wholeOf is f as a whole number, -1 where it is none that is a count.
func wholeOf(f float64) int64 {
	if f != math.Trunc(f) || f < 0 || f > meterbridge.MaxCount {
		return -1
	}
	return int64(f)
}

// Decimal is a number as JSON writes it.
func (a attrs) Decimal(name string) string {
	v, ok := a.Get(name)
	if !ok {
		return ""
	}
	switch v.Type() {
	case pcommon.ValueTypeInt:
		return strconv.FormatInt(v.Int(), 10)
	case pcommon.ValueTypeDouble:
		return strconv.FormatFloat(v.Double(), 'f', -1, 64)
	}
	return textOf(v)
}
