package web

import (
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"math"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// functions are what templates may call.
func functions(a *assets) template.FuncMap {
	return template.FuncMap{
		"asset": a.address, "grouped": grouped, "short": short, "usd": usd, "usdExact": usdExact,
		"percent": percent, "ago": ago, "span": span, "bytes": size, "json": embedded, "list": strings.Join,
		"dict": dict, "session": sessionPath, "clock": clock, "trim": trimmed, "tail": tailOf, "deref64": func(n *int64) int64 { return *n }, "i64": func(n int) int64 { return int64(n) }, "openOnly": func(q *queuePage) *queuePage { c := *q; c.Log = nil; return &c }, "before": func(n *int) int { return *n - 1 }, "after": func(n *int) int { return *n + 1 }, "deref": func(f *float64) float64 { return *f }, "path": url.PathEscape, "base": lastOf, "add": func(a, b int) int { return a + b },
		"days": func() []string {
			return []string{"Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"}
		},
		"reports": func() []string {
			return []string{"hour", "day", "week", "month", "session", "project", "model", "harness", "agent", "block"}
		},
		"measures": func() []string { return []string{"cost", "tokens", "requests"} },
		"stacks":   func() []string { return []string{"harness", "model", "project"} },
		"costs":    func() []string { return []string{"auto", "recorded", "list"} },
	}
}

// grouped writes n with a comma between thousands.
func grouped(n int64) string {
	text := strconv.FormatInt(n, 10)
	sign := ""
	if strings.HasPrefix(text, "-") {
		sign, text = "-", text[1:]
	}
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return sign + text
}

// short writes n in three digits and a unit: 1.24 M.
func short(n int64) string {
	for _, unit := range []struct {
		name string
		from float64
	}{{"T", 1e12}, {"B", 1e9}, {"M", 1e6}, {"K", 1e3}} {
		v := float64(n) / unit.from
		switch {
		case v < 0.99995 && v > -0.99995:
		case v < 9.995 && v > -9.995:
			return strconv.FormatFloat(v, 'f', 2, 64) + unit.name
		case v < 99.95 && v > -99.95:
			return strconv.FormatFloat(v, 'f', 1, 64) + unit.name
		default:
			return strconv.FormatFloat(v, 'f', 0, 64) + unit.name
		}
	}
	return strconv.FormatInt(n, 10)
}

// usd writes micro-USD for people: cents from a dollar on, finer below, as the
// command line does. usdExact has them all.
func usd(micro int64) string {
	size, sign := micro, ""
	if size < 0 {
		size, sign = -size, "-"
	}
	decimals, unit := 2, int64(10_000)
	switch {
	case size != 0 && size < 10_000:
		decimals, unit = 6, 1
	case size != 0 && size < 1_000_000:
		decimals, unit = 4, 100
	}
	n := (size + unit/2) / unit
	scale := 1_000_000 / unit
	return fmt.Sprintf("%s$%s.%0*d", sign, grouped(n/scale), decimals, n%scale)
}

// usdExact writes micro-USD to the last digit.
func usdExact(micro int64) string {
	sign := ""
	if micro < 0 {
		sign, micro = "-", -micro
	}
	return fmt.Sprintf("%s$%s.%06d", sign, grouped(micro/1_000_000), micro%1_000_000)
}

// percent writes a ratio.
func percent(ratio float64) string {
	p := ratio * 100
	switch {
	case p != 0 && p < 0.95 && p > -0.95:
		return strconv.FormatFloat(p, 'f', 1, 64) + "%"
	case p > 99 && p < 100:
		return strconv.FormatFloat(p, 'f', 1, 64) + "%"
	}
	return grouped(int64(math.Round(p))) + "%"
}

// span writes a length of time.
func span(ms int64) string {
	d := time.Duration(ms) * time.Millisecond
	switch {
	case d < time.Second:
		return fmt.Sprintf("%d ms", ms)
	case d < 10*time.Second:
		return strconv.FormatFloat(d.Seconds(), 'f', 1, 64) + " s"
	case d < time.Minute:
		return fmt.Sprintf("%d s", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%d min %02d s", int(d.Minutes()), int(d.Seconds())%60)
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h %02d min", int(d.Hours()), int(d.Minutes())%60)
	}
	return fmt.Sprintf("%d days", int(d.Hours()/24))
}

// ago writes how long ago a time was.
func ago(at, now time.Time) string {
	d := now.Sub(at)
	switch {
	case d < 5*time.Second:
		return "just now"
	case d < time.Minute:
		return fmt.Sprintf("%d s ago", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%d min ago", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h ago", int(d.Hours()))
	}
	return fmt.Sprintf("%d days ago", int(d.Hours()/24))
}

// size writes a number of bytes.
func size(n int64) string {
	if n < 1000 {
		return strconv.FormatInt(n, 10) + " B"
	}
	return strings.TrimRight(short(n), "KMBT") + " " + map[byte]string{'K': "kB", 'M': "MB", 'B': "GB", 'T': "TB"}[short(n)[len(short(n))-1]]
}

// embedded is a value as JSON for an attribute.
func embedded(v any) (string, error) {
	text, err := json.Marshal(v)
	return string(text), err
}

// lastOf is the last part of a path, which names a project best.
func lastOf(path string) string {
	trimmed := strings.TrimRight(path, `/\`)
	if i := strings.LastIndexAny(trimmed, `/\`); i >= 0 && i+1 < len(trimmed) {
		return trimmed[i+1:]
	}
	return path
}

var errPairs = errors.New("dict takes names and values")

// dict hands several values to a template.
func dict(pairs ...any) (map[string]any, error) {
	if len(pairs)%2 != 0 {
		return nil, errPairs
	}
	d := map[string]any{}
	for i := 0; i < len(pairs); i += 2 {
		name, ok := pairs[i].(string)
		if !ok {
			return nil, errPairs
		}
		d[name] = pairs[i+1]
	}
	return d, nil
}

// clock writes the time of day of epoch milliseconds.
func clock(ms int64, zone *time.Location) string {
	return time.UnixMilli(ms).In(zone).Format("15:04:05")
}

// trimmed is a text of at most n characters.
func trimmed(text string, n int) string {
	runes := []rune(text)
	if len(runes) <= n {
		return text
	}
	return string(runes[:n-1]) + "…"
}

// tailOf is the end of a long file name, which tells it from its neighbours.
func tailOf(name string) string {
	runes := []rune(name)
	if len(runes) <= 28 {
		return name
	}
	return "…" + string(runes[len(runes)-24:])
}
